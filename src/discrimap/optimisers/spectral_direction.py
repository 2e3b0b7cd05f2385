"""Spectral direction: a Newton step with the positive definite part of the Hessian."""


class SpectralDirection:
    """Along ``-B^-1 grad``, B the attractive part of the Hessian.

    M. Vladymyrov and M. Carreira-Perpinan, "Partial-Hessian strategies for fast learning of
    nonlinear embeddings", ICML 2012. B is rebuilt every ``refresh`` iterations, as the SDA paper
    does for its largest data (Sec. 4.1.4).

    Parameters
    ----------
    preconditioner : callable
        ``params -> solve``, where ``solve(grad)`` returns ``B^-1 grad`` at these params.
    refresh : int
        Iterations between two rebuilds.
    """

    curvature = 0.9

    def __init__(self, preconditioner, refresh=20):
        self.preconditioner = preconditioner
        self.refresh = refresh
        self.age = 0
        self.solve = None

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
