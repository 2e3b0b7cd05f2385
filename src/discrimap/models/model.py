"""Fitted models, in memory and in files that cannot run code when they are loaded.

A model file is a zip archive of one JSON document and arrays (:mod:`discrimap.models.archive`). It
names its method as the registry does and holds parameters and fitted arrays; what can be built from
that is an exact list of classes (:mod:`discrimap.models.parts`). No module or class is named in it.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from discrimap._version import __version__
from discrimap.errors import InputError
from discrimap.models.archive import DamagedError, member_names, pack, unpack
from discrimap.models.attributes import IMPUTER, SCALER, method_class, method_part
from discrimap.models.fields import Reader, Writer
from discrimap.models.parts import load_step, save_step
from discrimap.models.pipelines import make_method_pipeline
from discrimap.registry import Method, get_method
from discrimap.samples.targets import as_sortable_labels, encode_classes
from discrimap.tables.dataset import Dataset
from discrimap.tables.output_files import write_bytes

FORMAT = "discrimap model 3"
PREPARING = {"imputer": IMPUTER, "scaler": SCALER}
# What is known of a column, by what it holds.
_NUMBERS = {"name", "kind", "decimal", "group", "unit"}
COLUMN_OF_KIND = {"number": _NUMBERS, "truth": _NUMBERS, "text": {"name", "kind", "categories"}}


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
    columns : list of dict
        What each column of the table was that became features, see
        :class:`~discrimap.datasets.Dataset`; empty if the data had no named columns.
    """

    pipeline: Any
    method: str
    feature_names: list[str]
    classes: list[str]
    n_fitted: int = 0
    impute: str | None = None
    versions: dict[str, str] = field(default_factory=lambda: _versions())
    columns: list[dict[str, Any]] = field(default_factory=list)

    def transform(self, X, n_before: int = 0) -> np.ndarray:
        """Map samples whose columns are ``feature_names``; sparse ones as far as the steps take them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples.
        n_before : int
            Rows of the same file that were mapped before these, for the numbers in messages.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Finite; samples without a finite place are refused.
        """
        from scipy import sparse

        if sparse.issparse(X) and not self._takes_sparse:
            X = X.toarray()
        try:
            with np.errstate(all="ignore"):  # what comes of it is looked at below
                Z = np.asarray(self.pipeline.transform(X))
        except ValueError as error:
            raise InputError(f"{self.label}: {error}") from error
        is_finite = np.isfinite(Z).all(axis=1)
        if not is_finite.all():
            raise InputError(
                f"{self.label}: the place of row {n_before + int(np.argmin(is_finite)) + 1} in the "
                "map is not finite; its numbers are too large for the model, or the model is damaged."
            )
        return Z

    def count_missing(self, X) -> int:
        """Count the values that ``transform`` fills in."""
        return int(np.isnan(X).sum()) if isinstance(X, np.ndarray) and X.dtype.kind == "f" else 0

    @property
    def _takes_sparse(self) -> bool:
        """Whether it was fitted without centring, which would fill in the zeros."""
        centres = any(getattr(step, "with_mean", False) for _, step in self.pipeline.steps)
        return get_method(self.method).sparse and not centres and self.impute is None

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
        classes=[] if dataset.is_continuous else encode_classes(known)[0],
        n_fitted=X.shape[0],
        impute=impute,
        columns=list(dataset.columns),
    )


def _training_set(dataset: Dataset, method: Method):
    """Samples, their targets as the method takes them, and the labels that are known."""
    rows, labels = dataset.is_labelled, dataset.class_labels
    assert rows is not None
    assert labels is not None
    known = labels[rows]
    if not dataset.is_continuous:
        known = as_sortable_labels(known)
    if method.unlabelled and not rows.all():
        # y marks samples without a label by -1 or NaN, which their names could not.
        return dataset.X, dataset.y, known
    return (dataset.X if rows.all() else dataset.X[rows]), known, known


def save_model(path: Path, model: Model) -> None:
    """Write a model, completely or not at all.

    Parameters
    ----------
    path : Path
        The file, by convention ``*.skops``.
    model : Model
        What to save; one of a method of the registry, with parameters that are numbers, text or
        arrays.

    Raises
    ------
    InputError
        If the pipeline holds what a file cannot: other steps, or a parameter that runs, such as a
        callable or another estimator.
    """
    method = get_method(model.method)
    writer = Writer()
    *before, estimator = _steps(model, method)
    document = {
        "format": FORMAT,
        "method": method.name,
        "feature_names": model.feature_names,
        "classes": model.classes,
        "n_fitted": int(model.n_fitted),
        "impute": model.impute,
        "versions": model.versions,
        "columns": model.columns,
        **{
            name: None if step is None else save_step(name, step, PREPARING[name], writer)
            for name, step in zip(PREPARING, before, strict=True)
        },
        "estimator": save_step("estimator", estimator, method_part(method), writer),
    }
    write_bytes(path, pack(document, writer.arrays))


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
        If the file is absent, is no model, or is not as it was written.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a model file, which 'discrimap fit' makes.")
    if not path.is_file():
        raise InputError(f"there is no model file {path}; 'discrimap fit' makes one.")
    if not path.stat().st_size:
        raise InputError(f"{path} is empty (0 bytes), and no model; 'discrimap fit' makes one.")
    if "schema.json" in member_names(path):
        raise InputError(
            f"{path} is a skops file, as discrimap 0.1.0 wrote them, and is not opened: such files "
            "can run code. Fit the model again with 'discrimap fit'."
        )
    try:
        return _read_model(*unpack(path))
    except DamagedError as error:
        raise InputError(
            f"{path} is not a model file of discrimap, or damaged ({error}); make one with "
            "'discrimap fit'."
        ) from error


