"""Class posteriors of a Gaussian Parzen estimate, at points and along all segments at once."""

from itertools import pairwise

import numpy as np

# Below these totals a class sum may have lost relevant terms, and the pair is computed again. Above
# them, lost terms are below the smallest normal number, hence 1e-58 (float64) or 1e-14 (float32) of
# the total, and 1e-29 or 1e-7 of a distance.
_SMALLEST_TOTAL = {np.dtype(np.float64): 1e-250, np.dtype(np.float32): 1e-24}
_LOG_SPACE_ENTRIES = 1 << 21  # entries of the working array of one chunk in log space


class ParzenField:
    """Posterior p(c | x) from Gaussians of one width on labelled centres, Eq. (4) of [1]_.

    A point is represented by its *exponents*: its squared distances to the centres over
    ``2 sigma^2``, minus their minimum (:meth:`represent`). On the segment from x_i to x_j,

        |x(a) - x_l|^2 = (1 - a) d2_il + a d2_jl - a (1 - a) d2_ij,

    whose last term, like every constant of a row, cancels in the posterior. So only distances to
    the centres are needed, which may be negative, and the class sums of all pairs at one fraction a
    are one matrix product per class. The paper prints exp(-0.5 d^2 / (2 sigma^2)) beside a factor
    1 / sigma^4 that belongs to exp(-d^2 / (2 sigma^2)); the latter is used throughout.

    Parameters
    ----------
    labels : ndarray of shape (n_centres,)
        Class index of each centre, ascending.
    weights : ndarray of shape (n_centres,) or None
        Number of samples that each centre represents; None means one each.
    n_classes : int
        Number of classes; a class without centres has posterior 0.
    bandwidth : float
        The width sigma.

    References
    ----------
    .. [1] A. Schulz and B. Hammer, "Discriminative dimensionality reduction in kernel space",
       ESANN 2016.
    """

    def __init__(self, labels, weights, n_classes, bandwidth):
        self.weights = weights
        self.n_classes = n_classes
        self.bandwidth = bandwidth
        edges = np.searchsorted(labels, np.arange(n_classes + 1))
        self._ranges = [slice(start, stop) for start, stop in pairwise(edges)]

    def represent(self, squared):
        """Exponents of points from their squared distances to the centres, (n, n_centres)."""
        exponents = squared / squared.dtype.type(2 * self.bandwidth**2)
        exponents -= exponents.min(axis=1, keepdims=True)
        return exponents

    def posterior(self, exponents):
        """Class posteriors at the points, (n_classes, n)."""
        sums = self._class_sums(self._densities(exponents))
        return sums / sums.sum(axis=0)

    def class_means(self, exponents, values):
        """Posteriors (n_classes, n), and the mean of values (n_centres, p) over each class.

        The means, (n_classes, n, p), are weighted by the Gaussians at the points; a class that is
        so far away that its posterior is 0 has mean 0.
        """
        densities = self._densities(exponents)
        sums = self._class_sums(densities)
        means = np.stack([densities[:, c] @ values[c] for c in self._ranges])
        means /= np.where(sums > 0, sums, 1)[:, :, None]
        return sums / sums.sum(axis=0), means

    def along(self, left, right, fraction):
        """Posteriors on every segment, this fraction of the way from left to right.

        Returns an array of shape (n_classes, n_left, n_right); costs 2 n_left n_right n_centres
        flops for any number of classes.
        """
        toward_left = left * left.dtype.type(1 - fraction)
        toward_right = right * right.dtype.type(fraction)
        sums = self._products(np.exp(-toward_left), np.exp(-toward_right))
        total = sums.sum(axis=0)
        lost = total < _SMALLEST_TOTAL[total.dtype]
        if lost.any():
            total[lost] = 1
            sums /= total
            self._tilt(sums, lost, toward_left, toward_right)
            if lost.any():
                self._sum_in_log_space(sums, lost, toward_left, toward_right)
        else:
            sums /= total
        return sums

    def mean_slopes(self, left, right, fraction):
        """Posteriors, and the mean of ``z_jl - z_il`` over the centres of each class (Eq. 8).

        z are the exponents. Two arrays of shape (n_classes, n_left, n_right).
        """
        toward_left, toward_right = left * (1 - fraction), right * fraction
        near_left, near_right = np.exp(-toward_left), np.exp(-toward_right)
        sums = self._products(near_left, near_right)
        slopes = self._products(near_left, near_right * right)
        slopes -= self._products(near_left * left, near_right)
        total = sums.sum(axis=0)
        lost = total < _SMALLEST_TOTAL[total.dtype]
        total[lost] = 1
        with np.errstate(invalid="ignore", divide="ignore"):
            slopes = np.where(sums > 0, slopes / sums, 0)
        posterior = sums / total
        if lost.any():
            self._sum_in_log_space(
                posterior, lost, toward_left, toward_right, slopes, left=left, right=right
            )
        return posterior, slopes

    def _densities(self, exponents):
        densities = np.exp(-exponents)
        if self.weights is not None:
            densities *= self.weights.astype(densities.dtype)
        return densities

    def _class_sums(self, values):
        return np.stack([values[:, centres].sum(axis=1) for centres in self._ranges])

    def _products(self, near_left, near_right):
        if self.weights is not None:
            near_left = near_left * self.weights.astype(near_left.dtype)
        sums = np.empty((self.n_classes, len(near_left), len(near_right)), near_left.dtype)
        for centres, class_sums in zip(self._ranges, sums, strict=True):
            np.matmul(near_left[:, centres], near_right[:, centres].T, out=class_sums)
        return sums

    def _tilt(self, posterior, lost, toward_left, toward_right):
        """Compute underflown pairs by products again, with exponents tilted to avoid underflow.

        Adding a vector over the centres to the exponents on the left and taking it away on the
        right changes no product. Half the difference of the two exponents of one lost pair puts
        both factors of that pair, and of similar pairs, at their common best centre. Groups of
        points that are far apart are thus computed group by group; ``lost`` keeps the pairs that
        still underflow.
        """
        while lost.any():
            rows, columns = np.flatnonzero(lost.any(axis=1)), np.flatnonzero(lost.any(axis=0))
            pivot = np.argwhere(lost)[np.count_nonzero(lost) // 2]
            tilt = (toward_left[pivot[0]] - toward_right[pivot[1]]) / 2
            tilted_left = toward_left[rows] - tilt
            tilted_right = toward_right[columns] + tilt
            tilted_left -= tilted_left.min(axis=1, keepdims=True)
            tilted_right -= tilted_right.min(axis=1, keepdims=True)
            sums = self._products(np.exp(-tilted_left), np.exp(-tilted_right))
            total = sums.sum(axis=0)
            sub = np.ix_(rows, columns)
            found = lost[sub] & (total >= _SMALLEST_TOTAL[total.dtype])
            at = rows[np.nonzero(found)[0]], columns[np.nonzero(found)[1]]
            posterior[:, at[0], at[1]] = sums[:, found] / total[found]
            lost[at] = False
            # In log space a pair costs about a hundred times as much as in a product.
            if np.count_nonzero(found) < found.size / 200:
                return

    def _sum_in_log_space(
        self, posterior, lost, toward_left, toward_right, slopes=None, left=None, right=None
    ):
        pairs = np.argwhere(lost)
        chunk = max(1, _LOG_SPACE_ENTRIES // toward_left.shape[1])
        for start in range(0, len(pairs), chunk):
            i, j = pairs[start : start + chunk].T
            exponents = toward_left[i] + toward_right[j]
            exponents -= exponents.min(axis=1, keepdims=True)
            densities = self._densities(exponents)
            sums = self._class_sums(densities)
            posterior[:, i, j] = sums / sums.sum(axis=0)
            if slopes is not None:
                densities *= right[j] - left[i]
                moments = self._class_sums(densities)
                slopes[:, i, j] = np.divide(
                    moments, sums, out=np.zeros_like(moments), where=sums > 0
                )
