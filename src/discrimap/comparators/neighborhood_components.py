"""Neighbourhood components analysis."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from discrimap._sklearn import Interval, StrOptions
from discrimap._typing import Array, MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.base.iterative_fit import IterativeFit
from discrimap.base.linear_projection import LinearProjection
from discrimap.linalg.directions import discriminant_directions, principal_directions
from discrimap.linalg.row_space import RowSpace
from discrimap.linalg.signs import orient
from discrimap.optimisers import minimise, warn_unless_converged
from discrimap.optimisers.monitor import Step
from discrimap.samples.validation import check_n_components, check_start, validate_labelled

# exp(-|z|^2) is a Gaussian of this width.
BANDWIDTH = math.sqrt(0.5)
# Added to the within-class variance of features whose mean variance is 1, for the LDA start. It only has
# an effect where there is no variance within classes.
RIDGE = 1e-8
# Samples with a smaller probability of a neighbour of the own class have no effect on the gradient. In
# wide maps these are most samples that have few neighbours of any class, and take the most time.
NEGLIGIBLE = 1e-20


class NeighborhoodComponents(IterativeFit, LinearProjection):
    """Neighbourhood components analysis (NCA): the linear map for nearest neighbours of the own class.

    Sample i selects another sample j as its neighbour with a probability that decreases with the
    distance in the map ``z = W'x``. NCA [1]_ maximises the mean probability that the neighbour is
    of the own class,

        f(W) = 1/n  sum_i p_i,
        p_i = sum_{j != i, c_j = c_i} exp(-|z_i - z_j|^2)  /  sum_{j != i} exp(-|z_i - z_j|^2),

    which is the expected leave-one-out accuracy of these random neighbours. W is not constrained, so
    that its length also determines how far neighbours are. The only sample of a class has ``p_i = 0``
    for every W: it has an effect as a neighbour of others.

    An iteration costs O(n p d) for products and O(n^2 d) for the sums over all pairs of points. Many
    samples in up to three dimensions are summed by Fourier series, in linear time, as long as this is
    faster; it is not in maps that are hundreds of times as wide as the Gaussians, which NCA often
    finds. Memory is O(n p): there is no array of all pairs. With more features than samples, the samples
    are first replaced by their coordinates in their span, in O(n^2 p + n^3).

    scikit-learn's :class:`~sklearn.neighbors.NeighborhoodComponentsAnalysis` maximises the same function
    with several n x n arrays. Other differences:

    - The result does not depend on the unit of X: all features are divided by the same number, the root
      of their mean variance. On standardised features this has no effect.
    - The axes are the principal axes of the map, with fixed signs. Distances in the map, and hence f, do
      not depend on them.
    - The search ends when the mean gain over five iterations is below ``tol``, not the gain of one
      iteration, and it may take more than 50 iterations. There is a warning if it has not ended.

    Parameters
    ----------
    n_components : int, default=2
        Number of components, at most ``n_features``.
    init : {"auto", "lda", "pca", "identity", "random"} or array-like of shape \
            (n_components, n_features), default="auto"
        Initial map. "auto" is "lda" with fewer components than classes, otherwise "pca" with fewer
        components than features and samples, otherwise "identity". "lda" has at most
        ``n_classes - 1`` components. "random" has normally distributed entries. "pca" and "identity" have
        rows of length 1. All but an array refer to features whose mean variance is 1.
    engine : {"auto", "exact", "fourier"}, default="auto"
        Method of computing kernel sums; see :func:`discrimap.kernel_sums.make_point_engine`.
    max_iter : int, default=200
        Maximum number of L-BFGS iterations.
    tol : float, default=1e-4
        Stop when f increases by less than this fraction per iteration.
    random_state : int, RandomState instance or None, default=None
        Random number generator of ``init="random"``.
    verbose : int, default=0
        1 prints every tenth iteration to stderr, 2 every iteration.
    callback : callable, default=None
        Called with a :class:`~discrimap.optimisers.Step`; a true return value stops the fit.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map, as rows. The length of a row is part of the result.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    objective_ : float
        Minus f(W), which is minimised.
    loss_curve_ : ndarray of shape (n_iterations + 1,)
        The objective at the start and after each iteration.
    n_iter_ : int
        Number of iterations, at least 1.
    stopping_reason_ : str
        Reason why the search ended.

    References
    ----------
    .. [1] J. Goldberger, S. Roweis, G. Hinton and R. Salakhutdinov, "Neighbourhood components
       analysis", Advances in Neural Information Processing Systems 17 (2005), 513-520.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from discrimap import NeighborhoodComponents
    >>> X, y = load_wine(return_X_y=True)
    >>> nca = NeighborhoodComponents(n_components=2).fit(scale(X), y)
    >>> nca.transform(scale(X)).shape
    (178, 2)
    >>> nca.objective_ < -0.99
    True
    """

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"auto", "lda", "pca", "identity", "random"}), "array-like"],
        "engine": [StrOptions({"auto", "exact", "fourier"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "callback": [callable, None],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        init: Literal["auto", "lda", "pca", "identity", "random"] | ArrayLike = "auto",
        engine: Literal["auto", "exact", "fourier"] = "auto",
        max_iter: int = 200,
        tol: float = 1e-4,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: Callable[[Step], object] | None = None,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.engine = engine
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Find the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : NeighborhoodComponents
            The fitted estimator.
        """
        checked = validate_labelled(self, X, y)
        check_n_components(self.n_components, checked.shape[1])
        if checked.class_counts().max() < 2:
            raise ValueError(
                "every class has one sample, and the objective compares a sample with the others of its "
                "class; pass a class with 2 samples or more."
            )
        self.classes_ = checked.classes
        samples, mean = checked.centred()
        unit = root_mean_variance(samples.array, checked.value_range())
        np.divide(samples.array, unit, out=samples.array)
        span = None
        if samples.shape[1] > samples.shape[0]:
            span = RowSpace(samples.array)
            samples = samples.with_array(span.coordinates)
            check_n_components(self.n_components, samples.shape[1], "rank(X)")

        objective = NeighborhoodObjective(samples, self.n_components, self.engine)
        solution = minimise(
            objective,
            self._start(samples, unit, span),
            max_iter=self.max_iter,
            tol=self.tol,
            callback=self._step_callback(),
        )

        W = principal_axes(samples, solution.params) / unit
        W = orient(W if span is None else span.to_features(W))
        self.components_ = np.ascontiguousarray(W.T, dtype=checked.dtype)
        self.mean_ = mean.astype(checked.dtype)
        self.objective_ = solution.value
        self.loss_curve_ = solution.loss_curve
        # scikit-learn requires at least one iteration, even if the start cannot be improved.
        self.n_iter_ = max(solution.n_iter, 1)
        self.stopping_reason_ = solution.message
        warn_unless_converged(solution, type(self).__name__)
        return self

    def _start(self, samples: Any, unit: float, span: RowSpace | None) -> Any:
        """Initial W of shape (n_features, n_components), for samples in units of ``unit``."""
        if not isinstance(self.init, str):
            W = unit * check_start(self.init, self.n_components, self.n_features_in_).T
            return W if span is None else span.from_features(W)
        n_features, n_most = samples.shape[1], samples.n_classes - 1
        init = self.init
        if init == "auto":
            init = "pca" if self.n_components < min(samples.shape) else "identity"
            init = "lda" if self.n_components <= min(n_features, n_most) else init
        if init == "lda":
            check_n_components(self.n_components, n_most, "n_classes - 1 of init='lda'")
            return lda_start(samples, self.n_components)
        if init == "pca":
            return principal_directions(samples.total_scatter(), self.n_components)
        if init == "identity":
            return np.eye(n_features, self.n_components)
        random_state = check_random_state(self.random_state)
        return random_state.standard_normal((n_features, self.n_components))


