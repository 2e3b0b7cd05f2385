"""Gradient descent, plain and with Barzilai-Borwein steps."""

import numpy as np


class GradientDescent:
    """Along the negative gradient; the line search finds the step."""

    curvature = 0.5

    def propose(self, params, grad):
        return -grad, None

    def learn(self, displacement, grad_change):
        pass

    def forget(self):
        pass


class BarzilaiBorwein:
    """Along the negative gradient, first trying the step that the last change of gradient suggests.

    J. Barzilai and J. Borwein, "Two-point step size gradient methods", 1988. The step is
    ``s's / s'y``; only where it is too long for the shared line search is it shortened.
    """

    # Nearly every Barzilai-Borwein step that descends is to be accepted as it is.
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
