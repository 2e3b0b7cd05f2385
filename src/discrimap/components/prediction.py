"""Class probabilities at projected samples, from the fitted densities of the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import softmax

from discrimap._typing import Array, MatrixLike
from discrimap.kernel_sums import class_log_sums
from discrimap.samples.new_samples import map_in_memory


class ClassPrediction:
    """Prediction methods of :class:`~discrimap.DiscriminativeComponents`.

    The methods use the fitted attributes ``classes_`` and ``bandwidth_``, and ``embedding_``
    (Parzen estimator) or ``centres_`` and ``weights_`` (mixture).
    """

    estimator: str
    classes_: Any
    bandwidth_: float
    embedding_: Any
    centres_: Any
    weights_: Any
    _centre_labels: Any

    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Log of the probability of each class at the projection of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples. A training sample is included in its own density here.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            Log-probabilities, with columns in the order of ``classes_``.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_proba(self, X: MatrixLike) -> Array:
        """Probability of each class at the projection of each sample, Eq. (2).

        Far from all training samples, the nearest training sample determines the result. The result
        is never NaN.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples. A training sample is included in its own density here.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Probabilities, with columns in the order of ``classes_``.
        """
        Z = map_in_memory(self, X).astype(np.float64, copy=False)
        if self.estimator == "mixture":
            shares = self.weights_.sum(axis=1)
            used = shares > 0  # the weight of an unused kernel may underflow
            squared = cdist(Z, self.centres_[used], "sqeuclidean")
            joint = np.log(shares[used]) - 0.5 * squared / self.bandwidth_**2
            probabilities: Array = softmax(joint, axis=1) @ (
                self.weights_[used] / shares[used, None]
            )
            return probabilities
        log_densities = class_log_sums(
            Z, self.embedding_, self._centre_labels, self.bandwidth_, len(self.classes_)
        )
        probabilities = softmax(log_densities, axis=1)
        return probabilities

    def predict(self, X: MatrixLike) -> Array:
        """Most probable class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        most_probable = self.predict_proba(X).argmax(axis=1)
        labels: Array = self.classes_[most_probable]
        return labels
