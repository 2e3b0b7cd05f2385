"""Nonlinear conjugate gradients: Hestenes-Stiefel, Polak-Ribiere, and preconditioned."""

import numpy as np

from discrimap.optimisers.limited_memory import LimitedMemory


class ConjugateGradient:
    """The negative gradient, made conjugate to the last direction.

    Parameters
    ----------
    conjugacy : callable
        ``(grad, grad_change, direction, last_grad) -> beta``.
    """

    curvature = 0.1

    def __init__(self, conjugacy):
        self.conjugacy = conjugacy
        self.direction = None
        self.last_grad = None

    def propose(self, params, grad):
        if self.direction is None:
            direction = -grad
        else:
            beta = self.conjugacy(grad, self.grad_change, self.direction, self.last_grad)
            # A negative beta turns back: start anew instead (Powell 1984).
            direction = -grad + max(beta, 0.0) * self.direction
        self.direction, self.last_grad = direction, grad
        return direction, None

    def learn(self, displacement, grad_change):
        self.grad_change = grad_change

    def forget(self):
        self.direction = None


def hestenes_stiefel(grad, grad_change, direction, last_grad):
    bend = np.vdot(direction, grad_change)
    return np.vdot(grad, grad_change) / bend if bend > 0 else 0.0


def polak_ribiere(grad, grad_change, direction, last_grad):
    return np.vdot(grad, grad_change) / np.vdot(last_grad, last_grad)


class PreconditionedConjugateGradient:
    """Conjugate gradients (Hestenes-Stiefel) preconditioned by a limited-memory inverse Hessian."""

    curvature = 0.1

    def __init__(self):
        self.memory = LimitedMemory()
        self.direction = None

    def propose(self, params, grad):
        preconditioned = self.memory.solve(grad)
        if self.direction is None:
            direction = -preconditioned
        else:
            bend = np.vdot(self.direction, self.grad_change)
            beta = np.vdot(preconditioned, self.grad_change) / bend if bend > 0 else 0.0
            direction = -preconditioned + max(beta, 0.0) * self.direction
        self.direction = direction
        # With curvature learned, the direction carries the scale of a Newton step.
        return direction, 1.0 if self.memory else None

    def learn(self, displacement, grad_change):
        self.grad_change = grad_change
        self.memory.add(displacement, grad_change)

    def forget(self):
        self.memory.clear()
        self.direction = None
