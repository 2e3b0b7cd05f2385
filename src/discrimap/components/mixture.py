"""Conditional likelihood of the classes under a mixture of Gaussians shared by the classes."""

import math

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import log_softmax, logsumexp

from discrimap.components.subspaces import polar, tangent

ROWS = 4096  # samples per block: memory is ROWS x n_kernels, not n x n_kernels
# Initial width if clusters are single points: this fraction of the width of clusters that divide
# the spread of the data evenly.
LEAST_START = 0.1
# In nats per sample. If the classes can be separated with certainty, the loss approaches zero only
# for infinite parameters; the search ends at this loss instead.
CERTAIN = 1e-4
LEAST_ABOVE = 1e-6  # smallest fraction of a squared width that is above its lower bound


class MixtureLikelihood:
    """Minus the log-likelihood of the classes under a mixture, with all parameters learned.

    Eqs. (2)-(3) of Peltonen and Kaski (2005):
    ``p(c | z) = sum_m psi_mc g_m(z) / sum_m psi_m g_m(z)`` with M spherical Gaussians of one width.
    Their centres are the projections of points ``r_m`` of the data space. W, the points ``r_m``,
    the weights psi (which sum to one) and the width are learned together. ``beta`` and unlabelled
    points have the same meaning as in :class:`~discrimap.components.parzen.ParzenLikelihood`, with
    the mixture as the density. Costs O(n (p d + M d + M C)) per evaluation.

    Parameters
    ----------
    X, labels, beta
        As in :class:`~discrimap.components.parzen.ParzenLikelihood`.
    n_classes, n_components, n_kernels : int
        Numbers of classes, of columns of W and of Gaussians M.
    width : float, optional
        Width of the Gaussians; learned if not given.
    least_width : float, default=0.0
        Lower bound of the learned width.

    Notes
    -----
    The parameters form one vector: V (W is its polar factor), the centres in units of the spread of
    the data, the logarithms of psi up to a constant, and ``t`` with

        width^2 = least_width^2 + exp(2 t).

    If a mixture can separate the classes without error, no optimal width exists: the likelihood
    increases as the width goes to zero, until the densities depend only on the nearest centre and
    the gradients consist of rounding errors. The lower bound acts like measurement noise of
    standard deviation ``least_width``: a Gaussian of width exp(t), convolved with this noise, has
    the width above. The value is smooth in ``t``, and the bound has little effect on a width
    several times as large. The centres can still move apart and make the boundaries between classes
    arbitrarily sharp. Such a search ends at a mean loss of 1e-4 nats, below which the gradient is
    set to zero.
    """

    def __init__(
        self,
        X: np.ndarray,
        labels: np.ndarray,
        n_classes: int,
        n_components: int,
        n_kernels: int,
        beta: float = 1.0,
        width: float | None = None,
        least_width: float = 0.0,
    ) -> None:
        self.X, self.labels, self.beta, self.width = X, labels, beta, width
        self.log_least = math.log(least_width) if least_width > 0 else -math.inf
        self.unit = max(float(np.sqrt(X.var(axis=0).mean())), np.finfo(np.float64).tiny)
        self.n_labelled = int((labels >= 0).sum())
        self.shapes = [
            (X.shape[1], n_components),
            (n_kernels, X.shape[1]),
            (n_kernels, n_classes),
            (),
        ]

    def pack(
        self, V: np.ndarray, centres: np.ndarray, log_weights: np.ndarray, width: float
    ) -> np.ndarray:
        """Combine all parameters into one vector."""
        # At the bound t would be minus infinity, where the gradient is zero.
        above = max(-math.expm1(2 * (self.log_least - math.log(width))), LEAST_ABOVE)
        t = math.log(width) + 0.5 * math.log(above)
        parts = (V, centres / self.unit, log_weights, t)
        return np.concatenate([np.ravel(part) for part in parts])

    def unpack(self, params: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Return V, the centres, the logarithms of psi (normalised) and the width."""
        V, centres, log_weights, log_width = self._unpack(params)
        return V, centres, log_weights, math.exp(log_width)

    def value_and_grad(self, params: np.ndarray) -> tuple[float, np.ndarray]:
        V, centres, log_weights, log_width = self._unpack(params)
        precision = math.exp(-2 * log_width)  # finite even if the square of the width overflows
        W, inverse_root = polar(V)
        projected_centres = centres @ W
        grad_W = np.zeros_like(W)
        grad_centres = np.zeros_like(projected_centres)
        grad_logs = np.zeros_like(log_weights)
        value, grad_log_width = 0.0, 0.0
        for start in range(0, len(self.X), ROWS):
            block = slice(start, start + ROWS)
            X, Z = self.X[block], self.X[block] @ W
            squared = cdist(Z, projected_centres, "sqeuclidean")
            log_kernels = -0.5 * precision * squared
            block_value, slopes, block_logs, n_dense = self._block(
                log_kernels, self.labels[block], log_weights, log_width, W.shape[1]
            )
            value += block_value
            grad_logs += block_logs
            # slopes: derivative in log_kernels (rows, M).
            pulls = -precision * slopes
            grad_Z = pulls.sum(axis=1)[:, None] * Z - pulls @ projected_centres
            grad_W += X.T @ grad_Z
            grad_centres += pulls.sum(axis=0)[:, None] * projected_centres - pulls.T @ Z
            grad_log_width += precision * np.vdot(slopes, squared) + n_dense * W.shape[1]
        grad_W += centres.T @ grad_centres
        grad_V = tangent(W, grad_W) @ inverse_root
        # log psi = logits - logsumexp(logits)
        grad_logits = grad_logs - grad_logs.sum() * np.exp(log_weights)
        grad_t = grad_log_width * self._slope_of_log_width(log_width)
        parts = (grad_V, self.unit * grad_centres @ W.T, grad_logits, grad_t)
        scale = -1.0 / self.n_labelled
        value, grad = scale * value, scale * np.concatenate([np.ravel(part) for part in parts])
        is_certain = self.beta == 1 and value <= CERTAIN
        return value, np.zeros_like(grad) if is_certain else grad

    def log_likelihood(self, params: np.ndarray) -> float:
        """Mean ``log p(c_i | z_i)`` of the labelled samples, in nats."""
        V, centres, log_weights, log_width = self._unpack(params)
        W = polar(V)[0]
        projected_centres = centres @ W
        total = 0.0
        labelled = np.flatnonzero(self.labels >= 0)
        for start in range(0, len(labelled), ROWS):
            rows = labelled[start : start + ROWS]
            squared = cdist(self.X[rows] @ W, projected_centres, "sqeuclidean")
            log_kernels = -0.5 * math.exp(-2 * log_width) * squared
            posteriors = _Posteriors(log_kernels, log_weights)
            total += float(posteriors.of_classes(slice(None), self.labels[rows])[0].sum())
        return total / len(labelled)

    def _unpack(self, params):
        parts, start = [], 0
        for shape in self.shapes:
            size = math.prod(shape)
            parts.append(params[start : start + size].reshape(shape))
            start += size
        V, centres, logits, t = parts
        return V, self.unit * centres, logits - logsumexp(logits), self._log_width(float(t))

    def _log_width(self, t):
        """Logarithm of the width, in a form that neither overflows nor underflows."""
        if self.width is not None:
            return math.log(self.width)
        return 0.5 * float(np.logaddexp(2 * t, 2 * self.log_least))

    def _slope_of_log_width(self, log_width):
        """Derivative of the log-width with respect to t: 1 far above the bound, 0 at the bound."""
        if self.width is not None:
            return 0.0
        return -math.expm1(2 * (self.log_least - log_width))

    def _block(self, log_kernels, labels, log_weights, log_width, n_components):
        """Value of a block, derivatives in log_kernels and log psi, and weight of density terms."""
        posteriors = _Posteriors(log_kernels, log_weights)
        own = np.flatnonzero(labels >= 0)
        log_ratios, is_kernel_of_class = posteriors.of_classes(own, labels[own])
        is_kernel = np.exp(posteriors.log_is_kernel)
        # A sample contributes beta log(own / all), if labelled, + (1 - beta) (log all - constant).
        weight_all = (1 - self.beta) - self.beta * (labels >= 0)
        value = self.beta * float(log_ratios.sum())
        slopes = weight_all[:, None] * is_kernel
        grad_logs = slopes.sum(axis=0)[:, None] * np.exp(posteriors.log_is_class)
        slopes[own] += self.beta * is_kernel_of_class
        np.add.at(grad_logs.T, labels[own], self.beta * is_kernel_of_class)
        n_dense = -(1 - self.beta) * len(labels)
        if n_dense:
            log_constant = n_components * (0.5 * math.log(2 * math.pi) + log_width)
            value += (1 - self.beta) * float(posteriors.log_all.sum()) + n_dense * log_constant
        return value, slopes, grad_logs, n_dense


class _Posteriors:
    """Probabilities of kernels and classes at some points, as logarithms.

    All quantities are relative to the sum over all kernels, so that the large exponents of a narrow
    width cancel. ``log(own / all)`` is then at most zero, unlike a difference of two log-sums.
    """

    def __init__(self, log_kernels, log_weights):
        log_shares = logsumexp(log_weights, axis=1)  # of the kernels, summed over classes
        self.joint = log_kernels + log_shares
        self.log_is_kernel = log_softmax(self.joint, axis=1)  # Eq. (5), (rows, M)
        self.log_is_class = log_weights - log_shares[:, None]  # of classes in a kernel, (M, C)

    @property
    def log_all(self):
        """Logarithm of the sum over all kernels."""
        return logsumexp(self.joint, axis=1)

    def of_classes(self, rows, labels):
        """``log p(c | z)`` at the points ``rows`` for one class each, and Eq. (6)."""
        log_joint = self.log_is_kernel[rows] + self.log_is_class.T[labels]
        log_ratios = logsumexp(log_joint, axis=1)
        return np.minimum(log_ratios, 0.0), np.exp(log_joint - log_ratios[:, None])


def mixture_start(
    X: np.ndarray,
    labels: np.ndarray,
    W: np.ndarray,
    n_classes: int,
    n_kernels: int,
    random_state: np.random.RandomState,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Initial centres by k-means in the projection, and weights from the classes of clusters.

    Returns the centres, the logarithms of the weights and the width of the clusters.
    """
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
    spread = math.sqrt(Z.var(axis=0).mean())
    width = math.sqrt(kmeans.inertia_ / Z.size)
    width = max(width, LEAST_START * spread * n_kernels ** (-1 / Z.shape[1])) or 1.0
    return centres, np.log(counts / counts.sum()), width
