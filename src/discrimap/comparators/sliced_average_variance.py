"""Sliced average variance estimation and sliced inverse regression."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from discrimap._sklearn import Interval, StrOptions
from discrimap._typing import Array, MatrixLike
from discrimap.base.fit_context import fit_context
from discrimap.base.linear_projection import LinearProjection
from discrimap.linalg.centring import centre
from discrimap.linalg.products import (
    PER_NUMBER,
    in_order,
    inner,
    project,
    pull_back,
    scatter_nanoseconds,
)
from discrimap.linalg.reductions import row_space
from discrimap.linalg.signs import orient
from discrimap.samples.response import TARGET_CONSTRAINTS, validate_response
from discrimap.samples.validation import check_n_components


class SlicedAverageVariance(LinearProjection):
    """Directions along which the mean or the spread of the samples changes with the target.

    SAVE [1]_ standardises the samples, divides them into slices by the target and computes the leading
    eigenvectors of ``sum_h f_h (I - V_h)^2``, where V_h is the covariance within slice h and f_h
    its share of the samples. SIR [2]_, its predecessor, uses ``sum_h f_h m_h m_h'`` instead, where m_h
    is the mean of the slice, and finds only changes of the mean. For classes, each class is a slice.
    Costs O(n p^2 + H p^3) for H slices; with p > n, p is replaced by n.

    If features are constant or linearly dependent, the directions without variance are left out. If
    there are about as many features as samples in a slice, covariances within slices are poorly
    estimated: reduce the features first, with PCA in a pipeline.

    Parameters
    ----------
    n_components : int, default=2
        Number of components.
    method : {"save", "sir"}, default="save"
        "save" compares the covariances of slices, "sir" the means. With "sir" there are at most H - 1
        components.
    target : {"auto", "classes", "continuous"}, default="auto"
        Type of y. "auto" treats numbers with a fractional part as continuous, and everything else as
        classes.
    n_slices : int, default=10
        Number of slices of a continuous target, of equal size. Samples with equal targets are in the
        same slice.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions; the projected training samples are uncorrelated with unit variance.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalue of each direction.
    n_slices_ : int
        The number of slices that was used.
    classes_ : ndarray of shape (n_classes,)
        The class labels, if the target is classes.

    References
    ----------
    .. [1] R. D. Cook and S. Weisberg, "Sliced inverse regression for dimension reduction:
       Comment", Journal of the American Statistical Association 86 (1991), 328-332.
    .. [2] K.-C. Li, "Sliced inverse regression for dimension reduction", Journal of the American
       Statistical Association 86 (1991), 316-327.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from discrimap import SlicedAverageVariance
    >>> X, y = load_wine(return_X_y=True)
    >>> SlicedAverageVariance(n_components=2).fit_transform(X, y).shape
    (178, 2)
    """

    classes_: Array

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "method": [StrOptions({"save", "sir"})],
        **TARGET_CONSTRAINTS,
        "n_slices": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        method: Literal["save", "sir"] = "save",
        target: Literal["auto", "classes", "continuous"] = "auto",
        n_slices: int = 10,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.target = target
        self.n_slices = n_slices

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, or a continuous target.

        Returns
        -------
        self : SlicedAverageVariance
            The fitted estimator.
        """
        X, response = validate_response(self, X, y)
        check_n_components(self.n_components, X.shape[1])
        slices = self._slice(response)

        centred, mean = centre(X)
        reduction = row_space(centred)
        coordinates = reduction.coordinates
        whitener = whiten(pull_back(coordinates, coordinates) / len(X))  # (n_reduced, rank)
        check_n_components(
            self.n_components, whitener.shape[1], "the directions in which samples vary"
        )
        standardised = project(coordinates, whitener)

        if self.method == "save":
            criterion = average_variance(standardised, slices)
        else:
            criterion = inverse_regression(standardised, slices)
        eigenvalues, axes = linalg.eigh(criterion)
        leading = np.arange(len(eigenvalues))[::-1][: self.n_components]
        directions = orient(reduction.lift(whitener @ axes[:, leading]))

        self.n_slices_ = len(slices)
        self.eigenvalues_ = eigenvalues[leading]
        self.mean_ = mean.astype(X.dtype)
        self.components_ = np.ascontiguousarray(directions.T, dtype=X.dtype)
        return self

    def _slice(self, response: Any) -> Any:
        """Return the rows of each slice."""
        if response.labels is not None:
            n_classes = len(self.classes_)
            slices = [np.flatnonzero(response.labels == k) for k in range(n_classes)]
        else:
            if response.values.shape[1] > 1:
                raise ValueError(
                    f"y has {response.values.shape[1]} outputs, but slices need a single one; "
                    "pass one column, or class labels."
                )
            n_samples = len(response.values)
            if self.n_slices > n_samples // 2:
                raise ValueError(
                    f"n_slices={self.n_slices} leaves fewer than 2 of the {n_samples} samples in "
                    f"a slice; pass at most {n_samples // 2}."
                )
            slices = slice_values(response.values[:, 0], self.n_slices)
        if self.method == "sir" and self.n_components > len(slices) - 1:
            raise ValueError(
                f"n_components={self.n_components} exceeds the {len(slices) - 1} directions that "
                f"the means of {len(slices)} slices span; pass at most {len(slices) - 1}, or "
                "method='save'."
            )
        if self.method == "save" and max(map(len, slices)) < 2:
            raise ValueError(
                "every class has one sample, which has no variance; method='save' needs a class "
                "with at least 2 samples; pass method='sir', or more samples."
            )
        return slices


