"""Read the samples of a comparison from arrays, data frames, AnnData or data sets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discrimap.comparison.problem import Problem, check_problem
from discrimap.comparison.protocol import Protocol
from discrimap.datasets.source import open_source
from discrimap.errors import InputError
from discrimap.samples.on_dask.dask_input import is_dask
from discrimap.tables.anndata_tables import is_anndata
from discrimap.tables.dataset import Dataset
from discrimap.tables.frames import add_columns, is_frame
from discrimap.tables.pair_matrices import take_matrix
from discrimap.tables.sample_columns import take_from_extras


@dataclass(frozen=True, eq=False)
class SampleFacts:
    """Arguments that describe the samples: column names of a table, or one value per sample."""

    target: str | None = None
    is_labelled: Any = None
    task: str = "auto"
    groups: Any = None
    order: Any = None
    ids: Any = None
    kernel: str | None = None
    layer: str | None = None


def check_samples(
    X, y, facts: SampleFacts, protocol: Protocol, data_name: str | None = None
) -> tuple[Any, Dataset | None]:
    """Check the samples and encode the target.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame, Dataset or dask collection
        The samples. A data frame is read in the same way as a file on the command line.
    y : array-like or None
        The target; None if it is a column of the data frame or part of the data set.
    facts : SampleFacts
        The other arguments of :func:`~discrimap.comparison.compare`.
    protocol : Protocol
        Imputation of missing values, and the requirements of a split.
    data_name : str, optional
        Name of the data set.

    Returns
    -------
    problem : Problem or CollectionProblem
        The samples in the form that is passed to the methods.
    dataset : Dataset or None
        The same samples with names of features, classes and rows; None for a dask collection.
    """
    if is_dask(X) or is_dask(y):
        from discrimap.comparison.collections import check_collection

        return check_collection(X, y, facts, protocol), None
    if isinstance(X, Dataset):
        dataset = _check_dataset(X, y, facts)
    elif is_frame(X):
        dataset = _read_frame(X, y, facts, protocol)
    elif is_anndata(X):
        dataset = _read_anndata(X, y, facts, protocol)
    else:
        problem = _check_arrays(X, y, facts, protocol)
        given = Dataset(data_name or "data", kernel=facts.kernel, **_beside(facts))
        return problem, _as_dataset(problem, given)
    problem = check_problem(
        dataset.X,
        dataset.class_labels,
        dataset.is_labelled,
        "regression" if dataset.is_continuous else "classification",
        protocol,
        dataset.groups,
        dataset.order,
        dataset.kernel,
    )
    return problem, _as_dataset(problem, replace(dataset, name=data_name or dataset.name))


def _as_dataset(problem: Problem, dataset: Dataset) -> Dataset:
    """Return a data set with the samples and the codes of the problem."""
    if dataset.ids is not None and len(dataset.ids) != len(problem.y):
        raise InputError(
            f"ids must have one value for each of the {len(problem.y)} samples, but there are "
            f"{len(dataset.ids)}."
        )
    return replace(
        dataset,
        X=problem.X,
        y=problem.y,
        target_names=list(problem.class_names) or None,
        is_labelled=problem.task.is_labelled(problem.y),
    )


def _check_arrays(X, y, facts: SampleFacts, protocol: Protocol) -> Problem:
    if facts.target is not None:
        raise InputError(
            f"target={facts.target!r} names a column, but X is {type(X).__name__}; pass a table of pandas, "
            "polars or Arrow, or y."
        )
    if y is None:
        raise InputError("y is needed if X is an array: pass one class or number for each sample.")
    for name in ("groups", "order", "ids"):
        if isinstance(getattr(facts, name), str):
            raise InputError(
                f"{name}={getattr(facts, name)!r} names a column, but X has no named columns; pass one "
                "value for each sample."
            )
    return check_problem(
        X, y, facts.is_labelled, facts.task, protocol, facts.groups, facts.order, facts.kernel
    )


def _check_dataset(dataset: Dataset, y, facts: SampleFacts) -> Dataset:
    if y is not None or facts.target is not None or facts.is_labelled is not None:
        raise InputError("a Dataset has its own target; leave out y, target and is_labelled.")
    if facts.kernel is not None and dataset.kernel is None and dataset.y is not None:
        dataset = take_matrix(dataset.name, dataset, facts.kernel, facts.layer)
    if dataset.X is None or dataset.y is None:
        raise InputError(
            f"{dataset.name} has no features with a target; for similarities pass kernel='precomputed'."
        )
    named: dict[str, str | None] = {
        role: values if isinstance(values, str) else None
        for role, values in (("groups", facts.groups), ("order", facts.order), ("ids", facts.ids))
    }
    return replace(take_from_extras(dataset, **named), **_beside(facts))


def _beside(facts: SampleFacts) -> dict[str, Any]:
    """Return the given arrays with one value for each sample."""
    found: dict[str, Any] = {
        name: np.asarray(getattr(facts, name))
        for name in ("groups", "order", "ids")
        if not (getattr(facts, name) is None or isinstance(getattr(facts, name), str))
    }
    if "ids" in found:
        found |= {"ids": found["ids"].astype(str), "id_name": _name_of(facts.ids, "id")}
    return found


def _read_frame(frame, y, facts: SampleFacts, protocol: Protocol) -> Dataset:
    """Read a data frame like a file; arrays passed separately become columns of the data frame."""
    if (y is None) == (facts.target is None):
        raise InputError(
            "a table needs target, the name of the column with the classes or numbers, or y, but not "
            "both."
        )
    columns: dict[str, Any] = {}
    names: dict[str, str | None] = {"target": facts.target}
    beside = {"target": y, "groups": facts.groups, "order": facts.order, "ids": facts.ids}
    for role, values in beside.items():
        if isinstance(values, str):
            names[role] = values
        elif values is not None:
            names[role] = _name_of(values, "y" if role == "target" else role)
            columns[str(names[role])] = values
    if facts.is_labelled is not None:
        raise InputError("is_labelled is for arrays; in a table leave the target empty instead.")
    return open_source(
        add_columns(frame, columns),
        **names,
        keep_missing=protocol.impute is not None,
        unlabelled="keep",
        task=facts.task,
        kernel=facts.kernel,
    )


def _read_anndata(data: Any, y: Any, facts: SampleFacts, protocol: Protocol) -> Dataset:
    """Read an AnnData object like a file; arrays passed separately replace columns of ``obs``."""
    if y is not None or facts.target is None or facts.is_labelled is not None:
        raise InputError(
            "an AnnData needs target, the name of the column of obs with the classes or numbers, in place of "
            "y and is_labelled."
        )
    beside = {"groups": facts.groups, "order": facts.order, "ids": facts.ids}
    named = {role: values for role, values in beside.items() if isinstance(values, str)}
    dataset = open_source(
        data,
        target=facts.target,
        keep_missing=protocol.impute is not None,
        unlabelled="keep",
        task=facts.task,
        kernel=facts.kernel,
        layer=facts.layer,
        **named,
    )
    return replace(dataset, **_beside(facts))


def _name_of(values, default: str) -> str:
    name = getattr(values, "name", None)
    return name if isinstance(name, str) and name else default
