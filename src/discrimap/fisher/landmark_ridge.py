"""Ridge regression on Gaussians at landmarks, with the models that leave out one or two folds.

The Gram matrix of a sum of folds is the sum of their Gram matrices. One pass over the samples
gives that of each fold, and every model without some folds is one Cholesky factor of the rest: the
width, the penalty and all cross-fitted models come from the same few matrices, which are most of
the memory of a fit: they are kept packed.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from discrimap.linalg.packed import (
    diagonal_places,
    packed_gram,
    packed_product,
    packed_size,
    solve_packed,
)

# The width and a first penalty are searched on at most this many samples and landmarks.
SEARCH_SAMPLES, SEARCH_LANDMARKS = 6000, 600
# Precisions gamma of the Gaussians, times the mean squared distance of two samples.
RELATIVE_PRECISIONS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
FIRST_PRECISION = 3  # where the search begins, as a position
# Powers of ten of the penalty, times the mean of the diagonal of the Gram matrix.
LEAST_POWER, LARGEST_POWER = -8, 1
FIRST_POWER = -3
# Above this many landmarks one held-out fold has enough samples to choose the penalty by.
ONE_FOLD_LANDMARKS = 1000
_BLOCK_NUMBERS = 1 << 21


def default_n_landmarks(n_samples: int) -> int:
    """Number of landmarks: ``10 sqrt(n)``, at least 1,000 and at most 2,500 and n itself."""
    return int(min(n_samples, np.clip(10 * np.sqrt(n_samples), 1000, 2500)))


@dataclass(frozen=True)
class LandmarkRidge:
    """Fitted models: predictions are ``exp(-gamma |x - landmark|^2) @ weights + means``.

    Samples are centred block by block, because a centred copy would need as much memory as X.

    ``weights`` and ``means`` have one more fold than there are: ``[f, g]`` belongs to the model
    without the folds f and g, ``[f, f]`` to that without f, and ``[F, F]`` to that of all samples.
    """

    centre: np.ndarray  # (n_features,), subtracted from samples
    landmarks: np.ndarray  # (n_landmarks, n_features), centred
    gamma: float
    alpha: float
    weights: np.ndarray  # (n_folds + 1, n_folds + 1, n_landmarks, n_targets)
    means: np.ndarray  # (n_folds + 1, n_folds + 1, n_targets)

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.weights) - 1

    def predict(
        self,
        X: np.ndarray,
        first: list[int] | np.ndarray,
        second: list[int] | np.ndarray,
        rows: np.ndarray | None = None,
    ) -> np.ndarray:
        """Predictions of the models ``[first[k], second[k]]``, (n_samples, n_models, n_targets).

        Of all samples, or of some rows.
        """
        weights, means = self.weights[first, second], self.means[first, second]
        n_models, n_landmarks, n_targets = weights.shape
        side_by_side = weights.transpose(1, 0, 2).reshape(n_landmarks, -1)
        n_samples = len(X) if rows is None else len(rows)
        out = np.empty((n_samples, n_models, n_targets), X.dtype)
        for part in row_slices(n_samples, n_landmarks):
            block = X[part] if rows is None else X[rows[part]]
            products = gaussians(block - self.centre, self.landmarks, self.gamma) @ side_by_side
            out[part] = products.reshape(-1, n_models, n_targets) + means
        return out

    def predict_without_each(self, X: np.ndarray) -> np.ndarray:
        """Predictions of the models without each fold, (n_samples, n_folds, n_targets)."""
        folds = np.arange(self.n_folds)
        return self.predict(X, folds, folds)

    def predict_training(self, X: np.ndarray, folds: np.ndarray) -> np.ndarray:
        """Predictions for samples by the models without their own fold and each other one.

        Returns (n_samples, n_folds, n_targets); where the other fold is the own one, only that is
        left out.
        """
        out = np.empty((len(X), self.n_folds, self.weights.shape[3]), X.dtype)
        for fold in range(self.n_folds):
            members = np.flatnonzero(folds == fold)
            every = np.arange(self.n_folds)
            out[members] = self.predict(X, np.full(self.n_folds, fold), every, members)
        return out


def gaussians(X: np.ndarray, landmarks: np.ndarray, gamma: float) -> np.ndarray:
    """``exp(-gamma |x - landmark|^2)``, (n_samples, n_landmarks), in the type of X."""
    exponents = X @ landmarks.T
    exponents *= 2
    exponents -= np.einsum("ij,ij->i", X, X)[:, None]
    exponents -= np.einsum("ij,ij->i", landmarks, landmarks)
    np.minimum(exponents, 0, out=exponents)
    exponents *= X.dtype.type(gamma)
    return np.exp(exponents, out=exponents)


def fit_landmark_ridge(
    X: np.ndarray,
    rows: np.ndarray,
    targets: np.ndarray,
    folds: np.ndarray,
    n_folds: int,
    n_landmarks: int,
    random_state: np.random.RandomState,
) -> LandmarkRidge:
    """Choose width and penalty by held-out squared error, and fit the models of all folds.

    Costs O(n m (p + m) + F^2 m^3) for n samples of p features, m landmarks and F folds.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples.
    rows : ndarray of shape (n_labelled,)
        Indices of the samples that are fitted to.
    targets : ndarray of shape (n_labelled, n_targets)
        What is predicted.
    folds : ndarray of shape (n_labelled,)
        Fold of each of them, 0 to F - 1.
    n_folds : int
        Number of folds F, some of which may be empty.
    n_landmarks : int
        Number of landmarks, drawn from the samples.
    random_state : RandomState
        Draws landmarks and the samples of the search.

    Returns
    -------
    ridge : LandmarkRidge
    """
    centre = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
    landmarks = X[rows[random_state.permutation(len(rows))[:n_landmarks]]] - centre
    some = random_state.permutation(len(rows))[:SEARCH_SAMPLES]
    gamma, power = _search_width(
        X[rows[some]] - centre, targets[some], folds[some], n_folds, landmarks[:SEARCH_LANDMARKS]
    )

    sums = FoldSums(X, centre, targets, folds, n_folds, landmarks, gamma, rows)
    # The best penalty of more samples is smaller, relative to their larger Gram matrix.
    start = power - round(np.log10(len(rows) / len(some)))
    alpha = 10.0 ** _best_power(sums, np.clip(start, LEAST_POWER, LARGEST_POWER))[1]
    while True:
        try:
            weights, means = sums.all_models(alpha)
            break
        except linalg.LinAlgError:  # fewer folds left than in the search
            alpha *= 10
    return LandmarkRidge(
        centre, landmarks, gamma, alpha, weights.astype(X.dtype), means.astype(X.dtype)
    )


def _search_width(samples, targets, folds, n_folds, landmarks):
    """Precision of the Gaussians, and the power of ten of the penalty that goes with it."""
    mean_squared_distance = 2 * float(samples.var(axis=0, dtype=np.float64).sum())
    if mean_squared_distance == 0:
        mean_squared_distance = 1.0  # all samples are equal, and so are all Gaussians
    gammas = np.array(RELATIVE_PRECISIONS) / mean_squared_distance
    powers = [FIRST_POWER]  # of the precisions tried, the last one first

    def search(position):
        sums = FoldSums(samples, 0, targets, folds, n_folds, landmarks, gammas[position])
        error, power = _best_power(sums, powers[0])
        powers.insert(0, power)
        return error, power

    (_, power), position = _descend(search, FIRST_PRECISION, 0, len(gammas) - 1)
    return float(gammas[position]), power


def _best_power(sums, start):
    """Least held-out error and the power of ten of its penalty, by descent from a start."""

    def cost(power):
        return sums.held_out_error(10.0**power), -power  # of equal errors the larger penalty

    (error, _), power = _descend(cost, int(start), LEAST_POWER, LARGEST_POWER)
    return error, power


def _descend(cost, best, least, largest):
    """Least cost and the integer that has it, going up and then down from a start."""
    known = {best: cost(best)}
    for step in (1, -1):
        while least <= best + step <= largest:
            if best + step not in known:
                known[best + step] = cost(best + step)
            if known[best + step] >= known[best]:
                break
            best += step
    return known[best], best


class FoldSums:
    """Products of Gaussians and targets, summed over each fold.

    Parameters are those of :func:`fit_landmark_ridge`; a model is fitted to deviations of the
    targets from their mean over the folds in it.
    """

    def __init__(self, X, centre, targets, folds, n_folds, landmarks, gamma, rows=None):
        n_landmarks, self.n_folds = len(landmarks), n_folds
        self._diagonal = diagonal_places(n_landmarks)
        # A column of ones gives sums of Gaussians and of targets, from which means follow.
        columns = np.column_stack([targets, np.ones(len(targets))]).astype(X.dtype)
        self.gram = np.zeros((self.n_folds, packed_size(n_landmarks)))
        self.products = np.zeros((self.n_folds, n_landmarks, columns.shape[1]))
        self.target_sums = np.zeros((self.n_folds, columns.shape[1]))
        self.target_squares = np.zeros(self.n_folds)
        for fold in range(self.n_folds):
            members = np.flatnonzero(folds == fold)
            for part in row_slices(len(members), n_landmarks):
                block = members[part]
                samples = X[block if rows is None else rows[block]] - centre
                values = gaussians(samples, landmarks, gamma)
                self.gram[fold] += packed_gram(values)
                self.products[fold] += values.T @ columns[block]
                self.target_sums[fold] += columns[block].sum(axis=0, dtype=np.float64)
                self.target_squares[fold] += np.square(columns[block, :-1], dtype=np.float64).sum()

    def model_without(self, folds, alpha):
        """Weights (n_landmarks, n_targets) and means (n_targets,) of the other folds."""
        kept = [fold for fold in range(self.n_folds) if fold not in folds]
        products, sums = self.products[kept].sum(axis=0), self.target_sums[kept].sum(axis=0)
        means = sums[:-1] / max(sums[-1], 1)
        centred = products[:, :-1] - np.outer(products[:, -1], means)
        matrix = np.zeros(self.gram.shape[1])
        for fold in kept:
            matrix += self.gram[fold]
        mean = max(float(matrix[self._diagonal].mean()), 1e-30)  # if no sample is left
        matrix[self._diagonal] += alpha * mean
        return solve_packed(matrix, centred), means

    def held_out_error(self, alpha):
        """Squared error of folds predicted from the others, from the sums alone."""
        error = 0.0
        n_held_out = self.n_folds if self.products.shape[1] <= ONE_FOLD_LANDMARKS else 1
        for fold in range(n_held_out):
            try:
                weights, means = self.model_without([fold], alpha)
            except linalg.LinAlgError:  # the penalty is below the rounding of the products
                return np.inf
            products, sums = self.products[fold], self.target_sums[fold]
            error += self.target_squares[fold] - 2 * means @ sums[:-1] + sums[-1] * means @ means
            centred = products[:, :-1] - np.outer(products[:, -1], means)
            error += np.vdot(weights, packed_product(self.gram[fold], weights) - 2 * centred)
        return error

    def all_models(self, alpha):
        """Weights and means of the models of :class:`LandmarkRidge`."""
        n_models = self.n_folds + 1
        n_landmarks, n_targets = self.products.shape[1], self.products.shape[2] - 1
        weights = np.empty((n_models, n_models, n_landmarks, n_targets))
        means = np.empty((n_models, n_models, n_targets))
        for first in range(n_models):
            for second in range(first + 1):
                left_out = [fold for fold in (first, second) if fold < self.n_folds]
                if first == self.n_folds > second:
                    # The same as without the second fold alone.
                    model = weights[second, second], means[second, second]
                else:
                    model = self.model_without(left_out, alpha)
                weights[first, second], means[first, second] = model
                weights[second, first], means[second, first] = model
        return weights, means


def row_slices(n_rows, width):
    """Slices of rows whose arrays of this width fit into a block of memory."""
    size = max(1, _BLOCK_NUMBERS // max(width, 1))
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]
