"""A fast and exact linear support vector machine for few features.

With a few unscaled features, libsvm needs up to minutes and millions of steps. An interior-point
method needs some tens of iterations of O(n d^2), for any scale of the features. The rare problems where
it does not converge are solved by libsvm. Several classes are handled by one-vs-one votes, as in libsvm.
"""

from itertools import combinations

import numpy as np
from scipy import linalg
from sklearn.svm import SVC


class LinearSVM:
    """Soft-margin linear classifier, one for each pair of classes."""

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, Z, y):
        self.classes_ = np.unique(y)
        self.pairs_ = []
        for first, second in combinations(range(len(self.classes_)), 2):
            rows = (y == self.classes_[first]) | (y == self.classes_[second])
            signs = np.where(y[rows] == self.classes_[first], 1.0, -1.0)
            self.pairs_.append((first, second, *separate(Z[rows], signs, self.C)))
        return self

    def predict(self, Z):
        votes = np.zeros((len(Z), len(self.classes_)))
        for first, second, weights, bias in self.pairs_:
            is_first = Z @ weights + bias > 0
            votes[is_first, first] += 1
            votes[~is_first, second] += 1
        return self.classes_[votes.argmax(axis=1)]  # ties go to the first class, as in libsvm

    def score(self, Z, y):
        return float(np.mean(self.predict(Z) == y))


def separate(Z, signs, C, tol=1e-8, max_iter=100):
    """Weights and bias of one machine, by Mehrotra's predictor-corrector method on the dual.

    Minimises ``a'Qa / 2 - sum(a)`` over ``0 <= a <= 1`` with ``signs'a = 0``, where ``Q = V V'``
    and V is ``signs * Z`` times the root of C; each step solves ``(Q + D) da = r`` by Woodbury's
    identity.
    """
    centre = Z.mean(axis=0)
    V = np.sqrt(C) * signs[:, None] * (Z - centre)
    n_samples = len(V)
    a = np.full(n_samples, 0.5)
    room = np.full(n_samples, 0.5)  # 1 - a, kept apart: the difference would lose its digits
    slope = V @ (V.T @ a) - 1.0
    start = np.abs(slope).mean()
    low = np.maximum(slope, 0.0) + start  # multipliers of a >= 0 and of a <= 1
    high = np.maximum(-slope, 0.0) + start
    bias = 0.0
    sizes = np.abs(V)  # what rounding is relative to
    for _ in range(max_iter):
        weights = V.T @ a
        margins = V @ weights
        dual = margins - 1.0 + signs * bias - low + high
        primal = signs @ a
        gap = (a @ low + room @ high) / (2 * n_samples)
        if (
            2 * n_samples * gap < tol * (1.0 + a.sum())
            and np.abs(dual).max() < tol * (1.0 + (sizes @ (a @ sizes)).max())
            and abs(primal) < tol * (1.0 + a.sum())
        ):
            break
        a, room, low, high, bias = _iterate(V, signs, a, room, low, high, bias, dual, primal, gap)
    else:
        # Rounding keeps the residual of some badly scaled pairs above the tolerance: let libsvm
        # take its time with these.
        machine = SVC(kernel="linear", C=C).fit(Z, signs)
        return machine.coef_[0], machine.intercept_[0]
    weights = np.sqrt(C) * (V.T @ a)
    return weights, bias - weights @ centre


def _iterate(V, signs, a, room, low, high, bias, dual, primal, gap):
    """One predictor-corrector step."""
    n_samples, n_features = V.shape
    diagonal = low / a + high / room
    scaled = V / diagonal[:, None]
    # The factor of I + V' D^-1 V without forming it, which would square its condition.
    tall = np.concatenate([np.eye(n_features), V / np.sqrt(diagonal)[:, None]])
    capacity = np.linalg.qr(tall, mode="r"), False

    def solve(right):
        return right / diagonal - scaled @ linalg.cho_solve(capacity, scaled.T @ right)

    through = solve(signs)

    def newton(low_target, high_target):
        """The step towards ``a low = low_target`` and ``room high = high_target``."""
        direct = solve(-dual + low_target / a - low - high_target / room + high)
        step_bias = (primal + signs @ direct) / (signs @ through)
        step = direct - through * step_bias
        step_low = low_target / a - low - low / a * step
        step_high = high_target / room - high + high / room * step
        return step, step_bias, step_low, step_high

    nothing = np.zeros(n_samples)
    step, _, step_low, step_high = newton(nothing, nothing)
    length = _longest(a, room, low, high, step, step_low, step_high)
    ahead = (a + length * step) @ (low + length * step_low)
    ahead += (room - length * step) @ (high + length * step_high)
    target = gap * (ahead / (2 * n_samples * gap)) ** 3
    # Second-order terms of a step that was blocked at once say nothing and stall the method.
    correct = 1.0 if length > 0.1 else 0.0
    step, step_bias, step_low, step_high = newton(
        target - correct * step * step_low, target + correct * step * step_high
    )
    length = 0.995 * _longest(a, room, low, high, step, step_low, step_high)
    return (
        a + length * step,
        room - length * step,
        low + length * step_low,
        high + length * step_high,
        bias + length * step_bias,
    )


def _longest(a, room, low, high, step, step_low, step_high):
    """The step length, at most 1, at which the first of the four would reach 0."""
    pairs = ((a, step), (room, -step), (low, step_low), (high, step_high))
    return min(np.min(-x[move < 0] / move[move < 0], initial=1.0) for x, move in pairs)
