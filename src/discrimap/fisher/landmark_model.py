"""Base class of the landmark models for classes and for continuous targets."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from discrimap._sklearn import Interval, StrOptions
from discrimap._typing import Array, RandomState
from discrimap.fisher.calibration import MOST_SAMPLES
from discrimap.fisher.folds import stratified_folds
from discrimap.fisher.landmark_ridge import (
    LandmarkRidge,
    default_n_landmarks,
    fit_landmark_ridge,
    gaussians,
)
from discrimap.samples.validation import FLOAT_TYPES, validate_data


class LandmarkModel(BaseEstimator):
    """Ridge regression on landmarks by folds; a subclass calibrates its predictions.

    Calibrated predictions are what is linear on a segment of feature space: logits of classes, or
    whitened means of numbers. A subclass has ``_calibrated(predictions)`` for them, and
    ``_calibrated_weights(weights)`` for what is linear in it.
    """

    _calibrated: Callable[[Array], Array]
    _calibrated_weights: Callable[[Array], Array]

    _parameter_constraints: dict[str, Any] = {
        "n_landmarks": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "n_folds": [Interval(Integral, 3, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_landmarks: int | Literal["auto"] = "auto",
        n_folds: int = 5,
        random_state: RandomState = None,
    ) -> None:
        self.n_landmarks = n_landmarks
        self.n_folds = n_folds
        self.random_state = random_state

    def _fit_ridge(self, X: Array, strata: Array, targets: Array) -> Any:
        """Fit to the targets of labelled samples, and predict some of them from other folds.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            All samples.
        strata : ndarray of shape (n_samples,)
            Groups that every fold has its share of; -1 marks samples that are not fitted to.
        targets : ndarray of shape (n_labelled, n_targets)
            Targets of the others.

        Returns
        -------
        rows : ndarray of int
            Labelled samples, at most 10,000, for calibration.
        predictions : ndarray of shape (n_rows, n_targets)
            Their predictions by the models without their folds.
        """
        random_state = check_random_state(self.random_state)
        self.folds_ = stratified_folds(strata, self.n_folds, random_state)
        known = np.flatnonzero(strata >= 0)
        folds = self.folds_[known]
        n_landmarks = self.n_landmarks
        if isinstance(n_landmarks, str):
            n_landmarks = default_n_landmarks(len(known))
        self._set_ridge(
            fit_landmark_ridge(
                X,
                known,
                targets,
                folds,
                self.n_folds,
                min(n_landmarks, len(known)),
                random_state,
            )
        )
        rows = random_state.permutation(len(known))[:MOST_SAMPLES]
        predictions = np.empty((len(rows), targets.shape[1]))
        for fold in range(self.n_folds):
            members = np.flatnonzero(folds[rows] == fold)
            predictions[members] = self._ridge.predict(X, [fold], [fold], known[rows[members]])[
                :, 0
            ]
        return rows, predictions

    def _set_ridge(self, ridge: LandmarkRidge) -> None:
        self._ridge, self.mean_ = ridge, ridge.centre
        self.gamma_, self.alpha_ = ridge.gamma, ridge.alpha
        self.n_landmarks_ = len(ridge.landmarks)

    def _validate(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, dtype=FLOAT_TYPES, reset=False)

    def _typed(self, X: Any) -> Any:
        return X.astype(self.mean_.dtype, copy=False)

    def _predictions_without(self, X: Any, *folds: Any) -> Any:
        """Calibrated predictions by the model without these folds, two at most."""
        first, second = (folds or (self._ridge.n_folds,))[0], (folds or (self._ridge.n_folds,))[-1]
        return self._calibrated(self._ridge.predict(self._typed(X), [first], [second])[:, 0])

    def _new_predictions(self, X: Any) -> Any:
        """Calibrated predictions of new samples without each fold, (n, n_folds, n_targets)."""
        return self._calibrated(self._ridge.predict_without_each(self._typed(X)))

    def _training_predictions(self, X: Any) -> Any:
        """Calibrated predictions of training samples without their own and each other fold."""
        return self._calibrated(self._ridge.predict_training(self._typed(X), self.folds_))

    def _predictions_and_slopes(self, X: Any) -> Any:
        """Calibrated predictions (n, n_targets) of the model of all, and their gradients in X."""
        centred, ridge = self._typed(X) - self.mean_, self._ridge
        values = gaussians(centred, ridge.landmarks, ridge.gamma)
        weights = self._calibrated_weights(ridge.weights[-1, -1])
        at_landmarks = np.einsum("nm,mc,mp->ncp", values, weights, ridge.landmarks, optimize=True)
        at_points = (values @ weights)[:, :, None] * centred[:, None, :]
        slopes = 2 * ridge.gamma * (at_landmarks - at_points)
        return self._predictions_without(X), slopes.astype(centred.dtype)
