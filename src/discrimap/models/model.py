"""Fit a method to a data set, and apply the fitted model to new samples."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np

from discrimap._typing import MatrixLike
from discrimap._version import __version__
from discrimap.errors import InputError
from discrimap.models.pipelines import make_method_pipeline
from discrimap.registry import Method, get_method
from discrimap.samples.targets import as_sortable_labels, encode_classes
from discrimap.tables.dataset import Dataset


@dataclass(frozen=True)
class Model:
    """A fitted pipeline, and the information needed to apply it to new data.

    Parameters
    ----------
    pipeline : estimator
        The fitted pipeline.
    method : str
        The name of the method in the registry.
    feature_names : list of str
        The features, in the order in which the pipeline expects them.
    classes : list of str
        The classes of the training samples; empty for a continuous target.
    n_fitted : int
        The number of training samples.
    impute : {"median", "mean"} or None
        Whether the pipeline replaces missing values by the median or the mean of the training samples;
        with None, they raise an error.
    versions : dict
        The versions of the packages with which the model was fitted.
    columns : list of dict
        How each column of the table was read, see :class:`~discrimap.datasets.Dataset`; empty if the
        data had no named columns.
    id_name : str or None
        The column that identified the rows, if there was one. It is not a feature.

    Examples
    --------
    >>> from discrimap.datasets import load
    >>> from discrimap.models import fit_model
    >>> wine = load("wine")
    >>> model = fit_model(wine, "lda")
    >>> model.label, model.component_names, model.n_fitted
    ('LDA', ['lda1', 'lda2'], 178)
    """

    pipeline: Any
    method: str
    feature_names: list[str]
    classes: list[str]
    n_fitted: int = 0
    impute: str | None = None
    versions: dict[str, str] = field(default_factory=lambda: _versions())
    columns: list[dict[str, Any]] = field(default_factory=list)
    id_name: str | None = None

    def transform(self, X: MatrixLike, n_before: int = 0) -> np.ndarray:
        """Map samples whose columns are ``feature_names``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples. Sparse samples are converted to dense arrays if a step does not accept them.
        n_before : int
            Number of rows of the same file that were mapped before, for row numbers in messages.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Coordinates in the map.

        Raises
        ------
        InputError
            If coordinates are not finite.
        """
        from scipy import sparse

        if sparse.issparse(X) and not self._takes_sparse:
            X = X.toarray()  # type: ignore[union-attr]
        try:
            with np.errstate(all="ignore"):  # the result is checked below
                Z = np.asarray(self.pipeline.transform(X))
        except ValueError as error:
            raise InputError(f"{self.label}: {error}") from error
        is_finite = np.isfinite(Z).all(axis=1)
        if not is_finite.all():
            raise InputError(
                f"{self.label}: the coordinates of row {n_before + int(np.argmin(is_finite)) + 1} in the "
                "map are not finite; its values are too large for the model, or the model is damaged."
            )
        return Z

    def count_missing(self, X: MatrixLike) -> int:
        """Count the missing values, which ``transform`` fills in.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        n_missing : int
        """
        return int(np.isnan(X).sum()) if isinstance(X, np.ndarray) and X.dtype.kind == "f" else 0

    @property
    def _takes_sparse(self) -> bool:
        """Whether the pipeline accepts sparse samples; it does not if it centres or imputes."""
        centres = any(getattr(step, "with_mean", False) for _, step in self.pipeline.steps)
        return get_method(self.method).sparse and not centres and self.impute is None

    @property
    def label(self) -> str:
        """Name of the method in tables."""
        return get_method(self.method).label

    @property
    def maps_rows_alone(self) -> bool:
        """Whether the map of a row is independent of the other rows passed to ``transform``."""
        return get_method(self.method).family != "manifold"

    @property
    def component_names(self) -> list[str]:
        """Names of the dimensions of the map: the name of the method and a number from 1."""
        stem = self.method.replace("-", "_")
        n_components = len(self.pipeline.get_feature_names_out())
        return [f"{stem}{number}" for number in range(1, n_components + 1)]


def fit_model(
    dataset: Dataset,
    method: str | Method,
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
    method : str or Method
        The name of a method, such as "sda", or its entry in the registry.
    n_components : int
        Number of dimensions of the map, for methods with this parameter.
    scale : bool
        Whether to standardise the features first.
    impute : {"median", "mean"} or None
        How to fill in missing values before that, in this data set and in new samples.
    seed : int
        Seed of all random numbers; the same seed gives the same model.

    Returns
    -------
    model : Model

    Raises
    ------
    InputError
        If the method cannot be fitted to this data set.

    Examples
    --------
    >>> from discrimap.datasets import load
    >>> from discrimap.models import fit_model
    >>> wine = load("wine")
    >>> fit_model(wine, "lda").transform(wine.X).shape
    (178, 2)
    """
    from scipy import sparse

    if isinstance(method, str):
        method = get_method(method)
    if not method.vectors or dataset.kernel is not None:
        raise InputError(
            f"models can only be saved if they are fitted to features; fit {method.label} to similarities or "
            "distances in Python, or compare it with 'discrimap compare'."
        )
    is_sparse = sparse.issparse(dataset.X)
    if is_sparse and not method.sparse:
        raise InputError(
            f"{method.label} needs dense data, but {dataset.name} is sparse; 'discrimap methods' lists the "
            "methods for sparse data."
        )
    if dataset.y is None or dataset.is_labelled is None:
        raise InputError(f"{dataset.name} has no labels, which a fit needs; name the target.")
    if dataset.is_continuous and not method.continuous:
        raise InputError(
            f"{method.label} needs class labels, but the target of {dataset.name} is continuous; "
            "'discrimap methods' lists the methods for continuous targets."
        )
    if not dataset.is_continuous and not method.classes:
        raise InputError(
            f"{method.label} needs a continuous target, but the target of {dataset.name} is classes; "
            "'discrimap methods' lists the methods for classes."
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
        # The message of the estimator contains a remedy.
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
        id_name=dataset.id_name,
    )


def _training_set(dataset: Dataset, method: Method) -> Any:
    """Return the samples, the targets in the form that the method expects, and the known labels."""
    rows, labels = dataset.is_labelled, dataset.class_labels
    assert rows is not None
    assert labels is not None
    known = labels[rows]
    if not dataset.is_continuous:
        known = as_sortable_labels(known)
    if method.unlabelled and not rows.all():
        # Class codes with -1, or numbers with NaN, for samples without a label.
        return dataset.X, dataset.y, known
    return (dataset.X if rows.all() else dataset.X[rows]), known, known


def _versions() -> dict[str, str]:
    packages = ("numpy", "scipy", "scikit-learn")
    return {
        "discrimap": __version__,
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
    }
