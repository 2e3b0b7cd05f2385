"""The objective of stochastic discriminant analysis with probabilities normalised by sample."""

from functools import partial

import numpy as np

from discrimap.kernel_sums import LogKernel, PairTerm
from discrimap.sda.objective import penalised

# Relative difference of the sums of rows of targets that is rounding error.
ROUNDING = 1e-12


class RowDiscriminantObjective:
    """Mean divergence of the neighbour probabilities in the map from those of the classes.

    As :class:`~discrimap.sda.objective.StochasticDiscriminantObjective`, but the probabilities of the
    pairs of each sample sum to one, as in stochastic neighbour embedding. With ``Z = X W``, weights
    w and sums over all samples, that of the row included::

        J(W) = sum_i w_i / sum w  sum_j p_j|i log(p_j|i / q_j|i)  +  alpha |W|^2
        q_j|i = w_j qbar_ij / sum_k w_k qbar_ik,       qbar_ij = 1 / (1 + |z_i - z_j|^2)
        p_j|i = w_j pbar_ij / sum_k w_k pbar_ik,       pbar_ij = targets[class_i, class_j]

    The sums of the targets depend on the class of i only. So the first part of::

        J(W) = sum_ij w_i w_j P[class_i, class_j] log(1 + |z_i - z_j|^2)
               + sum_i w_i / sum w  log sum_j w_j qbar_ij  +  alpha |W|^2  +  constant

    is a class-wise kernel sum as in the other objective, and the second part needs one Cauchy sum at
    every sample.

    Parameters
    ----------
    samples : ArraySamples
        X and the classes of its rows, all of them labelled. A weight of 2 is a repeated sample.
    targets, n_components, alpha, engine, engine_tol
        As in the other objective.
    """

    def __init__(
        self, samples, targets, *, n_components, alpha=0.0, engine="auto", engine_tol=1e-6
    ):
        self.alpha = alpha
        sizes = samples.class_sizes()
        self.total_weight = sizes.sum()
        conditional = targets / _row_sums(targets, sizes)[:, None]  # p_j|i / w_j
        entropies = (conditional * np.log(conditional)) @ sizes
        self.negative_entropy = sizes @ entropies / self.total_weight
        attraction = PairTerm(LogKernel(), self.pair_probabilities(targets, sizes))
        self.sums = samples.row_sums(attraction, n_components, engine=engine, tol=engine_tol)

    @staticmethod
    def pair_probabilities(targets, sizes):
        """Target probability P of a pair of samples of unit weight, for each pair of classes."""
        conditional = targets / _row_sums(targets, sizes)[:, None]
        return (conditional + conditional.T) / (2 * sizes.sum())

    def value_and_grad(self, W):
        divergence = partial(divergence_of_rows, self.negative_entropy, self.total_weight)
        value, grad = self.sums.value_and_pullback(W, divergence)
        return value + self.alpha * np.vdot(W, W), grad + 2 * self.alpha * W

    def values_and_grads(self, Ws):
        """The same for several W (n_maps, n_features, n_components)."""
        divergence = partial(divergence_of_rows, self.negative_entropy, self.total_weight)
        values, grads = self.sums.values_and_pullbacks(Ws, divergence)
        return penalised(values, grads, Ws, self.alpha)


def divergence_of_rows(negative_entropy, total_weight, totals):
    """The divergence, and its derivatives in the attraction and in the sum of the logarithms."""
    attraction, logs = totals
    slopes = np.array([np.ones_like(logs), np.full_like(logs, 1 / total_weight)])
    return negative_entropy + attraction + logs / total_weight, slopes


def _row_sums(targets, sizes):
    """Sum of the targets over the samples, for a sample of each class."""
    sums = targets @ sizes
    # With classes of equal size all off-diagonal probabilities are equal, which engines make use of.
    return np.full_like(sums, sums.mean()) if np.ptp(sums) <= ROUNDING * sums.max() else sums
