"""The Parzen likelihood of the classes after projection, as a function of the projection."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import softmax

from discrimap.components.subspaces import outer_sums
from discrimap.kernel_sums import GaussianKernel
from discrimap.samples.in_memory import ArraySamples

if TYPE_CHECKING:
    from discrimap._typing import Engine
    from discrimap.samples.interface import Samples


class ParzenLikelihood:
    """Minus the leave-one-out Parzen log-likelihood of the classes after projection.

    Let ``A_i`` be the Gaussian sum over the other labelled points of the class of point i, and
    ``B_i`` the Gaussian sum over all other labelled points (Eqs. (1)-(3) of [1]_, without the point
    itself as in Sec. II-B2). The objective is

        f(W) = -1/l  [ beta sum_i log(A_i / B_i)  +  (1 - beta) sum_i log p(z_i) ],

    where the first sum is over the l labelled points and the second sum is over all points,
    including unlabelled points. ``p`` is the leave-one-out Parzen density (Sec. VI). The only point
    of a class has ``A_i = 0`` for every W: it is a centre in ``B``, but has no term in the first
    sum.

    Parameters
    ----------
    samples : Samples
        Data matrix X and the class of each row.
    bandwidth : float
        Width of the Gaussians.
    n_components : int
        Number of columns of W.
    beta : float
        Weight of the likelihood of the classes; with 1, unlabelled points are ignored.
    engine, tol
        As in :meth:`~discrimap.samples.interface.Samples.log_sums`.

    References
    ----------
    .. [1] J. Peltonen and S. Kaski, "Discriminative components of data", IEEE Transactions on
       Neural Networks 16 (2005), 68-83.
    """

    flat = 1e-10  # nats; the slope is smaller if the classes are already separated with certainty

    def __init__(
        self,
        samples: Samples,
        bandwidth: float,
        n_components: int,
        beta: float = 1.0,
        engine: Engine = "auto",
        tol: float = 1e-6,
    ) -> None:
        self.beta = beta
        self.labelled = samples.labelled()
        self.n_labelled = len(self.labelled)
        self.scale = GaussianKernel(bandwidth).scale
        self.classes = self.labelled.log_sums(bandwidth, n_components, engine=engine, tol=tol)
        self.density = None
        if beta < 1:
            self.n_samples = len(samples)
            everyone = ArraySamples(samples.array, np.zeros(self.n_samples, dtype=np.intp))
            self.density = everyone.log_sums(bandwidth, n_components, engine=engine, tol=tol)
            self.log_norm = math.log(self.n_samples - 1) + 0.5 * n_components * math.log(
                2 * math.pi * bandwidth**2
            )

    def value_and_grad(self, W: np.ndarray) -> tuple[float, np.ndarray]:
        evaluation = self.classes.evaluate(W)
        scale = self.beta / self.n_labelled
        value = -scale * evaluation.log_ratio
        grad = evaluation.log_ratio_pullback(-scale)
        if self.density is not None:
            density_value, density_grad = self._density_value_and_grad(self.density, W)
            value, grad = value + density_value, grad + density_grad
        return value, grad

    @property
    def n_terms(self) -> int:
        """Number of samples that have a term in the likelihood of the classes."""
        return len(self._queries)

    @cached_property
    def _queries(self):
        return np.flatnonzero(self.labelled.class_counts()[self.labelled.labels] > 1)

    def sample_grad(self, W: np.ndarray, term: int) -> np.ndarray:
        """Gradient with respect to W of the term of one labelled sample, Eq. (4)."""
        if self.beta < 1:
            raise ValueError(
                f"solver='sgd' maximises the likelihood of the classes alone, but beta={self.beta}; "
                "pass beta=1 or solver='lbfgs'."
            )
        i, X, labels = self._queries[term], self.labelled.array, self.labelled.labels
        differences = X @ W
        differences = differences[i] - differences  # (n, d)
        exponents = -self.scale * np.einsum("nd,nd->n", differences, differences)
        exponents[i] = -np.inf
        all_shares = softmax(exponents)  # Eq. (5)
        exponents[labels != labels[i]] = -np.inf
        pulls = 2 * self.scale * (softmax(exponents) - all_shares)  # Eq. (6)
        return outer_sums(X, i, pulls, differences)

    def log_likelihood(self, W: np.ndarray) -> float:
        """Mean ``log p(c_i | z_i)`` in nats over labelled points whose class has other points."""
        evaluation = self.classes.evaluate(W)
        return evaluation.log_ratio / max(evaluation.n_with_mates, 1)

    def _density_value_and_grad(self, density, W):
        evaluation = density.evaluate(W)
        scale = (1 - self.beta) / self.n_labelled
        value = -scale * (evaluation.log_all.sum() - self.n_samples * self.log_norm)
        slopes = np.full(self.n_samples, -scale)
        return value, evaluation.pullback(np.zeros(self.n_samples), slopes)