def slice_values(values: Array, n_slices: int) -> Any:
    """Divide values into slices of equal size, with equal values in the same slice."""
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    sizes = [len(part) for part in np.array_split(order, n_slices)]
    # A boundary inside a run of equal values moves to the end of the run.
    cuts = np.searchsorted(ranked, ranked[np.cumsum(sizes)[:-1] - 1], side="right")
    return [part for part in np.split(order, np.unique(cuts)) if len(part)]


def whiten(covariance: Array) -> Any:
    """Return T with ``T' covariance T = I``, without the directions that have no variance."""
    # Scaled, so that the units of features do not affect which directions have no variance.
    scale = np.sqrt(np.diag(covariance))
    scale = np.where(scale > 0, scale, 1.0)
    roots, axes = linalg.eigh(covariance / np.outer(scale, scale))
    kept = roots > 10 * len(roots) * np.finfo(np.float64).eps * roots.max(initial=0.0)
    return axes[:, kept] / np.sqrt(roots[kept]) / scale[:, None]


def average_variance(standardised: Array, slices: Any) -> Any:
    """Return ``sum_h f_h (I - V_h)^2``; slices of one sample, which have no variance, are skipped."""
    n_samples, rank = standardised.shape

    def variance_term(rows: Array) -> Any:
        centred = standardised.take(rows, axis=0)
        centred -= centred.mean(axis=0)
        difference = np.eye(rank) - inner(centred, centred) / (len(rows) - 1)
        return len(rows) / n_samples * (difference @ difference)

    large = [rows for rows in slices if len(rows) >= 2]
    return sum(in_order(variance_term, large, 2 * scatter_nanoseconds(n_samples, rank), rank**2))


def inverse_regression(standardised: Array, slices: Any) -> Any:
    """Return ``sum_h f_h m_h m_h'``."""

    def mean(rows: Array) -> Any:
        return standardised.take(rows, axis=0).mean(axis=0)

    nanoseconds = 4 * PER_NUMBER * standardised.size
    means = np.stack(list(in_order(mean, slices, nanoseconds, standardised.shape[1])))
    parts = np.array([len(rows) for rows in slices]) / len(standardised)
    return (parts[:, None] * means).T @ means
