"""Supervised principal component analysis."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from discrimap._sklearn import Interval
from discrimap._typing import Array, MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.base.linear_projection import LinearProjection
from discrimap.linalg.signs import orient
from discrimap.samples.regression import validate_regression
from discrimap.samples.response import RESPONSE_CONSTRAINTS
from discrimap.samples.validation import check_n_components


class SupervisedPCA(LinearProjection):
    """Orthonormal directions along which the samples depend most on the target.

    Maximises the Hilbert-Schmidt independence criterion between the projection and the target,
    ``tr(W' X' H L H X W)`` subject to ``W'W = I`` [1]_, where H is the centring matrix and L the
    kernel of the target. With ``L = F F'`` the solution is the leading left singular vectors of
    ``X' H F``. They solve both the paper's primal eigenproblem and its dual for p > n, so neither
    a p x p nor an n x n matrix is formed. Costs O(n p r + p r^2), where the rank r of L is C for
    classes and a few dozen for one continuous target.

    The criterion determines only as many directions as the rank of ``X' H L H X``, C - 1 for
    classes. The other eigenvectors are arbitrary; we choose those of largest variance: further
    components are the principal components of the samples after removal of the first components.

    Parameters
    ----------
    n_components : int, default=2
        Number of components, at most n_features.
    target : {"auto", "classes", "continuous"}, default="auto"
        Type of y. "auto" treats numbers with a fractional part, and several columns of numbers, as
        continuous, and everything else as classes.
    target_kernel : {"auto", "delta", "linear", "rbf"}, default="auto"
        Kernel L: "delta" for classes; "linear" or "rbf" (the choice of "auto") for a continuous
        target. The linear kernel of q outputs has rank q.
    target_sigma : float, default=None
        Width of the "rbf" kernel ``exp(-d^2 / (2 sigma^2))``; None is the median distance.
    random_state : int, RandomState instance or None, default=None
        Seed of the targets from which the median distance is computed if there are more than 1,000.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal directions, in decreasing order of dependence.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    eigenvalues_ : ndarray of shape (n_components,)
        The part of the trace of each component, which measures its dependence; 0 beyond the rank.
    classes_ : ndarray of shape (n_classes,)
        The class labels, if the target is classes.

    References
    ----------
    .. [1] E. Barshan, A. Ghodsi, Z. Azimifar and M. Z. Jahromi, "Supervised principal component
       analysis: visualization, classification and regression on subspaces and submanifolds",
       Pattern Recognition 44 (2011), 1357-1371.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from discrimap import SupervisedPCA
    >>> X, y = load_wine(return_X_y=True)
    >>> SupervisedPCA(n_components=2).fit_transform(scale(X), y).shape
    (178, 2)
    """

    _accepts_dask = True
    _pools_scatter = True

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        **RESPONSE_CONSTRAINTS,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        target: Literal["auto", "classes", "continuous"] = "auto",
        target_kernel: Literal["auto", "delta", "linear", "rbf"] = "auto",
        target_sigma: float | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.target = target
        self.target_kernel = target_kernel
        self.target_sigma = target_sigma
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Find the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels, or a continuous target.

        Returns
        -------
        self : SupervisedPCA
            The fitted estimator.
        """
        samples = validate_regression(self, X, y)
        check_n_components(self.n_components, samples.shape[1])
        centred, factor, mean = samples.centred_with_factor(
            self.target_kernel, self.target_sigma, self.random_state
        )

        directions, self.eigenvalues_ = dependent_directions(centred, factor, self.n_components)

        self.mean_ = mean.astype(samples.dtype)
        self.components_ = np.ascontiguousarray(directions.T, dtype=samples.dtype)
        return self


def dependent_directions(centred: Array, factor: Array, n_components: int) -> Any:
    """Return orthonormal directions of largest dependence, followed by those of largest variance.

    Parameters
    ----------
    centred : ndarray of shape (n_samples, n_features), float64
        Samples minus their mean.
    factor : ndarray of shape (n_samples, rank)
        Factor of the kernel of the target.
    n_components : int
        Number of directions.

    Returns
    -------
    directions : ndarray of shape (n_features, n_components)
    dependence : ndarray of shape (n_components,)
        Eigenvalues of ``X' H L H X``.
    """
    # With centred samples, the mean of the factor contributes only rounding errors.
    factor = factor - factor.mean(axis=0)
    covariances = centred.T @ factor  # (n_features, rank)
    left, singular, _ = linalg.svd(covariances, full_matrices=False)
    # Relative rounding error of a product over n samples.
    rounding = len(centred) * np.finfo(np.float64).eps
    floor = rounding * linalg.norm(centred) * linalg.norm(factor)
    n_dependent = min(n_components, int(np.sum(singular > floor)))
    directions = left[:, :n_dependent]
    dependence = np.zeros(n_components)
    dependence[:n_dependent] = singular[:n_dependent] ** 2
    if n_dependent < n_components:
        directions = _add_variance(centred, directions, n_components)
    return orient(directions), dependence


def _add_variance(centred: Array, directions: Any, n_components: int) -> Any:
    """Add the principal components of the remaining space to orthonormal directions."""
    n_features, n_known = directions.shape
    rest = centred - (centred @ directions) @ directions.T
    if n_features <= len(rest):
        principal = linalg.eigh(rest.T @ rest)[1][:, ::-1]
    else:
        principal = linalg.svd(rest, full_matrices=False)[2].T
    # If the samples have no variance left, any orthogonal directions complete the basis: Q of a
    # Householder QR is orthonormal even if the columns are linearly dependent.
    padded = np.hstack([directions, principal, np.eye(n_features, n_components)])
    basis = linalg.qr(padded[:, :n_components], mode="economic")[0]
    return np.hstack([directions, basis[:, n_known:]])
