"""Class posteriors of a fitted classifier, at points and along all segments."""

from typing import Any

import numpy as np


class ClassifierField:
    """Class posteriors p(c | x) from ``predict_proba`` of a classifier.

    Points are represented by their features. Posteriors along segments cost one prediction for
    each pair and node.

    Parameters
    ----------
    classifier : object
        Fitted, with ``predict_proba`` and ``classes_``.
    """

    def __init__(self, classifier):
        self.classifier = classifier
        self.n_classes = len(classifier.classes_)

    def posterior(self, points):
        """Class posteriors at the points, (n_classes, n)."""
        return np.ascontiguousarray(self.classifier.predict_proba(points).T, dtype=points.dtype)

    def along(self, left, right, fraction):
        """Posteriors on every segment, this fraction of the way from left to right."""
        posterior = np.empty((self.n_classes, len(left), len(right)), left.dtype)
        for i, point in enumerate(left):
            posterior[:, i] = self.posterior((1 - fraction) * point + fraction * right)
        return posterior


def check_classifier(classifier: Any, kernel: str, needs_parzen: Any) -> None:
    """Raise an error if a classifier is not fitted or not compatible with other parameters."""
    if not hasattr(classifier, "classes_"):
        raise ValueError(
            f"posterior={classifier!r} is not fitted; fit the classifier first. The metric "
            "uses it without fitting it again."
        )
    if kernel != "euclidean":
        raise ValueError(
            "a classifier as posterior predicts points on segments, which must be feature "
            f"vectors; pass kernel='euclidean' instead of {kernel!r}, or posterior=None."
        )
    if needs_parzen:
        raise ValueError(
            "cross_fit, n_centres and rule='left' need the Parzen posterior and cannot be used "
            "with a fitted classifier; leave them at their defaults or pass posterior=None."
        )


def check_landmarks(model: Any, kernel: str, needs_parzen: Any) -> None:
    """Raise an error if a landmark model is not compatible with other parameters."""
    name = type(model).__name__
    if kernel != "euclidean":
        raise ValueError(
            f"{name} has landmarks among feature vectors; pass kernel='euclidean' instead of "
            f"{kernel!r}, or posterior=None."
        )
    if needs_parzen:
        raise ValueError(
            f"n_centres and rule='left' need the Parzen posterior and cannot be used with "
            f"{name}; leave them at their defaults or pass posterior=None."
        )
