"""Gaussian posterior of a continuous target: ridge regression on landmarks, cross-fitted."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.base import RegressorMixin

from discrimap._typing import Array, MatrixLike
from discrimap.base.fit_context import fit_context
from discrimap.fisher.calibration import calibrate_numbers
from discrimap.fisher.landmark_model import LandmarkModel
from discrimap.samples.validation import validate_continuous

_N_STRATA = 10
# Least error, as a fraction of the variance of the target; a perfect fit has lengths without bound.
_LEAST_ERROR = 1e-4


class LandmarkRegression(RegressorMixin, LandmarkModel):
    """Gaussian posterior of a continuous target, without the influence of a sample's own value.

    The target is regressed on Gaussians at landmarks as in :class:`LandmarkPosterior`. Its
    posterior at x is a Gaussian around ``mean + slope * (prediction - mean)`` with the covariance
    of the errors in held-out folds. A target that cannot be predicted has the slope 0.

    The Fisher information of a Gaussian whose mean moves is ``d mean' covariance^-1 d mean``, so
    that a Fisher length is the distance that the mean moves, in units of the error.

    Costs O(n m (p + m) + F^2 m^3) with n samples of p features, m landmarks and F folds, and the
    memory of F m^2 numbers.

    Parameters
    ----------
    n_landmarks : int or "auto", default="auto"
        Number of landmarks; "auto" is ``10 sqrt(n)``, at least 1,000 and at most 2,500. It is limited
        to the number of labelled samples.
    n_folds : int, default=5
        Number of folds, at least 3.
    random_state : int, RandomState instance or None, default=None
        Determines the folds and the landmarks.

    Attributes
    ----------
    target_mean_ : ndarray of shape (n_targets,)
        Mean of the target.
    slope_ : float
        Slope of held-out targets on their predictions, 0 to 1.
    error_covariance_ : ndarray of shape (n_targets, n_targets)
        Covariance of the errors of held-out folds.
    folds_ : ndarray of shape (n_samples,)
        Fold of each training sample.
    gamma_ : float
        Precision of the Gaussians.
    alpha_ : float
        Penalty, as a fraction of the mean of the diagonal of the Gram matrix.
    n_landmarks_ : int
        Number of landmarks used.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    FisherMetric : Metric with this model as ``posterior``.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from discrimap import LandmarkRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> bool(LandmarkRegression(random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.3)
    True
    """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Fit the models of all folds and measure their errors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; float32 is processed in float32.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Numbers.

        Returns
        -------
        self : LandmarkRegression
            The fitted estimator.
        """
        X, targets = validate_continuous(self, X, y)
        if np.isnan(targets).any():
            raise ValueError("Input y contains NaN; leave samples without a target out.")
        self._is_flat = np.asarray(y).ndim == 1
        self._fit_values(X, targets)
        return self

    def _fit_values(self, X: Any, targets: Array) -> None:
        """Fit to numbers; samples with NaN have a fold and are not fitted to."""
        is_known = ~np.isnan(targets[:, 0])
        known = targets[is_known]
        self.target_mean_ = known.mean(axis=0)
        strata = np.full(len(targets), -1)
        # Every fold has its share of small and of large values.
        ranks = np.argsort(np.argsort(known[:, 0], kind="stable"), kind="stable")
        strata[is_known] = ranks * _N_STRATA // len(known)
        # In units of the spread, because penalties and limits are relative.
        self._spread = np.maximum(known.std(axis=0), np.finfo(np.float64).tiny)
        scaled = (known - self.target_mean_) / self._spread
        rows, predictions = self._fit_ridge(X, strata, scaled)
        self.slope_, covariance = calibrate_numbers(predictions, scaled[rows])
        covariance += _LEAST_ERROR * np.eye(len(covariance))
        self._root = linalg.cholesky(covariance, lower=True)
        self.error_covariance_ = covariance * np.outer(self._spread, self._spread)

    def predict(self, X: MatrixLike) -> Array:
        """Mean of the posterior, by the model of all training samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        means : ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        whitened = self._predictions_without(self._validate(X))
        means: Array = (
            whitened @ self._root.T.astype(whitened.dtype) * self._spread + self.target_mean_
        )
        if self._is_flat:
            means = means[:, 0]
        return means

    def _calibrated(self, predictions: Array) -> Any:
        """Deviations from the mean, in units of the error."""
        return self._calibrated_weights(predictions)

    def _calibrated_weights(self, weights: Array) -> Any:
        to_units = linalg.solve_triangular(self._root, np.eye(len(self._root)), lower=True).T
        return weights @ (self.slope_ * to_units).astype(weights.dtype)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
