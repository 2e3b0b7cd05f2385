"""The objective of stochastic discriminant analysis."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from discrimap.kernel_sums import CauchyKernel, LogKernel, PairTerm


class StochasticDiscriminantObjective:
    """Divergence of the pair probabilities in the map from those of the classes, Eq. (18) of [1]_.

    With ``Z = X W`` and sums over all ordered pairs of samples, each sample with itself included::

        J(W) = sum p log(p / q) + alpha |W|^2,    p = pbar / sum pbar,    q = qbar / sum qbar
        qbar_ij = 1 / (1 + |z_i - z_j|^2),        pbar_ij = targets[class_i, class_j]

    Because p depends on the two classes only, no n x n array is needed::

        J(W) = sum p log p  +  sum p log(1 + |z_i - z_j|^2)  +  log sum qbar  +  alpha |W|^2

    so that one evaluation is two class-wise kernel sums and two products with X, O(n p d) besides
    the sums. Sample weights multiply every sum over samples. The gradient is
    ``X' dJ/dZ + 2 alpha W`` with ``dJ/dz_i = 4 sum_j (p_ij - q_ij) qbar_ij (z_i - z_j)``; Eqs.
    (22), (24) and (25) of the paper misprint its factors and signs.

    Parameters
    ----------
    samples : Samples
        X and the classes of its rows, all of them labelled. A weight of 2 is a repeated sample.
        Only differences between samples matter, so they need not be centred; products are taken in
        the type of X.
    targets : ndarray of shape (n_classes, n_classes)
        pbar for each pair of classes, see :func:`pair_targets`.
    n_components : int
        Columns of W.
    alpha : float
        Weight of the penalty.
    engine, engine_tol
        Method of computing the sums, see :func:`~discrimap.kernel_sums.make_engine`.

    References
    ----------
    .. [1] M. Juuti, F. Corona and J. Karhunen, "Stochastic discriminant analysis for linear
       supervised dimension reduction", Neurocomputing 291 (2018), 136-150.
    """

    def __init__(
        self,
        samples,
        targets,
        *,
        n_components,
        alpha=0.0,
        engine="auto",
        engine_tol=1e-6,
    ):
        self.alpha = alpha
        sizes = samples.class_sizes()
        probabilities = self.pair_probabilities(targets, sizes)
        self.negative_entropy = sizes @ (probabilities * np.log(probabilities)) @ sizes
        terms = [
            PairTerm(LogKernel(), probabilities),
            PairTerm(CauchyKernel(), np.ones_like(probabilities)),
        ]
        self.sums = samples.pair_sums(terms, n_components, engine=engine, tol=engine_tol)

    @staticmethod
    def pair_probabilities(targets, sizes):
        """Target probability p of a pair of samples of unit weight, for each pair of classes."""
        return targets / (sizes @ targets @ sizes)

    def value_and_grad(self, W):
        divergence = partial(divergence_of_totals, self.negative_entropy)
        value, grad = self.sums.value_and_pullback(W, divergence)
        return value + self.alpha * np.vdot(W, W), grad + 2 * self.alpha * W

    def values_and_grads(self, Ws):
        """The same for several W (n_maps, n_features, n_components) and samples in memory."""
        divergence = partial(divergence_of_totals, self.negative_entropy)
        values, grads = self.sums.values_and_pullbacks(Ws, divergence)
        return penalised(values, grads, Ws, self.alpha)


def penalised(values, grads, Ws, alpha):
    """Values and gradients at several W with the penalty."""
    return values + alpha * np.einsum("mij,mij->m", Ws, Ws), grads + 2 * alpha * Ws


def divergence_of_totals(negative_entropy, totals):
    """``sum p log(p / q)``, and its derivatives in ``sum p log(1 + r^2)`` and ``sum qbar``."""
    attraction, normaliser = totals
    slopes = np.array([np.ones_like(normaliser), 1.0 / normaliser])
    return negative_entropy + attraction + np.log(normaliser), slopes


def pair_targets(n_classes: int, epsilon: float, label_noise: ArrayLike = 0.0) -> np.ndarray:
    """Unnormalised target probability of a pair of samples, for each pair of their labels.

    Eq. (15): 1 for equal classes and ``epsilon`` for different ones. Where labels may be wrong
    (Sec. 3.4), "equal" becomes the probability that two samples with these labels truly share a
    class: with ``true[a, b]`` the probability that a sample labelled a belongs to class b,
    ``same = true @ true.T`` and ``pbar = same + epsilon (1 - same)``.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    epsilon : float
        In (0, 1].
    label_noise : float or array of shape (n_classes, n_classes)
        The rate of wrong labels, all other classes equally likely; or the matrix ``true``, whose
        rows sum to one.

    Returns
    -------
    targets : ndarray of shape (n_classes, n_classes)
    """
    true = np.asarray(label_noise, dtype=np.float64)
    if true.ndim == 0:
        true = _uniform_noise(n_classes, float(true))
    else:
        _check_noise_matrix(true, n_classes)
    same = true @ true.T
    return same + epsilon * (1 - same)


def _uniform_noise(n_classes, rate):
    if not 0 <= rate < 1:
        raise ValueError(f"label_noise={rate} must be a rate in [0, 1), or a matrix.")
    others = rate / (n_classes - 1)
    return np.full((n_classes, n_classes), others) + (1 - rate - others) * np.eye(n_classes)


def _check_noise_matrix(true, n_classes):
    if true.shape != (n_classes, n_classes):
        raise ValueError(
            f"label_noise has shape {true.shape}, but y holds {n_classes} classes; pass a matrix "
            f"of shape ({n_classes}, {n_classes}): row a, column b the probability that a sample "
            "labelled a belongs to class b."
        )
    sums = true.sum(axis=1)
    if not (np.isfinite(true).all() and (true >= 0).all() and np.allclose(sums, 1, atol=1e-6)):
        raise ValueError(
            "label_noise must hold probabilities whose rows sum to one; the smallest entry is "
            f"{true.min():g} and the rows sum to {sums.min():g} up to {sums.max():g}."
        )
