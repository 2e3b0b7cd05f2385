"""Conditional likelihood of the classes under class-shared Gaussians in the projection."""

import math

import numpy as np
from scipy.special import logsumexp

from discrimap.objectives.subspace import polar, tangent

ROWS = 4096  # samples handled together: memory is ROWS x n_kernels, not n x n_kernels


class MixtureLikelihood:
    """Minus the log-likelihood of the classes under Eqs. (2)-(3) of [1]_, all parameters free.

    ``p(c | z) = sum_m psi_mc g_m(z) / sum_m psi_m g_m(z)`` with M spherical Gaussians of one width
    around the projections of ``r_m``, points of the data space. W, the centres, the weights psi
    (which sum to one) and the width are learned together; ``beta`` and unlabelled points are those
    of :class:`~discrimap.objectives.components.ParzenLikelihood`, with the mixture itself as the
    density. Costs O(n (p d + M d + M C)) per evaluation.

    Parameters
    ----------
    X, labels, beta
        As in :class:`~discrimap.objectives.components.ParzenLikelihood`.
    n_classes, n_components, n_kernels : int
        Numbers of classes, of columns of W and of Gaussians M.
    width : float, optional
        Width of the Gaussians; learned where it is not given.

    Notes
    -----
    Parameters travel as one vector: V (W is its polar factor), the centres in units of the spread
    of the data, the logarithms of psi up to a constant, and the logarithm of the width.
    """

    def __init__(self, X, labels, n_classes, n_components, n_kernels, beta=1.0, width=None):
        self.X, self.labels, self.beta, self.width = X, labels, beta, width
        self.unit = max(float(np.sqrt(X.var(axis=0).mean())), np.finfo(np.float64).tiny)
        self.n_labelled = int((labels >= 0).sum())
        self.shapes = [
            (X.shape[1], n_components),
            (n_kernels, X.shape[1]),
            (n_kernels, n_classes),
            (),
        ]

    def pack(self, V, centres, log_weights, log_width):
        """One vector of all parameters."""
        parts = (V, centres / self.unit, log_weights, log_width)
        return np.concatenate([np.ravel(part) for part in parts])

    def unpack(self, params):
        """V, centres, logarithms of psi (normalised) and width."""
        parts, start = [], 0
        for shape in self.shapes:
            size = math.prod(shape)
            parts.append(params[start : start + size].reshape(shape))
            start += size
        V, centres, logits, log_width = parts
        width = float(np.exp(log_width)) if self.width is None else self.width
        return V, self.unit * centres, logits - logsumexp(logits), width

    def value_and_grad(self, params):
        V, centres, log_weights, width = self.unpack(params)
        W, inverse_root = polar(V)
        projected_centres = centres @ W
        grad_W = np.zeros_like(W)
        grad_centres = np.zeros_like(projected_centres)
        grad_logs = np.zeros_like(log_weights)
        value, grad_log_width = 0.0, 0.0
        for start in range(0, len(self.X), ROWS):
            block = slice(start, start + ROWS)
            X, Z = self.X[block], self.X[block] @ W
            squared = _squared_distances(Z, projected_centres)
            log_kernels = -0.5 * squared / width**2
            block_value, slopes, block_logs, n_dense = self._block(
                log_kernels, self.labels[block], log_weights, width, W.shape[1]
            )
            value += block_value
            grad_logs += block_logs
            # slopes: derivative in log_kernels (rows, M).
            pulls = -slopes / width**2
            grad_Z = pulls.sum(axis=1)[:, None] * Z - pulls @ projected_centres
            grad_W += X.T @ grad_Z
            grad_centres += pulls.sum(axis=0)[:, None] * projected_centres - pulls.T @ Z
            grad_log_width += np.vdot(slopes, squared) / width**2 + n_dense * W.shape[1]
        grad_W += centres.T @ grad_centres
        grad_V = tangent(W, grad_W) @ inverse_root
        # log psi = logits - logsumexp(logits)
        grad_logits = grad_logs - grad_logs.sum() * np.exp(log_weights)
        if self.width is not None:
            grad_log_width = 0.0
        parts = (grad_V, self.unit * grad_centres @ W.T, grad_logits, grad_log_width)
        scale = -1.0 / self.n_labelled
        return scale * value, scale * np.concatenate([np.ravel(part) for part in parts])

    def _block(self, log_kernels, labels, log_weights, width, n_components):
        """Value of a block, its derivatives in log_kernels and in log psi, and density terms."""
        log_shares = logsumexp(log_weights, axis=1)  # of the kernels, all classes together
        joint = log_kernels + log_shares
        log_all = logsumexp(joint, axis=1)
        is_kernel = np.exp(joint - log_all[:, None])  # Eq. (5)
        # Each sample: beta (log own - log all) if labelled, (1 - beta) (log all - constant).
        is_labelled = labels >= 0
        weight_all = (1 - self.beta) - self.beta * is_labelled
        value = float(weight_all @ log_all)
        slopes = weight_all[:, None] * is_kernel
        shares_of_class = np.exp(log_weights - log_shares[:, None])
        grad_logs = slopes.sum(axis=0)[:, None] * shares_of_class
        own = np.flatnonzero(is_labelled)
        log_joint_own = log_kernels[own] + log_weights.T[labels[own]]
        log_own = logsumexp(log_joint_own, axis=1)
        is_kernel_of_class = np.exp(log_joint_own - log_own[:, None])  # Eq. (6)
        value += self.beta * float(log_own.sum())
        slopes[own] += self.beta * is_kernel_of_class
        np.add.at(grad_logs.T, labels[own], self.beta * is_kernel_of_class)
        n_dense = -(1 - self.beta) * len(labels)
        value += 0.5 * n_dense * n_components * math.log(2 * math.pi * width**2)
        return value, slopes, grad_logs, n_dense

    def log_likelihood(self, params):
        """Mean ``log p(c_i | z_i)`` of the labelled samples, in nats."""
        V, centres, log_weights, width = self.unpack(params)
        W = polar(V)[0]
        projected_centres, log_shares = centres @ W, logsumexp(log_weights, axis=1)
        total = 0.0
        labelled = np.flatnonzero(self.labels >= 0)
        for start in range(0, len(labelled), ROWS):
            rows = labelled[start : start + ROWS]
            log_kernels = -0.5 * _squared_distances(self.X[rows] @ W, projected_centres) / width**2
            log_own = logsumexp(log_kernels + log_weights.T[self.labels[rows]], axis=1)
            total += float(np.sum(log_own - logsumexp(log_kernels + log_shares, axis=1)))
        return total / len(labelled)


def mixture_start(X, labels, W, n_classes, n_kernels, random_state):
    """Centres by k-means in the projection, weights from the classes of each cluster."""
    from sklearn.cluster import KMeans

    Z = X @ W
    kmeans = KMeans(n_kernels, n_init=1, random_state=random_state).fit(Z)
    centres = np.zeros((n_kernels, X.shape[1]))
    np.add.at(centres, kmeans.labels_, X)
    sizes = np.bincount(kmeans.labels_, minlength=n_kernels)
    centres /= np.maximum(sizes, 1)[:, None]
    counts = np.full((n_kernels, n_classes), 0.5 / n_classes)
    is_labelled = labels >= 0
    np.add.at(counts, (kmeans.labels_[is_labelled], labels[is_labelled]), 1.0)
    width = math.sqrt(max(kmeans.inertia_ / Z.size, np.finfo(np.float64).tiny))
    return centres, np.log(counts / counts.sum()), math.log(width)


def _squared_distances(Z, centres):
    squared = (Z**2).sum(axis=1)[:, None] - 2 * Z @ centres.T + (centres**2).sum(axis=1)
    return np.maximum(squared, 0.0)
