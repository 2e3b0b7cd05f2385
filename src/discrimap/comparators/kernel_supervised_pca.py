"""Supervised principal components in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from discrimap._sklearn import Interval
from discrimap._typing import MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.base.kernel_projection import (
    KERNEL_CONSTRAINTS,
    KernelProjection,
    gram_whitening,
)
from discrimap.comparators.supervised_pca import dependent_directions
from discrimap.samples.response import RESPONSE_CONSTRAINTS, response_factor, validate_response
from discrimap.samples.validation import check_n_components


class KernelSupervisedPCA(KernelProjection):
    """Supervised PCA in the feature space of a kernel.

    Maximises ``tr(B' K H L H K B)`` subject to ``B' K B = I`` [1]_, where K is the kernel of the
    samples, L the kernel of the target and H the centring matrix. This is
    :class:`~discrimap.SupervisedPCA` of the samples in the feature space, and is solved as such in
    orthonormal coordinates, without the null space of K. Costs O(n^3), or with m landmarks (Nystroem)
    O(n m (p + m)) and O(n m) memory.

    Parameters
    ----------
    n_components : int, default=2
        Number of components, at most the rank of the kernel matrix.
    kernel : str or callable, default="rbf"
        A name that :func:`sklearn.metrics.pairwise.pairwise_kernels` knows, a function of two
        samples, or "precomputed": X is then the Gram matrix of the training samples, and in
        ``transform`` the kernel between new and training samples.
    gamma : float, default=None
        Coefficient of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2". None is
        scikit-learn's default, ``1 / n_features`` for most of them; for "rbf", sigma is used instead.
    sigma : float, default=None
        Width of the "rbf" kernel ``exp(-d^2 / (2 sigma^2))``, instead of gamma. None is the median
        distance between the training samples.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1
        Constant term of the "poly" and "sigmoid" kernels.
    n_landmarks : int, default=None
        Number of training samples, drawn at random, that span the directions; None uses all.
    target : {"auto", "classes", "continuous"}, default="auto"
        Type of y; see :class:`~discrimap.SupervisedPCA`.
    target_kernel : {"auto", "delta", "linear", "rbf"}, default="auto"
        Kernel L: "delta" for classes, "linear" or "rbf" (the choice of "auto") for a continuous
        target.
    target_sigma : float, default=None
        Width of the "rbf" kernel of the target; None is the median distance.
    random_state : int, RandomState instance or None, default=None
        Seed of the landmarks, and of the samples from which median distances are computed if there are
        more than 1,000.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_components, n_landmarks)
        Coefficients of each direction.
    landmarks_ : ndarray of shape (n_landmarks, n_features) or None
        The training samples that span the directions; None for a precomputed kernel.
    landmark_indices_ : ndarray of shape (n_landmarks,)
        Indices of the landmarks in the training data.
    offset_ : ndarray of shape (n_components,)
        Coordinates of the training mean;
        ``transform(X) == K(X, landmarks) @ dual_coef_.T - offset_``.
    sigma_ : float or None
        The width that was used; None with gamma or another kernel.
    eigenvalues_ : ndarray of shape (n_components,)
        The dependence of each direction; 0 beyond the rank of the criterion, where the directions
        of largest variance are used.
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
    >>> from discrimap import KernelSupervisedPCA
    >>> X, y = load_wine(return_X_y=True)
    >>> KernelSupervisedPCA(n_components=2).fit_transform(scale(X), y).shape
    (178, 2)
    """

    _median_width = True
    _ignores_offset = True
    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        **KERNEL_CONSTRAINTS,
        **RESPONSE_CONSTRAINTS,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        gamma: float | None = None,
        sigma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        n_landmarks: int | None = None,
        target: Literal["auto", "classes", "continuous"] = "auto",
        target_kernel: Literal["auto", "delta", "linear", "rbf"] = "auto",
        target_sigma: float | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.target = target
        self.target_kernel = target_kernel
        self.target_sigma = target_sigma
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, or their Gram matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels, or a continuous target.

        Returns
        -------
        self : KernelSupervisedPCA
            The fitted estimator.
        """
        X, response = validate_response(self, X, y)
        self._check_kernel(X)
        factor = response_factor(response, self.target_kernel, self.target_sigma, self.random_state)
        kernel_rows = self._training_rows(X)  # (n_samples, n_landmarks)
        whitening = gram_whitening(kernel_rows[self.landmark_indices_])  # (n_landmarks, rank)
        check_n_components(self.n_components, whitening.shape[1], "rank(Gram matrix)")

        coordinates = kernel_rows @ whitening  # in an orthonormal basis of the feature space
        mean = coordinates.mean(axis=0)
        coordinates -= mean
        directions, self.eigenvalues_ = dependent_directions(coordinates, factor, self.n_components)

        self.dual_coef_ = (whitening @ directions).T.astype(X.dtype)
        self.offset_ = (mean @ directions).astype(X.dtype)
        return self
