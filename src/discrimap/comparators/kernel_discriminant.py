"""Discriminant analysis in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from discrimap._sklearn import Interval
from discrimap._typing import MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.base.kernel_projection import (
    KERNEL_CONSTRAINTS,
    KernelProjection,
    gram_whitening,
)
from discrimap.linalg.discriminants import (
    class_offsets,
    rotate_to_discriminants,
    solve_scatter,
)
from discrimap.linalg.signs import orient
from discrimap.samples.class_moments import class_means
from discrimap.samples.validation import check_n_components, validate_labelled

# A direction has no spread within classes if their part of the variance is below this.
LEAST_WITHIN = 1e-8


class KernelDiscriminantAnalysis(KernelProjection):
    """Fisher's linear discriminants in the feature space of a kernel.

    Maximises ``v' S_b v / v' (S_w + ridge I) v`` over directions v of the feature space, where S_b and
    S_w are the between- and within-class covariance. This is the generalised discriminant analysis of
    [1]_ with a penalty on ``|v|^2``, one of two regularisers in [2]_. The eigenproblem is solved in
    orthonormal coordinates of the feature space, without the null space of the kernel matrix. Costs
    O(n^3), or with m landmarks (Nystroem) O(n m (p + m) + m^3) and O(n m) memory.

    The linear kernel without a ridge gives linear discriminant analysis, scaled as in scikit-learn:
    the within-class variance along each component is 1.

    Parameters
    ----------
    n_components : int, default=2
        Number of components. There are at most C - 1 discriminants; further components are zero.
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
    ridge : float, default=1e-3
        Penalty on the squared length of a direction, as a fraction of the total variance in the
        feature space. Without it, a kernel of full rank separates any training samples.
    n_landmarks : int, default=None
        Number of training samples, drawn at random, that span the directions; None uses all.
    random_state : int, RandomState instance or None, default=None
        Seed of the landmarks, and of the samples from which the median distance is computed if there
        are more than 1,000.

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
        Between-class part of the (penalised) variance along each component, from 0 to 1.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    References
    ----------
    .. [1] G. Baudat and F. Anouar, "Generalized discriminant analysis using a kernel approach",
       Neural Computation 12 (2000), 2385-2404.
    .. [2] S. Mika, G. Raetsch, J. Weston, B. Schoelkopf and K.-R. Mueller, "Fisher discriminant
       analysis with kernels", Neural Networks for Signal Processing IX (1999), 41-48.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from discrimap import KernelDiscriminantAnalysis
    >>> X, y = load_wine(return_X_y=True)
    >>> KernelDiscriminantAnalysis(n_components=2).fit_transform(scale(X), y).shape
    (178, 2)
    """

    _median_width = True
    _ignores_offset = True
    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        **KERNEL_CONSTRAINTS,
        "ridge": [Interval(Real, 0, np.inf, closed="left")],
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
        ridge: float = 1e-3,
        n_landmarks: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.ridge = ridge
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Find the discriminants.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, or their Gram matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : KernelDiscriminantAnalysis
            The fitted estimator.
        """
        samples = validate_labelled(self, X, y)
        X, labels, self.classes_ = samples.array, samples.labels, samples.classes
        self._check_kernel(X)
        kernel_rows = self._training_rows(X)  # (n_samples, n_landmarks)
        whitening = gram_whitening(kernel_rows[self.landmark_indices_])  # (n_landmarks, rank)
        check_n_components(self.n_components, whitening.shape[1], "rank(Gram matrix)")

        coordinates = kernel_rows @ whitening  # in an orthonormal basis of the feature space
        counts, means = class_means(coordinates, labels, len(self.classes_), None)
        offsets, mean = class_offsets(counts, means)
        coordinates -= mean
        scatter = coordinates.T @ coordinates / len(coordinates)
        coefficients = solve_scatter(scatter, self.ridge * np.trace(scatter), offsets)
        directions, self.eigenvalues_ = rotate_to_discriminants(
            coefficients, offsets, self.n_components
        )
        # Rescale from (S_t + ridge I) = diag(share) to (S_w + ridge I) = I, with scikit-learn's
        # degrees of freedom. Zero directions stay zero.
        share = np.where(self.eigenvalues_ > 0, self.eigenvalues_, 1.0)
        within = share * np.maximum(1.0 - self.eigenvalues_, LEAST_WITHIN)
        freedom = max(len(X) - len(counts), 1) / len(X)
        directions = orient(directions * np.sqrt(freedom / within))

        self.dual_coef_ = (whitening @ directions).T.astype(X.dtype)
        self.offset_ = (mean @ directions).astype(X.dtype)
        return self
