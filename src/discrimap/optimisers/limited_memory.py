"""The limited-memory inverse Hessian."""

from collections import deque

import numpy as np


class LimitedMemory:
    """Inverse Hessian from the last few steps (Nocedal and Wright, Alg. 7.4).

    ``solve`` costs O(memory * size).
    """

    def __init__(self, memory=10):
        self.pairs: deque = deque(maxlen=memory)

    def __bool__(self):
        return bool(self.pairs)

    def add(self, displacement, grad_change):
        bend = np.vdot(displacement, grad_change)
        # Only positive curvature keeps the matrix positive definite.
        if bend > 1e-10 * np.linalg.norm(displacement) * np.linalg.norm(grad_change):
            self.pairs.append((displacement, grad_change, bend))

    def clear(self):
        self.pairs.clear()

    def solve(self, grad):
        if not self.pairs:
            return grad
        result = grad.copy()
        shares = []
        for displacement, grad_change, bend in reversed(self.pairs):
            share = np.vdot(displacement, result) / bend
            result -= share * grad_change
            shares.append(share)
        _, grad_change, bend = self.pairs[-1]
        result *= bend / np.vdot(grad_change, grad_change)
        for (displacement, grad_change, bend), share in zip(
            self.pairs, reversed(shares), strict=True
        ):
            result += (share - np.vdot(grad_change, result) / bend) * displacement
        return result
