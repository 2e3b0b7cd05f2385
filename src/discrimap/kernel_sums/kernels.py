"""Radial kernels, and pair terms: a kernel with a weight for each pair of classes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from discrimap._typing import Array

LOG, CAUCHY, GAUSSIAN = 0, 1, 2  # codes of the kernels in the compiled loops


@dataclass(frozen=True)
class LogKernel:
    """``log(1 + r^2)``: the attractive term of stochastic discriminant analysis."""

    code = LOG
    scale = 1.0  # factor of r^2 in the compiled loops; only the Gaussian uses it

    def value(self, squared_distance: Array) -> Array:
        return np.log1p(squared_distance)

    def derivative(self, squared_distance: Array) -> Array:
        """Derivative with respect to the squared distance."""
        return 1 / (1 + squared_distance)


@dataclass(frozen=True)
class CauchyKernel:
    """``1 / (1 + r^2)``: the model similarity of stochastic discriminant analysis and t-SNE."""

    code = CAUCHY
    scale = 1.0

    def value(self, squared_distance: Array) -> Array:
        return 1 / (1 + squared_distance)

    def derivative(self, squared_distance: Array) -> Array:
        """Derivative with respect to the squared distance."""
        return -1 / (1 + squared_distance) ** 2


@dataclass(frozen=True)
class GaussianKernel:
    """``exp(-r^2 / (2 bandwidth^2))``: the kernel of Parzen densities."""

    bandwidth: float
    code = GAUSSIAN

    def __post_init__(self) -> None:
        # A bandwidth whose square underflows or overflows would turn every exponent into NaN.
        if not (math.isfinite(self.bandwidth) and 1e-150 < self.bandwidth < 1e150):
            raise ValueError(
                f"bandwidth={self.bandwidth!r} of a Gaussian kernel must be positive and finite "
                "(between 1e-150 and 1e150); pass a width on the scale of the projected points."
            )

    @property
    def scale(self) -> float:
        return 0.5 / self.bandwidth**2

    def value(self, squared_distance: Array) -> Array:
        return np.exp(-self.scale * squared_distance)

    def derivative(self, squared_distance: Array) -> Array:
        """Derivative with respect to the squared distance."""
        return -self.scale * self.value(squared_distance)


Kernel = LogKernel | CauchyKernel | GaussianKernel


@dataclass(frozen=True, eq=False)
class PairTerm:
    """``sum_ij w_i w_j mixing[c_i, c_j] kernel(|z_i - z_j|^2)`` over all ordered pairs.

    Parameters
    ----------
    kernel : LogKernel, CauchyKernel or GaussianKernel
        The radial kernel.
    mixing : array-like of shape (n_classes, n_classes)
        Symmetric matrix with the weight of each pair of classes: all ones for the sum over all
        pairs, the identity for the sum over pairs of the same class.
    """

    kernel: Kernel
    mixing: Any

    def __post_init__(self) -> None:
        mixing = np.array(self.mixing, dtype=np.float64)
        if mixing.ndim != 2 or mixing.shape[0] != mixing.shape[1]:
            raise ValueError(
                f"mixing has shape {mixing.shape}; a square matrix (n_classes, n_classes) is "
                "needed."
            )
        if not np.isfinite(mixing).all():
            raise ValueError("mixing holds NaN or infinity; every class pair needs a number.")
        if not np.allclose(mixing, mixing.T, rtol=1e-10, atol=0):
            raise ValueError(
                "mixing is not symmetric, but each pair of points is summed in both orders; pass "
                "(mixing + mixing.T) / 2."
            )
        object.__setattr__(self, "mixing", (mixing + mixing.T) / 2)

    def own_and_shared(self) -> Any:
        """Split ``mixing`` into ``diag(own) + shared``, or return None if it has no such form.

        In this form, one sum of spectra is enough for all classes. Otherwise every class needs a
        separate sum.
        """
        n_classes = len(self.mixing)
        off_diagonal = self.mixing[~np.eye(n_classes, dtype=bool)]
        shared = off_diagonal[0] if len(off_diagonal) else 0.0
        if np.any(off_diagonal != shared):
            return None
        return np.diag(self.mixing) - shared, float(shared)
