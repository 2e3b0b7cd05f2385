"""Optimisers of Table 2 of the SDA paper other than L-BFGS: rules for the search direction.

They are included to reproduce the comparison of optimisers in the paper. For other purposes use
limited-memory BFGS, the default of :func:`~discrimap.optimisers.minimise`. A rule is passed to
:func:`~discrimap.optimisers.descent.descend`:

- ``"gd"``, ``"bb"``: gradient descent, plain and with Barzilai-Borwein steps;
- ``"cg"``, ``"rcg"``, ``"pcg"``: conjugate gradients of Hestenes-Stiefel, of Polak-Ribiere, and
  preconditioned by a limited-memory inverse Hessian;
- ``"sd"``: the spectral direction, a Newton step with the positive definite part of the Hessian.
"""

from collections import deque
from collections.abc import Callable

import numpy as np


class GradientDescent:
    """Descent along the negative gradient; the line search finds the step."""

    curvature = 0.5

    def propose(self, params, grad):
        return -grad, None

    def learn(self, displacement, grad_change):
        pass

    def forget(self):
        pass


class BarzilaiBorwein:
    """Descent along the negative gradient, with a first step from the last change of gradient.

    J. Barzilai and J. Borwein, "Two-point step size gradient methods", 1988. The step is
    ``s's / s'y``; the shared line search shortens it only if it is too long.
    """

    # Accepts nearly every Barzilai-Borwein step that decreases the value.
    curvature = 0.99

    def __init__(self):
        self.step = None

    def propose(self, params, grad):
        return -grad, self.step

    def learn(self, displacement, grad_change):
        bend = np.vdot(displacement, grad_change)
        self.step = np.vdot(displacement, displacement) / bend if bend > 0 else None

    def forget(self):
        self.step = None


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


class ConjugateGradient:
    """Descent along the negative gradient, made conjugate to the last direction.

    Parameters
    ----------
    conjugacy : callable
        ``(grad, grad_change, direction, last_grad) -> beta``.
    """

    curvature = 0.1

    def __init__(
        self, conjugacy: Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], float]
    ) -> None:
        self.conjugacy = conjugacy
        self.direction = None
        self.last_grad = None

    def propose(self, params, grad):
        if self.direction is None:
            direction = -grad
        else:
            beta = self.conjugacy(grad, self.grad_change, self.direction, self.last_grad)
            # Restart instead of using a negative beta (Powell 1984).
            direction = -grad + max(beta, 0.0) * self.direction
        self.direction, self.last_grad = direction, grad
        return direction, None

    def learn(self, displacement, grad_change):
        self.grad_change = grad_change

    def forget(self):
        self.direction = None


def hestenes_stiefel(
    grad: np.ndarray, grad_change: np.ndarray, direction: np.ndarray, last_grad: np.ndarray
) -> float:
    bend = np.vdot(direction, grad_change)
    return np.vdot(grad, grad_change) / bend if bend > 0 else 0.0


def polak_ribiere(
    grad: np.ndarray, grad_change: np.ndarray, direction: np.ndarray, last_grad: np.ndarray
) -> float:
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
        # Once curvature is known, the direction has the scale of a Newton step.
        return direction, 1.0 if self.memory else None

    def learn(self, displacement, grad_change):
        self.grad_change = grad_change
        self.memory.add(displacement, grad_change)

    def forget(self):
        self.memory.clear()
        self.direction = None


class SpectralDirection:
    """Descent along ``-B^-1 grad``, where B is the attractive part of the Hessian.

    M. Vladymyrov and M. Carreira-Perpinan, "Partial-Hessian strategies for fast learning of
    nonlinear embeddings", ICML 2012. B is rebuilt every ``refresh`` iterations, as the SDA paper
    does for its largest data (Sec. 4.1.4).

    Parameters
    ----------
    preconditioner : callable
        ``params -> solve``, where ``solve(grad)`` returns ``B^-1 grad`` at these params.
    refresh : int
        Number of iterations after which B is rebuilt.
    """

    curvature = 0.9

    def __init__(
        self,
        preconditioner: Callable[[np.ndarray], Callable[[np.ndarray], np.ndarray]],
        refresh: int = 20,
    ) -> None:
        self.preconditioner = preconditioner
        self.refresh = refresh
        self.age = 0
        self.solve: Callable[[np.ndarray], np.ndarray] | None = None

    def propose(self, params, grad):
        if self.solve is None or self.age >= self.refresh:
            self.solve = self.preconditioner(params)
            self.age = 0
        self.age += 1
        return -self.solve(grad), 1.0

    def learn(self, displacement, grad_change):
        pass

    def forget(self):
        self.solve = None
