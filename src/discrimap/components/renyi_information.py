"""Quadratic Renyi information between the classes and the projection."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discrimap.components.subspaces import outer_sums
from discrimap.kernel_sums import GaussianKernel, PairTerm

if TYPE_CHECKING:
    from discrimap._typing import Engine
    from discrimap.samples.interface import Samples


class RenyiInformation:
    """Minus the quadratic Renyi mutual information of the classes and the projection.

    Eq. (15) of Peltonen and Kaski (2005) is a Gaussian pair sum in which the pair of classes (c,
    c') has the weight ``delta_cc' + sum_k p_k^2 - p_c - p_c'``. The constant ``(2 pi b^2)^(-d/2)``
    of the Gaussian density does not depend on W and is omitted, because it is outside the range of
    floats in high dimensions.

    Parameters
    ----------
    samples, bandwidth, n_components, engine, tol
        As in :class:`~discrimap.components.parzen.ParzenLikelihood`; every sample has a label.
    """

    flat = 1e-150  # sums are small in high dimensions; not zero, as optimisers square the slopes

    def __init__(
        self,
        samples: Samples,
        bandwidth: float,
        n_components: int,
        engine: Engine = "auto",
        tol: float = 1e-6,
    ) -> None:
        self.samples = samples
        shares = samples.class_sizes() / len(samples)
        mixing = np.eye(len(shares)) + np.sum(shares**2) - shares[:, None] - shares
        self.mixing, self.scale = mixing, GaussianKernel(bandwidth).scale
        term = PairTerm(GaussianKernel(bandwidth), mixing)
        self.sums = samples.pair_sums([term], n_components, engine=engine, tol=tol)

    def value_and_grad(self, W: np.ndarray) -> tuple[float, np.ndarray]:
        information = partial(_scaled_total, -1.0 / len(self.samples) ** 2)
        return self.sums.value_and_pullback(W, information)

    @property
    def n_terms(self) -> int:
        """Number of samples."""
        return len(self.samples)

    def sample_grad(self, W: np.ndarray, i: int) -> np.ndarray:
        """Gradient of the term of one sample, Eq. (9), without the constant of the density."""
        X, labels = self.samples.array, self.samples.labels
        differences = X @ W
        differences = differences[i] - differences
        kernels = np.exp(-self.scale * np.einsum("nd,nd->n", differences, differences))
        pulls = 2 * self.scale * kernels * self.mixing[labels[i], labels] / len(X)
        return outer_sums(X, i, pulls, differences)


def _scaled_total(scale, totals):
    return scale * totals[0], np.array([scale])
