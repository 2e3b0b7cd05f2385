"""Partial least squares on one-hot labels."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.base import ClassifierMixin
from sklearn.cross_decomposition import PLSRegression
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from discrimap._sklearn import Interval
from discrimap._typing import Array, MatrixLike
from discrimap.base.fit_context import fit_context
from discrimap.base.linear_projection import LinearProjection
from discrimap.samples.validation import (
    FLOAT_TYPES,
    check_n_components,
    validate_data,
    validate_labelled,
)

# Scores of a component that are smaller than this, relative to the largest, are rounding errors.
EMPTY = 1e-12


class PLSDA(ClassifierMixin, LinearProjection):
    """Partial least squares discriminant analysis: directions of largest covariance with the classes.

    Fits scikit-learn's :class:`~sklearn.cross_decomposition.PLSRegression` to one-hot labels, without
    scaling the variables [1]_. The regression is also a classifier: ``predict`` returns the class
    with the largest output. Costs O(n p C) per component and inner iteration; with more than 50,000
    samples, and more than 50 for each feature and class, O(n p^2) once, for the moments.

    ``vip_`` is the importance of each feature, the VIP of [2]_. With the unit weights w_a of
    component a, and the sum of squares s_a of the one-hot labels that it explains,

        vip_j = sqrt( p  sum_a s_a w_ja^2 / sum_a s_a ).

    The mean of the squares is 1, so features above 1 are more important than average.

    Parameters
    ----------
    n_components : int, default=2
        Number of components, at most ``min(n_samples, n_features)``.
    max_iter : int, default=500
        Maximum number of inner power iterations of one component.
    tol : float, default=1e-6
        Squared change of the weights at which an inner iteration stops.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The x-rotations.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_ : ndarray of shape (n_classes, n_features)
        Coefficients of the regression on one-hot labels.
    intercept_ : ndarray of shape (n_classes,)
        Intercept of the regression: the shares of the classes in the training samples.
    vip_ : ndarray of shape (n_features,)
        Importance of each feature (variable importance in the projection).
    n_iter_ : int
        Largest number of inner iterations of any component.

    References
    ----------
    .. [1] M. Barker and W. Rayens, "Partial least squares for discrimination", Journal of
       Chemometrics 17 (2003), 166-173.
    .. [2] I.-G. Chong and C.-H. Jun, "Performance of some variable selection methods when
       multicollinearity is present", Chemometrics and Intelligent Laboratory Systems 78 (2005),
       103-112.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from discrimap import PLSDA
    >>> X, y = load_wine(return_X_y=True)
    >>> pls = PLSDA(n_components=2).fit(scale(X), y)
    >>> pls.transform(scale(X)).shape
    (178, 2)
    >>> pls.score(scale(X), y) > 0.95
    True
    """

    _accepts_dask = True
    _pools_scatter = True

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, n_components: int = 2, *, max_iter: int = 500, tol: float = 1e-6) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Find the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : PLSDA
            The fitted estimator.
        """
        samples = validate_labelled(self, X, y)
        self.classes_, dtype = samples.classes, samples.dtype
        check_n_components(self.n_components, samples.shape[1])
        check_n_components(self.n_components, samples.shape[0], "n_samples")
        X, onehot, mean, shares = samples.centred_with_codes()

        self._refuse_equal_classes(X, onehot, len(samples))
        pls = PLSRegression(
            self.n_components, scale=False, max_iter=self.max_iter, tol=self.tol, copy=True
        )
        with np.errstate(all="ignore"), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                pls.fit(X, onehot)
            except ValueError as error:  # a component that is only rounding errors became NaN
                raise ValueError(
                    f"n_components={self.n_components} exceeds the number of directions of X that have "
                    "covariance with the classes; pass fewer."
                ) from error
        self._refuse_empty_components(pls.x_scores_)
        if any(issubclass(warning.category, ConvergenceWarning) for warning in caught) and (
            self._has_unfinished_component(pls, X, onehot)
        ):
            warnings.warn(
                f"PLSDA did not converge: a component reached max_iter={self.max_iter} inner "
                f"iterations before tol={self.tol:g}. Increase either.",
                ConvergenceWarning,
                stacklevel=2,
            )

        self.mean_ = mean.astype(dtype, copy=False)
        self.components_ = np.ascontiguousarray(pls.x_rotations_.T, dtype=dtype)
        self.n_iter_ = max(pls.n_iter_)
        self.coef_ = pls.coef_.astype(dtype, copy=False)
        self.intercept_ = shares.astype(dtype, copy=False)
        self.vip_ = importance(pls.x_weights_, pls.x_scores_, pls.y_loadings_).astype(dtype)
        return self

    def _refuse_equal_classes(self, X: Any, onehot: Array, n_samples: int) -> None:
        covariances = X.T @ (onehot - onehot.mean(axis=0))
        # X may be a few rows that represent many samples; their rounding errors are those of sums over
        # all samples.
        rounding = n_samples * np.finfo(np.float64).eps
        if linalg.norm(covariances) <= rounding * linalg.norm(X) * linalg.norm(onehot):
            raise ValueError(
                "all classes have the same mean, so that no direction of X has covariance with the "
                "classes; pass features whose means differ between classes."
            )

    def _refuse_empty_components(self, scores: Array) -> None:
        """Raise an error if there are more components than directions that explain the classes."""
        sizes = linalg.norm(scores, axis=0, check_finite=False)
        n_found = int(np.sum(sizes > EMPTY * np.nanmax(sizes)))
        if n_found < self.n_components:
            raise ValueError(
                f"n_components={self.n_components} exceeds the {n_found} directions of X that have "
                f"covariance with the classes; pass at most {n_found}."
            )

    def _has_unfinished_component(self, pls: Any, X: Any, onehot: Array) -> bool:
        """Return whether a component reached max_iter although its covariance exceeds rounding errors.

        If earlier components explain the class means, the remaining covariance consists of rounding
        errors, and iterations do not converge.
        """
        covariances = linalg.norm(pls.y_loadings_, axis=0) * linalg.norm(pls.x_scores_, axis=0) ** 2
        rounding = 1e3 * len(X) * np.finfo(np.float64).eps * linalg.norm(X) * linalg.norm(onehot)
        return bool(np.any((np.array(pls.n_iter_) >= self.max_iter) & (covariances > rounding)))

    def decision_function(self, X: MatrixLike) -> Array:
        """Compute the outputs of the regression on one-hot labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            Estimates of the one-hot labels, which sum to 1; for two classes, the second minus the first.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOAT_TYPES, reset=False)
        scores: Array = X @ self.coef_.T + (self.intercept_ - self.mean_ @ self.coef_.T)
        if len(self.classes_) <= 2:
            scores = scores[:, 1] - scores[:, 0]
        return scores

    def predict(self, X: MatrixLike) -> Array:
        """Predict the class with the largest output of the regression.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        scores = self.decision_function(X)
        indices = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: Array = self.classes_[indices]
        return labels


def importance(weights: Array, scores: Array, loadings: Array) -> Any:
    """Compute the variable importance in the projection (VIP) of a PLS regression.

    Parameters
    ----------
    weights : ndarray of shape (n_features, n_components)
        Unit weights of each component.
    scores : ndarray of shape (n_samples, n_components)
        Scores of the samples.
    loadings : ndarray of shape (n_targets, n_components)
        Loadings of the targets.

    Returns
    -------
    vip : ndarray of shape (n_features,)
        Zero if no component explains any variance.
    """
    explained = np.sum(scores**2, axis=0) * np.sum(loadings**2, axis=0)
    total = explained.sum()
    if total == 0:
        return np.zeros(len(weights))
    return np.sqrt(len(weights) * (weights**2 @ explained) / total)
