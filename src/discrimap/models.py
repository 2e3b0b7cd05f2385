"""Fitted models on disk, in files that cannot run code when they are loaded.

A model file is a skops archive: arrays and parameters with the names of the types they belong to.
Loading builds only types that skops itself trusts (NumPy, SciPy, scikit-learn) and those of our
rooms that hold estimators and their parts; a file that names any other type is refused before
anything is built.
"""

from __future__ import annotations

import platform
import zipfile
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from discrimap._version import __version__
from discrimap.datasets import Dataset
from discrimap.errors import InputError
from discrimap.files import write_bytes
from discrimap.pipelines import make_method_pipeline
from discrimap.registry import Method, get_method

FORMAT = "discrimap model 2"
TRUSTED_ROOMS = ("discrimap.estimators.", "discrimap.fisher.")
# The imputer remembers the type of its data; making a dtype runs nothing.
TRUSTED_TYPES = ("numpy.dtype",)


@dataclass(frozen=True)
class Model:
    """A fitted method, with what is needed to use it on other data.

    Parameters
    ----------
    pipeline : estimator
        Fitted; maps samples with the features below.
    method : str
        The name of the method in the registry.
    feature_names : list of str
        The features, in the order in which the pipeline takes them.
    classes : list of str
        The classes it was fitted to; empty for a continuous target.
    n_fitted : int
        The number of samples it was fitted to.
    impute : {"median", "mean"} or None
        How the pipeline fills in missing values, from those samples; None refuses them.
    versions : dict
        The versions of the packages it was made with.
    """

    pipeline: Any
    method: str
    feature_names: list[str]
    classes: list[str]
    n_fitted: int = 0
    impute: str | None = None
    versions: dict[str, str] = field(default_factory=lambda: _versions())

    def transform(self, X) -> np.ndarray:
        """Map samples whose columns are ``feature_names``."""
        return np.asarray(self.pipeline.transform(X))

    def count_missing(self, X) -> int:
        """Count the values that ``transform`` fills in."""
        return int(np.isnan(X).sum()) if isinstance(X, np.ndarray) and X.dtype.kind == "f" else 0

    @property
    def label(self) -> str:
        return get_method(self.method).label

    @property
    def maps_rows_alone(self) -> bool:
        """Whether the place of a row does not depend on the rows that are mapped with it."""
        return get_method(self.method).family != "manifold"

    @property
    def component_names(self) -> list[str]:
        return [str(name) for name in self.pipeline.get_feature_names_out()]


def fit_model(
    dataset: Dataset,
    method: Method,
    *,
    n_components: int = 2,
    scale: bool = True,
    impute: str | None = None,
    seed: int = 0,
) -> Model:
    """Fit one method to a whole data set.

    Parameters
    ----------
    dataset : Dataset
        Samples and labels. Samples without a label are used if the method can use them.
    method : Method
        An entry of the registry.
    n_components : int
        Dimensions of the map, where the method lets one choose.
    scale : bool
        Standardise the features first.
    impute : {"median", "mean"} or None
        Fill in missing features before that, now and in whatever the model maps later.
    seed : int
        Determines the result.

    Returns
    -------
    model : Model
    """
    from scipy import sparse

    is_sparse = sparse.issparse(dataset.X)
    if is_sparse and not method.sparse:
        raise InputError(f"{method.label} takes dense data only, and {dataset.name} is sparse.")
    if dataset.y is None or dataset.is_labelled is None:
        raise InputError(f"{dataset.name} has no labels to fit to; name the target.")
    if dataset.is_continuous and not method.continuous:
        raise InputError(
            f"{method.label} takes class labels, and the target of {dataset.name} is continuous; "
            "'discrimap methods' says which methods take that."
        )
    if not dataset.is_continuous and not method.classes:
        raise InputError(
            f"{method.label} takes a continuous target, and that of {dataset.name} is classes."
        )
    pipeline = make_method_pipeline(
        method.make(n_components, random_state=seed, continuous=dataset.is_continuous),
        scale=scale,
        impute=impute,
        is_sparse=is_sparse,
    )
    X, y, known = _training_set(dataset, method)
    try:
        pipeline.fit(X, y)
    except ValueError as error:
        # Estimators refuse what they cannot use with a ValueError that says what to do.
        raise InputError(f"{method.label}: {error}") from error
    names = dataset.feature_names or [f"x{j}" for j in range(dataset.X.shape[1])]
    return Model(
        pipeline=pipeline,
        method=method.name,
        feature_names=[str(name) for name in names],
        classes=[] if dataset.is_continuous else [str(name) for name in np.unique(known)],
        n_fitted=X.shape[0],
        impute=impute,
    )


def _training_set(dataset: Dataset, method: Method):
    """Samples, their targets as the method takes them, and the labels that are known."""
    assert dataset.y is not None
    rows = dataset.is_labelled
    labels = dataset.class_labels
    assert rows is not None
    assert labels is not None
    if rows.all():
        return dataset.X, labels, labels
    if method.unlabelled:
        # y marks samples without a label by -1 or NaN, which their names could not.
        return dataset.X, dataset.y, labels[rows]
    return dataset.X[rows], labels[rows], labels[rows]


def save_model(path: Path, model: Model) -> None:
    """Write a model, completely or not at all.

    Parameters
    ----------
    path : Path
        The file, by convention ``*.skops``.
    model : Model
        What to save.
    """
    import skops.io

    content = {name: getattr(model, name) for name in Model.__dataclass_fields__}
    write_bytes(path, skops.io.dumps({"format": FORMAT, **content}))


def load_model(path: Path) -> Model:
    """Read a model; nothing in the file can run.

    Parameters
    ----------
    path : Path
        A file that :func:`save_model` wrote.

    Returns
    -------
    model : Model

    Raises
    ------
    InputError
        If the file is absent, is no model, or holds types that are not trusted; these are named.
    """
    import skops.io

    if path.is_dir():
        raise InputError(f"{path} is a folder; name a model file, which 'discrimap fit' makes.")
    if not path.is_file():
        raise InputError(f"there is no model file {path}; 'discrimap fit' makes one.")
    data = path.read_bytes()
    if not data:
        raise InputError(f"{path} is empty (0 bytes), and no model; 'discrimap fit' makes one.")
    try:
        untrusted = skops.io.get_untrusted_types(data=data)
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} is not a model file of discrimap, or damaged ({error})."
        ) from error
    strangers = [
        name
        for name in untrusted
        if not name.startswith(TRUSTED_ROOMS) and name not in TRUSTED_TYPES
    ]
    if strangers:
        raise InputError(
            f"{path} was refused: it holds {', '.join(strangers)}, which no model of discrimap "
            "does. Do not use this file unless you know who made it."
        )
    content = skops.io.loads(data, trusted=untrusted)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(
            f"{path} is a skops file, but not a model of discrimap; make one with 'discrimap fit'."
        )
    return Model(**{name: content[name] for name in Model.__dataclass_fields__})


def _versions() -> dict[str, str]:
    packages = ("numpy", "scipy", "scikit-learn", "skops")
    return {
        "discrimap": __version__,
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
    }
