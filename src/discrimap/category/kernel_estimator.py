"""Category space in the feature space of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from discrimap._sklearn import StrOptions
from discrimap._typing import Array, MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.base.kernel_projection import (
    KERNEL_CONSTRAINTS,
    KernelProjection,
    gram_whitening,
)
from discrimap.category.axes import CategoryAxesMixin, ClassScatter, refuse_more_classes_than
from discrimap.category.objective import SquareAxes
from discrimap.optimisers.monitor import Step
from discrimap.samples.validation import validate_labelled


class KernelCategorySpace(CategoryAxesMixin, KernelProjection):
    """Category space of a kernel: one orthonormal axis per class in its feature space.

    Maximises the objectives of :class:`~discrimap.CategorySpace` with ``phi(x)`` in place of x, as in
    Sec. 3.3 of [1]_. Axes are linear combinations of the training samples,
    ``w_k = sum_i alpha_ki phi(x_i)`` with ``A G A' = I`` for the Gram matrix G, whose null space is
    removed first. Costs O(n^3), or with m landmarks (Nystroem) O(n m (p + m)) and O(n m) memory.

    With a narrow Gaussian kernel the samples of a class are close to its axis, so the angle
    classifier (``predict``) works well.

    Parameters
    ----------
    objective : {"square", "absolute"}, default="square"
        Objective to maximise.
    kernel : str or callable, default="rbf"
        A name that :func:`sklearn.metrics.pairwise.pairwise_kernels` knows, a function of two
        samples, or "precomputed": X is then the Gram matrix of the training samples, and in
        ``transform`` the kernel between new and training samples.
    gamma : float, default=None
        Coefficient of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2"; None is
        scikit-learn's default, ``1 / n_features`` for most of them.
    sigma : float, default=None
        Width of the "rbf" kernel ``exp(-d^2 / (2 sigma^2))``, instead of gamma.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1
        Constant term of the "poly" and "sigmoid" kernels.
    n_landmarks : int, default=None
        Number of training samples, drawn at random, that span the axes; None uses all.
    origin : {"zero", "class", "global"}, default="zero"
        Origin of the axes during the search, in the feature space. ``transform`` subtracts the mean
        for "global" and nothing otherwise. A linear classifier on the map was more accurate with
        "zero" than with "class"; by angle, and with narrow kernels, "class" is better on some data
        sets with the square objective (docs/benchmarks/category.md).
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in :class:`~discrimap.CategorySpace`.
    init : {"greedy", "random"}, default="greedy"
        The first start, as in :class:`~discrimap.CategorySpace`.
    n_init : int or "auto", default="auto"
        Number of starts; "auto" is 1 for the square objective and 10 for the absolute objective.
    smoothing : float, default=0.1
        The length e of the absolute objective, as a fraction of the root mean square distance of
        samples from their origin.
    max_iter : int, default=1000
        Maximum number of iterations of one start.
    tol : float, default=1e-8
        Stop when the part of the gradient tangent to the constraint has fallen to this fraction
        of the gradient.
    random_state : int, RandomState instance or None, default=None
        Seed of the landmarks and the random starts.
    verbose : int, default=0
        1 prints every tenth iteration to stderr, 2 every iteration.
    callback : callable, default=None
        Called after each iteration with a :class:`~discrimap.optimisers.Step`; a true result
        stops.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_classes, n_landmarks)
        The coefficients alpha of each axis. The signs are such that the mean coordinate of a class
        along its axis is positive.
    landmarks_ : ndarray of shape (n_landmarks, n_features) or None
        The training samples that span the axes; None for a precomputed kernel.
    landmark_indices_ : ndarray of shape (n_landmarks,)
        Indices of the landmarks in the training data.
    sigma_ : float or None
        The value of sigma.
    offset_ : ndarray of shape (n_classes,)
        Coordinates of the origin; ``transform(X) == K(X, landmarks) @ dual_coef_.T - offset_``.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    objective_ : float
        The value reached.
    loss_curve_ : ndarray of shape (n_iterations + 1,)
        The objective at the start and after each iteration; it never decreases.
    n_iter_ : int
        Number of iterations of the best start.
    stopping_reason_ : str
        Reason why the search from the best start ended.

    References
    ----------
    .. [1] A. O. Smith and A. Rangarajan, "A category space approach to supervised dimensionality
       reduction", arXiv:1610.08838 (2016).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import minmax_scale
    >>> from discrimap import KernelCategorySpace
    >>> X, y = load_iris(return_X_y=True)
    >>> space = KernelCategorySpace(sigma=0.3).fit(minmax_scale(X), y)
    >>> space.score(minmax_scale(X), y) > 0.95
    True
    """

    _parameter_constraints = CategoryAxesMixin._axes_constraints | {
        **KERNEL_CONSTRAINTS,
        "init": [StrOptions({"greedy", "random"})],
    }

    def __init__(
        self,
        objective: Literal["square", "absolute"] = "square",
        *,
        kernel: str | Callable[..., Any] = "rbf",
        gamma: float | None = None,
        sigma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        n_landmarks: int | None = None,
        origin: Literal["zero", "class", "global"] = "zero",
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        init: Literal["greedy", "random"] = "greedy",
        n_init: int | Literal["auto"] = "auto",
        smoothing: float = 0.1,
        max_iter: int = 1000,
        tol: float = 1e-8,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: Callable[[Step], object] | None = None,
    ) -> None:
        self.objective = objective
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.origin = origin
        self.class_weight = class_weight
        self.init = init
        self.n_init = n_init
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, or their Gram matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Class labels, at most as many classes as the rank of the Gram matrix.

        Returns
        -------
        self : KernelCategorySpace
            The fitted estimator.
        """
        samples = validate_labelled(self, X, y)
        X, self.classes_ = samples.array, samples.classes
        self._check_kernel(X)
        weights = self._class_weights(samples.class_counts())
        kernel_rows = self._training_rows(X)  # (n_samples, n_landmarks)
        whitening = gram_whitening(kernel_rows[self.landmark_indices_])  # (n_landmarks, rank)
        refuse_more_classes_than(
            whitening.shape[1],
            "rank(Gram matrix)",
            len(self.classes_),
            "a kernel of higher rank (standardise X, or pass a smaller sigma)",
        )
        scatter = ClassScatter(samples.with_array(kernel_rows), self.origin)
        blocks: list[Any] | None = scatter.rows

        n_samples, rank = len(X), whitening.shape[1]
        if self.objective == "square" and 2 * n_samples > len(self.classes_) * rank:
            scatters = [
                weight * whitened_scatter(block, whitening)
                for weight, block in zip(weights, scatter.rows, strict=True)
            ]
            blocks, square = None, SquareAxes.from_scatters(np.stack(scatters))
        else:
            blocks = [block @ whitening for block in scatter.rows]
            square = SquareAxes(blocks, weights)

        axes = self._search(blocks, weights, square)

        dual_coef = (whitening @ axes).T
        dual_coef *= scatter.signs_of(dual_coef)
        self.offset_, self.dual_coef_ = dual_coef @ scatter.overall, dual_coef
        return self


def whitened_scatter(rows: Array, whitening: Array) -> Any:
    """Return ``whitening' rows' rows whitening``, in the order of products that takes fewer operations.

    For n rows of m numbers, whitened to as many: 3 n m^2 if the rows are whitened first, and
    n m^2 + 4 m^3 if their scatter is.
    """
    if len(rows) > 2 * len(whitening):
        return whitening.T @ (rows.T @ rows) @ whitening
    whitened = rows @ whitening
    return whitened.T @ whitened
