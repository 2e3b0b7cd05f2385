"""Objectives of discriminative components and of Renyi components, as functions of W."""

import math
from functools import cached_property, partial, singledispatch

import numpy as np
from scipy.special import softmax

from discrimap.kernel_sums import (
    GaussianKernel,
    PairTerm,
    class_sizes,
    make_engine,
    make_point_engine,
    value_and_pullback,
)
from discrimap.linalg.products import project, pull_back


class ParzenLikelihood:
    """Minus the leave-one-out Parzen log-likelihood of the classes after projection.

    With ``A_i`` the Gaussian sum over the other labelled points of the class of i, and ``B_i`` over
    all other labelled points (Eqs. (1)-(3) of [1]_, own sample left out as in Sec. II-B2),

        f(W) = -1/l  [ beta sum_i log(A_i / B_i)  +  (1 - beta) sum_i log p(z_i) ],

    where the first sum runs over the l labelled points and the second over all points with the
    leave-one-out Parzen density ``p``, unlabelled ones included (Sec. VI). A point without class
    mates has ``A_i = 0`` whatever W: it serves as a centre of ``B``, and has no term of its own.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples.
    labels : ndarray of shape (n_samples,)
        Class indices; -1 where unlabelled.
    bandwidth : float
        Width of the Gaussians.
    n_components : int
        Number of columns of W.
    beta : float
        Weight of the classes; 1 ignores the unlabelled points.
    engine, tol
        As in :func:`~discrimap.kernel_sums.make_point_engine`.

    References
    ----------
    .. [1] J. Peltonen and S. Kaski, "Discriminative components of data", IEEE Transactions on
       Neural Networks 16 (2005), 68-83.
    """

    flat = 1e-10  # nats: classes that are apart for certain cannot get further apart

    def __init__(self, X, labels, bandwidth, n_components, beta=1.0, engine="auto", tol=1e-6):
        self.X, self.beta = X, beta
        self.labelled, self.labels = labelled_part(X, labels)
        self.n_labelled = len(self.labelled)
        self.scale = GaussianKernel(bandwidth).scale
        self.classes = make_point_engine(
            self.labels, bandwidth, n_components, engine=engine, tol=tol
        )
        self.density = None
        if beta < 1:
            one_class = np.zeros(len(X), dtype=np.intp)
            self.density = make_point_engine(
                one_class, bandwidth, n_components, engine=engine, tol=tol
            )
            self.log_norm = math.log(len(X) - 1) + 0.5 * n_components * math.log(
                2 * math.pi * bandwidth**2
            )

    def value_and_grad(self, W):
        evaluation = self.classes.evaluate(project(self.labelled, W))
        scale = self.beta / self.n_labelled
        value = -scale * evaluation.log_ratio
        grad = pull_back(self.labelled, evaluation.log_ratio_gradient(-scale))
        if self.density is not None:
            density_value, density_grad = self._density_value_and_grad(self.density, W)
            value, grad = value + density_value, grad + density_grad
        return value, grad

    @property
    def n_terms(self):
        """Number of samples with a term of their own."""
        return len(self._queries)

    @cached_property
    def _queries(self):
        return np.flatnonzero(np.bincount(self.labels)[self.labels] > 1)

    def sample_grad(self, W, term):
        """Gradient of the term of one labelled sample, Eq. (4): the sample moves, and so do all."""
        if self.beta < 1:
            raise ValueError(
                f"solver='sgd' maximises the likelihood of the classes alone, but beta={self.beta}; "
                "pass beta=1 or solver='lbfgs'."
            )
        i = self._queries[term]
        differences = self.labelled @ W
        differences = differences[i] - differences  # (n, d)
        exponents = -self.scale * np.einsum("nd,nd->n", differences, differences)
        exponents[i] = -np.inf
        all_shares = softmax(exponents)  # Eq. (5)
        exponents[self.labels != self.labels[i]] = -np.inf
        pulls = 2 * self.scale * (softmax(exponents) - all_shares)  # Eq. (6)
        return _outer_sums(self.labelled, i, pulls, differences)

    def log_likelihood(self, W):
        """Mean ``log p(c_i | z_i)`` in nats over the labelled points that have class mates."""
        evaluation = self.classes.evaluate(self.labelled @ W)
        return evaluation.log_ratio / max(evaluation.n_with_mates, 1)

    def _density_value_and_grad(self, density, W):
        evaluation = density.evaluate(project(self.X, W))
        scale = (1 - self.beta) / self.n_labelled
        value = -scale * (evaluation.all.sum() - len(self.X) * self.log_norm)
        cotangent = np.full(len(self.X), -scale)
        return value, pull_back(self.X, evaluation.pullback(np.zeros(len(self.X)), cotangent))


@singledispatch
def labelled_part(X, labels):
    """The samples that have a label, and their labels."""
    is_labelled = labels >= 0
    return X if is_labelled.all() else X[is_labelled], labels[is_labelled]


class RenyiInformation:
    """Minus the quadratic Renyi mutual information of the classes and the projection.

    Eq. (15) of [1]_ is a Gaussian pair sum in which the pair of classes (c, c') weighs
    ``delta_cc' + sum_k p_k^2 - p_c - p_c'``; the density's constant ``(2 pi b^2)^(-d/2)`` does not
    depend on W and is left out here, as it leaves the range of floats in many dimensions.

    Parameters
    ----------
    X, labels, bandwidth, n_components, engine, tol
        As in :class:`ParzenLikelihood`; every sample is labelled.
    """

    flat = 1e-150  # in many dimensions sums are small; but optimisers square their slopes

    def __init__(self, X, labels, bandwidth, n_components, engine="auto", tol=1e-6):
        self.X, self.labels = X, labels
        shares = class_sizes(labels) / len(labels)
        mixing = np.eye(len(shares)) + np.sum(shares**2) - shares[:, None] - shares
        self.mixing, self.scale = mixing, GaussianKernel(bandwidth).scale
        term = PairTerm(GaussianKernel(bandwidth), mixing)
        self.sums = make_engine(labels, [term], n_components, engine=engine, tol=tol)

    def value_and_grad(self, W):
        information = partial(_scaled_total, -1.0 / len(self.X) ** 2)
        return value_and_pullback(self.sums, self.X, W, information)

    @property
    def n_terms(self):
        """Number of samples."""
        return len(self.X)

    def sample_grad(self, W, i):
        """Gradient of the term of one sample, Eq. (9), without the density's constant."""
        differences = self.X @ W
        differences = differences[i] - differences
        kernels = np.exp(-self.scale * np.einsum("nd,nd->n", differences, differences))
        pulls = 2 * self.scale * kernels * self.mixing[self.labels[i], self.labels] / len(self.X)
        return _outer_sums(self.X, i, pulls, differences)


def _scaled_total(scale, totals):
    return scale * totals[0], np.array([scale])


def _outer_sums(X, i, pulls, differences):
    """``sum_m pulls_m (x_i - x_m) differences_m'`` over the samples that pull at all."""
    active = np.flatnonzero(np.abs(pulls) > 1e-12 * np.abs(pulls).max())
    weighted = pulls[active, None] * differences[active]
    return np.outer(X[i], weighted.sum(axis=0)) - X[active].T @ weighted
