"""Validate a target of classes or numbers, and compute its kernel."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from discrimap._sklearn import Interval, StrOptions
from discrimap.linalg.gaussian_factors import gaussian_factor, median_distance
from discrimap.samples.validation import resolve_target, validate_continuous, validate_labelled

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from discrimap._typing import MatrixLike, RandomState

TARGET_CONSTRAINTS = {"target": [StrOptions({"auto", "classes", "continuous"})]}
RESPONSE_CONSTRAINTS = {
    **TARGET_CONSTRAINTS,
    "target_kernel": [StrOptions({"auto", "delta", "linear", "rbf"})],
    "target_sigma": [Interval(Real, 0, np.inf, closed="neither"), None],
}


@dataclass(frozen=True)
class Response:
    """A validated target; one of ``labels`` and ``values`` is None."""

    labels: np.ndarray | None  # (n_samples,) class indices
    values: np.ndarray | None  # (n_samples, n_outputs) continuous targets

    def __getitem__(self, rows):
        return Response(
            None if self.labels is None else self.labels[rows],
            None if self.values is None else self.values[rows],
        )

    @property
    def codes(self):
        """One-hot labels, or the values."""
        if self.labels is None:
            return self.values
        return np.eye(self.labels.max() + 1)[self.labels]


def validate_response(estimator: Any, X: MatrixLike, y: ArrayLike) -> tuple[np.ndarray, Response]:
    """Check X and a target of the type ``estimator.target``.

    Sets ``classes_`` for classes; otherwise removes it if an earlier fit has set it.

    Returns
    -------
    X : ndarray, float64 or float32
    response : Response
    """
    if resolve_target(estimator.target, y) == "classes":
        samples = validate_labelled(estimator, X, y)
        estimator.classes_ = samples.classes
        return samples.array, Response(samples.labels, None)
    X, values = validate_continuous(estimator, X, y)
    n_missing = int(np.isnan(values).any(axis=1).sum())
    if n_missing:
        raise ValueError(
            f"Input y contains NaN in {n_missing} of {len(values)} samples; "
            f"{type(estimator).__name__} needs the target of every sample; leave these samples out."
        )
    if hasattr(estimator, "classes_"):
        del estimator.classes_
    return X, Response(None, values)


def response_factor(
    response: Response,
    kernel: str = "auto",
    sigma: float | None = None,
    random_state: RandomState = None,
) -> np.ndarray:
    """Return a thin factor F of the kernel matrix of the target, ``L = F F'``.

    Parameters
    ----------
    response : Response
        The target.
    kernel : {"auto", "delta", "linear", "rbf"}
        "delta", for classes, is 1 within a class and 0 between classes; "linear" and "rbf" are for
        continuous targets. "auto" is "delta" for classes and "rbf" for continuous targets.
    sigma : float or None
        Width of "rbf"; None is the median distance of the targets.
    random_state : int, RandomState instance or None
        Seed of the samples from which the median is computed if there are many.

    Returns
    -------
    factor : ndarray of shape (n_samples, rank)
    """
    kernel = check_response_kernel(response.labels is not None, kernel, sigma)
    if kernel == "delta":
        return response.codes
    assert response.values is not None
    if kernel == "linear":
        return response.values - response.values.mean(axis=0)
    width = median_distance(response.values, random_state) if sigma is None else sigma
    return gaussian_factor(response.values, width)


def check_response_kernel(is_classes: bool, kernel: str, sigma: float | None) -> str:
    """Resolve "auto", and raise an error if the kernel does not match the type of the target."""
    if kernel == "auto":
        kernel = "delta" if is_classes else "rbf"
    if is_classes != (kernel == "delta"):
        what, fits = ("classes", "'delta'") if is_classes else ("numbers", "'linear' or 'rbf'")
        raise ValueError(
            f"target_kernel={kernel!r} cannot be used with a target of {what}; pass {fits}, or target="
            f"{'continuous' if is_classes else 'classes'!r} to treat y that way."
        )
    if sigma is not None and kernel != "rbf":
        raise ValueError(
            f"target_sigma={sigma!r} is the width of target_kernel='rbf', but the kernel is "
            f"{kernel!r}; pass target_sigma=None."
        )
    return kernel
