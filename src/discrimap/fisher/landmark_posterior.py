"""Class posterior of many samples: ridge regression on landmarks, cross-fitted and calibrated."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin

from discrimap._typing import Array, MatrixLike
from discrimap.base.fit_context import fit_context
from discrimap.fisher.calibration import calibrate_classes, softmax
from discrimap.fisher.landmark_model import LandmarkModel
from discrimap.samples.validation import validate_labelled


class LandmarkPosterior(ClassifierMixin, LandmarkModel):
    """Calibrated class probabilities of many samples, without the influence of their own labels.

    Class indicators are regressed on Gaussians ``exp(-gamma |x - l|^2)`` at landmarks l, a random
    part of the samples, with a ridge penalty. Width and penalty are those with the smallest squared
    error in held-out folds. The scores s of held-out folds are converted to probabilities
    ``softmax(temperature * s + offsets)`` by maximum likelihood. If the labels cannot be predicted,
    the temperature is nearly 0 and every sample has the class frequencies.

    The models without one fold and without two come from the same pass over the samples as the
    model of all. They are what :class:`FisherMetric` needs to compare samples without using their
    labels.

    Costs O(n m (p + m) + F^2 m^3) with n samples of p features, m landmarks and F folds, and the
    memory of F m^2 numbers; a prediction costs O(m (p + C)) with C classes.

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
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    training_proba_ : ndarray of shape (n_samples, n_classes)
        Probabilities of the training samples by the models without their folds.
    folds_ : ndarray of shape (n_samples,)
        Fold of each training sample.
    gamma_ : float
        Precision of the Gaussians.
    alpha_ : float
        Penalty, as a fraction of the mean of the diagonal of the Gram matrix.
    temperature_ : float
        Factor of the scores.
    offsets_ : ndarray of shape (n_classes,)
        Offset of the logits.
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
    >>> from sklearn.datasets import load_iris
    >>> from discrimap import LandmarkPosterior
    >>> X, y = load_iris(return_X_y=True)
    >>> posterior = LandmarkPosterior(random_state=0).fit(X, y)
    >>> posterior.predict_proba(X[:3]).shape
    (3, 3)
    >>> bool((posterior.training_proba_.argmax(axis=1) == y).mean() > 0.9)
    True
    """

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Fit the models of all folds and calibrate them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples; float32 is processed in float32.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : LandmarkPosterior
            The fitted estimator.
        """
        samples = validate_labelled(self, X, y)
        self._fit_labels(samples.array, samples.labels, samples.classes)
        logits = self._training_predictions(samples.array)
        self.training_proba_ = softmax(logits[np.arange(len(logits)), self.folds_])
        return self

    def _fit_labels(self, X: Any, labels: Array, classes: Any) -> None:
        """Fit to class indices; samples with the label -1 have a fold and are not fitted to."""
        self.classes_ = classes
        known = labels[labels >= 0]
        rows, scores = self._fit_ridge(X, labels, np.eye(len(classes))[known])
        self.temperature_, self.offsets_ = calibrate_classes(scores, known[rows])

    def predict_proba(self, X: MatrixLike) -> Array:
        """Class probabilities by the model of all training samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return softmax(self._predictions_without(self._validate(X)))

    def predict(self, X: MatrixLike) -> Array:
        """The most probable class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        logits = self._predictions_without(self._validate(X))
        labels: Array = self.classes_[logits.argmax(axis=1)]
        return labels

    def _calibrated(self, scores: Array) -> Any:
        scores *= scores.dtype.type(self.temperature_)
        scores += self.offsets_.astype(scores.dtype)
        return scores

    def _calibrated_weights(self, weights: Array) -> Any:
        return self.temperature_ * weights
