"""Category space: one orthonormal axis per class."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.utils.validation import check_array

from discrimap._typing import MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.base.linear_projection import LinearProjection
from discrimap.category.axes import CategoryAxesMixin, ClassScatter, refuse_more_classes_than
from discrimap.category.objective import SquareAxes
from discrimap.optimisers.monitor import Step
from discrimap.samples.validation import validate_labelled


class CategorySpace(CategoryAxesMixin, LinearProjection):
    """Category space: one orthonormal axis per class, along the scatter of that class.

    With C classes there are C components; the k-th measures how much a sample resembles class k. The
    axes maximise, over all orthonormal ``w_1 .. w_C``, the square objective (CQS, Eq. (38) of [1]_)
    or the absolute objective (CAS, Eq. (6)):

        1/2 sum_k omega_k sum_{i in k} (w_k'(x_i - o))^2     or
        sum_k omega_k sum_{i in k} sqrt((w_k'(x_i - o))^2 + e^2)

    The origin o is the mean of all samples, the mean of the class, or zero. The text of the paper
    describes the first, its Eq. (24) the second. Costs O(n p^2) once and O(C p^2) per iteration
    (square), or O(n p) per iteration (absolute, or square with few samples). With more features than
    samples the axes are found in the space spanned by the samples.

    From the greedy start the square objective reached the best of 60 random starts on all of the
    paper's data sets, and ``certify`` proves most of these axes optimal
    (docs/benchmarks/category.md). For ``certify`` the estimator stores the scatter matrices of the
    classes, or the samples if these need less memory.

    The estimator is also a classifier by angle, which the paper proposes for kernels. Without a
    kernel, angles do not distinguish opposite sides of the origin: use another classifier on the
    output of ``transform``, or :class:`~discrimap.KernelCategorySpace`.

    Parameters
    ----------
    objective : {"square", "absolute"}, default="square"
        Objective to maximise. The absolute objective is more robust to outliers, but has local
        maxima that require several starts.
    origin : {"global", "class", "zero"}, default="global"
        Origin of the axes during the search. ``transform`` subtracts the mean of all samples for
        "global" and nothing otherwise, as in the paper. A linear classifier on the map was more
        accurate with "global" than with "class" (docs/benchmarks/category.md).
    class_weight : dict, "balanced" or None, default=None
        Weights omega of the classes. "balanced" divides by the number of samples of the class; with
        None large classes dominate.
    init : {"greedy", "random"} or array-like of shape (n_classes, n_features), default="greedy"
        The first start. "greedy" repeatedly assigns its leading eigenvector to the class with the
        largest eigenvalue in the remaining complement; "random" draws axes at random; an array
        holds orthonormal rows.
    n_init : int or "auto", default="auto"
        Number of starts, of which the best result is kept; those after the first are random. "auto"
        is 1 for the square objective and 10 for the absolute objective.
    smoothing : float, default=0.1
        The length e of the absolute objective, as a fraction of the root mean square distance of
        samples from their origin. Smaller is closer to absolute values and has more local maxima.
    max_iter : int, default=1000
        Maximum number of iterations of one start.
    tol : float, default=1e-8
        Stop when the part of the gradient tangent to the constraint has fallen to this fraction
        of the gradient.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts; the greedy start is deterministic.
    verbose : int, default=0
        1 prints every tenth iteration to stderr, 2 every iteration.
    callback : callable, default=None
        Called after each iteration with a :class:`~discrimap.optimisers.Step`; a true result
        stops.

    Attributes
    ----------
    components_ : ndarray of shape (n_classes, n_features)
        Orthonormal rows, one axis per class in the order of ``classes_``. The signs are such that the
        mean coordinate of a class along its axis is positive; if it is zero, the largest entry is
        positive.
    mean_ : ndarray of shape (n_features,)
        The origin of ``transform``: the mean of all samples, or zero.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    objective_ : float
        The value reached, in the units of X.
    loss_curve_ : ndarray of shape (n_iterations + 1,)
        The objective at the start and after each iteration; it never decreases.
    n_iter_ : int
        Number of iterations of the best start.
    stopping_reason_ : str
        Reason why the search from the best start ended.

    See Also
    --------
    KernelCategorySpace : Category space in the feature space of a kernel.

    References
    ----------
    .. [1] A. O. Smith and A. Rangarajan, "A category space approach to supervised dimensionality
       reduction", arXiv:1610.08838 (2016).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from discrimap import CategorySpace
    >>> X, y = load_wine(return_X_y=True)
    >>> space = CategorySpace().fit(scale(X), y)
    >>> space.transform(scale(X)).shape
    (178, 3)
    >>> space.certify().certified
    True
    """

    _accepts_dask = True
    _parameter_constraints = CategoryAxesMixin._axes_constraints

    def __init__(
        self,
        objective: Literal["square", "absolute"] = "square",
        *,
        origin: Literal["global", "class", "zero"] = "global",
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        init: Literal["greedy", "random"] | ArrayLike = "greedy",
        n_init: int | Literal["auto"] = "auto",
        smoothing: float = 0.1,
        max_iter: int = 1000,
        tol: float = 1e-8,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: Callable[[Step], object] | None = None,
    ) -> None:
        self.objective = objective
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
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, at most as many classes as features.

        Returns
        -------
        self : CategorySpace
            The fitted estimator.
        """
        samples = validate_labelled(self, X, y, only_in_memory=self._only_in_memory())
        self.classes_ = samples.classes
        n_samples, n_features = samples.shape
        refuse_more_classes_than(n_features, "n_features", samples.n_classes)
        weights = self._class_weights(samples.class_counts())
        scatter = ClassScatter(samples, self.origin, self.objective == "square")

        blocks, basis = scatter.rows, None
        if n_features > n_samples:
            blocks, basis = in_the_space_of_the_samples(blocks)
        square = SquareAxes(blocks, weights)
        self._refuse_low_rank(blocks, square)

        axes = self._search(blocks, weights, square, self._start(n_features, basis))

        components = (axes if basis is None else basis @ axes).T
        components = components * scatter.signs_of(components)
        self.components_ = np.ascontiguousarray(components, dtype=samples.dtype)
        self.mean_ = scatter.overall.astype(samples.dtype)
        return self

    def _only_in_memory(self) -> Iterator[str]:
        if self.objective == "absolute":
            yield (
                "objective='absolute' needs every sample in every step and does not support Dask "
                "collections; pass objective='square', or fit to a sample of the rows in memory."
            )

    def _start(self, n_features: int, basis: Any) -> Any:
        if isinstance(self.init, str):
            return None
        rows = check_array(self.init, dtype=np.float64, input_name="init")
        shape = (len(self.classes_), n_features)
        if rows.shape != shape:
            raise ValueError(
                f"init has shape {rows.shape}, but {shape[0]} classes and {shape[1]} features "
                f"need {shape}."
            )
        start = rows.T if basis is None else basis.T @ rows.T
        if not np.allclose(start.T @ start, np.eye(shape[0]), atol=1e-6):
            raise ValueError(
                "init must have orthonormal rows within the space of the samples; pass "
                "scipy.linalg.orth(init.T).T or the components_ of another fit."
            )
        return start

    def _refuse_low_rank(self, blocks: Any, square: Any) -> None:
        """Raise an error if classes outnumber independent directions: axes would be arbitrary."""
        values = linalg.eigvalsh(square.total_scatter())
        rank = np.sum(values > len(values) * np.finfo(np.float64).eps * values[-1])
        if rank < square.n_classes:
            # Scatter matrices lose half of the digits: check the samples before raising the error.
            rank = int(np.linalg.matrix_rank(np.vstack(blocks)))
            limit_name = f"rank(X about the {self.origin} origin)"
            refuse_more_classes_than(rank, limit_name, square.n_classes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Without a kernel, angles do not distinguish opposite sides of the origin.
        tags.classifier_tags.poor_score = True
        return tags


def in_the_space_of_the_samples(blocks: Any) -> Any:
    """Return coordinates in an orthonormal basis of the samples, for more features than samples.

    Nothing is lost: the gradients of both objectives, and therefore the axes, lie in this space.
    """
    basis, triangle = linalg.qr(np.vstack(blocks).T, mode="economic")
    ends = np.cumsum([len(block) for block in blocks])[:-1]
    return np.split(np.ascontiguousarray(triangle.T), ends), basis