class NeighborhoodObjective:
    """Minus the mean probability of neighbours of the own class; see :class:`NeighborhoodComponents`.

    With the logarithms of the two sums, ``p_i = exp(own_i - all_i)``, and the derivatives of p_i with
    respect to the logarithms are p_i and -p_i.

    Parameters
    ----------
    samples : Samples
        Data matrix X and the class of each row.
    n_components : int
        Number of columns of W.
    engine
        As in :meth:`~discrimap.samples.interface.Samples.log_sums`.
    """

    def __init__(self, samples: Any, n_components: int, engine: str = "auto") -> None:
        self.sums = samples.log_sums(BANDWIDTH, n_components, engine=engine)

    def value_and_grad(self, W: Array) -> Any:
        evaluation = self.sums.evaluate(W)
        p = np.exp(evaluation.log_own - evaluation.log_all)  # (n_samples,)
        # The derivatives of points whose neighbours are all of one class are less than rounding errors.
        slopes = np.where((p < NEGLIGIBLE) | (p == 1.0), 0.0, -p / len(p))
        return -float(p.mean()), evaluation.pullback(slopes, -slopes)


def root_mean_variance(centred: Array, extremes: Any) -> float:
    """Square root of the mean variance of the features that are not constant; 1 if there are none."""
    lowest, highest = extremes
    n_varying = int(np.count_nonzero(highest > lowest))
    return float(np.linalg.norm(centred)) / math.sqrt(max(len(centred) * n_varying, 1)) or 1.0


def lda_start(samples: Any, n_components: int) -> Any:
    """LDA directions as columns, scaled such that the variance within classes is 1 in the map."""
    moments = samples.class_moments()
    within = moments.within / len(samples)
    return discriminant_directions(within, moments.between, n_components, RIDGE)


def principal_axes(samples: Any, W: Array) -> Any:
    """Rotate the map to its principal axes; distances, and thereby the objective, stay the same."""
    return W @ principal_directions(samples.projected(W).total_scatter())
