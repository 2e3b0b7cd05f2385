"""Class posterior of many samples: ridge regression on landmarks, cross-fitted and calibrated."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from discrimap._sklearn import Interval, StrOptions
from discrimap.base.fit_context import fit_context
from discrimap.fisher.calibration import MOST_SAMPLES, calibrate_classes, softmax
from discrimap.fisher.folds import stratified_folds
from discrimap.fisher.landmark_ridge import (
    LandmarkRidge,
    default_n_landmarks,
    fit_landmark_ridge,
)
from discrimap.samples.validation import FLOAT_TYPES, validate_data, validate_labelled

LANDMARK_CONSTRAINTS = {
    "n_landmarks": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
    "n_folds": [Interval(Integral, 3, None, closed="left")],
    "random_state": ["random_state"],
}


class LandmarkPosterior(ClassifierMixin, BaseEstimator):
    """Calibrated class probabilities of many samples, without the influence of their own labels.

    Class indicators are regressed on Gaussians ``exp(-gamma |x - l|^2)`` at landmarks l, a random
    part of the samples, with a ridge penalty. Width and penalty have the least held-out squared
    error. The scores s of held-out folds are turned into probabilities
    ``softmax(temperature * s + offsets)`` of maximum likelihood. If the labels cannot be predicted,
    the temperature is nearly 0 and every sample has the class frequencies.

    The models without one fold and without two come from the same pass over the samples as the
    model of all. They are what :class:`FisherMetric` needs to compare samples without using their
    labels.

    Costs O(n m (p + m) + F^2 m^3) with n samples of p features, m landmarks and F folds, and the
    memory of F m^2 numbers; a prediction costs O(m (p + C)) with C classes.

    Parameters
    ----------
    n_landmarks : int or "auto", default="auto"
        Number of landmarks; "auto" is ``10 sqrt(n)``, at least 1,000 and at most 2,500. There are
        never more than labelled samples.
    n_folds : int, default=5
        Number of folds, at least 3.
    random_state : int, RandomState instance or None, default=None
        Draws folds and landmarks.

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
    FisherMetric : Takes it as ``posterior``.

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

    _parameter_constraints = LANDMARK_CONSTRAINTS

    def __init__(self, *, n_landmarks="auto", n_folds=5, random_state=None):
        self.n_landmarks = n_landmarks
        self.n_folds = n_folds
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
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
        logits = self._training_logits(samples.array)
        self.training_proba_ = softmax(logits[np.arange(len(logits)), self.folds_])
        return self

    def _fit_labels(self, X, labels, classes):
        """Fit to class indices; samples with the label -1 have a fold and are not fitted to."""
        random_state = check_random_state(self.random_state)
        self.classes_ = classes
        self.mean_ = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
        is_labelled = labels >= 0
        centred, known = X[is_labelled] - self.mean_, labels[is_labelled]
        self.folds_ = stratified_folds(labels, self.n_folds, random_state)
        folds = self.folds_[is_labelled]
        self._ridge = fit_landmark_ridge(
            centred,
            np.eye(len(classes))[known],
            folds,
            self.n_folds,
            resolve_n_landmarks(self.n_landmarks, len(known)),
            random_state,
        )
        self._describe_ridge()

        some = random_state.permutation(len(known))[:MOST_SAMPLES]
        scores = np.empty((len(some), len(classes)))
        for fold in range(self.n_folds):
            members = np.flatnonzero(folds[some] == fold)
            scores[members] = self._ridge.predict(centred[some[members]], [fold], [fold])[:, 0]
        self.temperature_, self.offsets_ = calibrate_classes(scores, known[some])

    def _describe_ridge(self):
        self.gamma_, self.alpha_ = self._ridge.gamma, self._ridge.alpha
        self.n_landmarks_ = len(self._ridge.landmarks)

    def predict_proba(self, X):
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
        return softmax(self._all_logits(self._validate(X)))

    def predict(self, X):
        """The most probable class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        logits = self._all_logits(self._validate(X))
        return self.classes_[logits.argmax(axis=1)]

    def _validate(self, X):
        check_is_fitted(self)
        return validate_data(self, X, dtype=FLOAT_TYPES, reset=False)

    def _all_logits(self, X):
        """Logits by the model of all training samples, (n_samples, n_classes)."""
        return self._calibrated(self._ridge.predict_by_all(self._centred(X)))

    def _new_logits(self, X):
        """Logits of new samples by the models without each fold, (n_samples, n_folds, n_classes)."""
        return self._calibrated(self._ridge.predict_without_each(self._centred(X)))

    def _training_logits(self, X):
        """Logits of training samples without their own fold and each other one."""
        return self._calibrated(self._ridge.predict_training(self._centred(X), self.folds_))

    def _centred(self, X):
        return X.astype(self.mean_.dtype, copy=False) - self.mean_

    def _calibrated(self, scores):
        scores *= scores.dtype.type(self.temperature_)
        scores += self.offsets_.astype(scores.dtype)
        return scores

    def _restore(self, classes, mean, folds, ridge: LandmarkRidge, temperature, offsets):
        """Restore what ``fit`` found, for models read from files."""
        self.classes_, self.mean_, self.folds_, self._ridge = classes, mean, folds, ridge
        self.temperature_, self.offsets_ = temperature, offsets
        self._describe_ridge()


def resolve_n_landmarks(n_landmarks, n_samples):
    """Replace "auto" by the default, and limit a number by the number of samples."""
    if isinstance(n_landmarks, str):
        return default_n_landmarks(n_samples)
    return min(n_landmarks, n_samples)