def _steps(model: Model, method: Method) -> tuple[Any, Any, Any]:
    """The imputer and the scaler, or None, and the estimator."""
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    steps = (
        [step for _, step in model.pipeline.steps]
        if isinstance(model.pipeline, Pipeline)
        else [model.pipeline]
    )
    found: list[Any] = [None, None]
    for k, kind in enumerate((SimpleImputer, StandardScaler)):
        if type(steps[0]) is kind:
            found[k] = steps.pop(0)
    if [type(step) for step in steps] != [method_class(method)]:
        names = ", ".join(type(step).__name__ for step in steps)
        raise InputError(
            f"the model cannot be saved: a file of the method {method.name!r} holds a "
            f"{method.class_name} after an imputer and a scaler, but the pipeline has {names}."
        )
    return found[0], found[1], steps[0]


def _read_model(document: dict[str, Any], arrays: dict[str, np.ndarray]) -> Model:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    found = document.get("format")
    if found != FORMAT:
        is_newer = isinstance(found, str) and found.startswith(FORMAT.rstrip("0123456789"))
        raise DamagedError(
            f"it has the format {found!r}, which this version, {__version__}, does not know"
            if is_newer
            else "it does not say that it is one"
        )
    expected = {"format", *Model.__dataclass_fields__, *PREPARING, "estimator"} - {"pipeline"}
    if set(document) != expected:
        name = min(set(document) ^ expected)
        raise DamagedError(f"{name!r} is {'strange to a model' if name in document else 'absent'}")
    names = _texts("feature_names", document["feature_names"])
    if not names:
        raise DamagedError("feature_names is empty")
    n_fitted, versions = document["n_fitted"], document["versions"]
    if isinstance(n_fitted, bool) or not isinstance(n_fitted, int) or n_fitted < 0:
        raise DamagedError("n_fitted must be a whole number")
    if not isinstance(versions, dict):
        raise DamagedError("versions must be texts by name")
    _texts("versions", list(versions.values()))
    method = _method(document["method"])

    reader = Reader(arrays, {"features": len(names)})
    steps = [
        load_step(name, make, document[name], PREPARING[name], reader)
        for name, make in zip(PREPARING, (SimpleImputer, StandardScaler), strict=True)
        if document[name] is not None
    ]
    impute = document["impute"]
    strategy = steps[0].strategy if document["imputer"] is not None else None
    if impute != strategy or strategy not in (None, "median", "mean"):
        raise DamagedError(f"impute is {impute!r}, but the imputer takes {strategy!r}")
    estimator = load_step(
        "estimator", method_class(method), document["estimator"], method_part(method), reader
    )
    return Model(
        pipeline=make_pipeline(*steps, estimator),
        method=method.name,
        feature_names=names,
        classes=_texts("classes", document["classes"]),
        n_fitted=n_fitted,
        impute=impute,
        versions=versions,
        columns=[_column(number, one) for number, one in enumerate(_list(document["columns"]))],
    )


def _method(name: Any) -> Method:
    if not isinstance(name, str):
        raise DamagedError("method must be a name")
    try:
        return get_method(name)
    except InputError as error:
        raise DamagedError(str(error)) from error


def _list(content: Any) -> list:
    if not isinstance(content, list):
        raise DamagedError("columns must be a list")
    return content


def _column(number: int, content: Any) -> dict[str, Any]:
    """What a column was, as :class:`~discrimap.datasets.Dataset` describes it."""
    where = f"columns[{number}]"
    if not isinstance(content, dict) or not isinstance(content.get("kind"), str):
        raise DamagedError(f"{where} must say of what kind it is")
    expected = COLUMN_OF_KIND.get(content["kind"])
    if expected is None or set(content) != expected:
        raise DamagedError(f"{where} is no description of a column")
    texts = [value for key, value in content.items() if key != "categories"]
    _texts(where, texts + _list(content.get("categories", [])))
    return content


def _texts(where: str, content: Any) -> list[str]:
    if not isinstance(content, list) or not all(isinstance(text, str) for text in content):
        raise DamagedError(f"{where} must be a list of texts")
    return content


def _versions() -> dict[str, str]:
    packages = ("numpy", "scipy", "scikit-learn")
    return {
        "discrimap": __version__,
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
    }
