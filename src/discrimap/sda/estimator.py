"""Stochastic discriminant analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from discrimap._sklearn import Interval, StrOptions, check_sample_weight
from discrimap._typing import Array, MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.base.iterative_fit import IterativeFit
from discrimap.base.linear_projection import LinearProjection
from discrimap.linalg.signs import sign_of_columns
from discrimap.optimisers import METHODS, warn_unless_converged
from discrimap.optimisers.monitor import Step
from discrimap.samples.in_memory import ArraySamples
from discrimap.samples.on_dask.limits import why_not_on_dask
from discrimap.samples.validation import check_n_components, validate_labelled
from discrimap.sda.alpha_search import (
    COARSE,
    EPSILON_SHARES,
    search,
    validation_splits,
)
from discrimap.sda.copies import without_copies
from discrimap.sda.held_out import HeldOut
from discrimap.sda.objective import pair_targets
from discrimap.sda.problem import Settings, StochasticDiscriminantProblem

# Power of the number of classes that is epsilon, chosen by benchmarks/sda_epsilon.py; the paper's is -1.
AUTO_POWER = -2.0
# With fewer samples per feature than this, alpha="auto" searches for a penalty (benchmarks/sda_penalty.py).
FEW_PER_FEATURE = 5
# Attributes of a fit that searched for its parameters.
SEARCH_RESULTS = ("alphas_", "cv_errors_", "epsilons_", "epsilon_errors_")


class StochasticDiscriminantAnalysis(IterativeFit, LinearProjection):
    """Stochastic discriminant analysis (SDA).

    Finds the linear map whose pair probabilities ``q_ij ~ 1 / (1 + |z_i - z_j|^2)`` come closest
    to those of the classes, ``p_ij ~ 1`` within a class and ``epsilon`` between, Eq. (18) of [1]_::

        minimise  sum_ij p_ij log(p_ij / q_ij) + alpha |W|^2

    The map keeps samples of a class together and classes apart. It spreads the classes over the
    plane instead of crowding them as LDA does, and works best with many classes in two or three
    dimensions.

    The paper's method costs O(n^2) for each step. Here a step costs O(n p d) and two class-wise
    kernel sums, which are linear in n for up to three components (``engine="fourier"``). Three more
    things differ from its Algorithm 1, none of which changes the objective: with at least as many
    features as samples the problem is solved in the span of the samples; with clearly more samples,
    or a penalty, the descent runs in coordinates whitened by the scatter within the classes; and
    because the classes can be arranged in many ways, several starts are compared on a part of the
    samples before the best is continued on all of them.

    Parameters
    ----------
    n_components : int, default=2
        Number of components, at most ``n_features``. More than ``n_classes - 1`` have no benefit.
    epsilon : "auto", "paper", "cv" or float in (0, 1], default="auto"
        Target similarity of samples of different classes, which corresponds to a distance of
        ``sqrt(1 / epsilon - 1)``. "paper" is ``1 / n_classes``. "auto" is ``1 / n_classes**2``,
        which leaves the classes more room and had a lower held-out error on most data sets
        (``benchmarks/sda_epsilon.py``). A large value, such as 0.9, gives the hypersphere embedding
        (Sec. 3.3). "cv" compares ``1 / n_classes``, a tenth and a hundredth of it on samples held
        out as for ``alpha``.
    alpha : "auto", "cv" or float, default=0.0
        Weight of the penalty on the squared entries of the map. "cv" is regularised SDA (RSDA): ten
        values are compared by the 1-nearest-neighbour error on a fifth of the samples, held out at
        random from each class (Sec. 4.1.1), up to five times if there are few samples. They are the
        paper's, times the mean variance of the features, so that the units do not matter. Each fit
        starts from the solution for the next larger penalty, the first from a penalty so large that
        there is hardly more than one arrangement of the classes. The last fit, to all samples,
        compares the solution with the smallest held-out error with other starts, see ``n_init``.
        Use it when there are few samples for each feature. "auto" is "cv" with fewer than five
        samples for each feature, else 0.
    label_noise : float or array-like of shape (n_classes, n_classes), default=0.0
        Reliability of the labels (Sec. 3.4): the rate of wrong labels, or a matrix whose entry
        (a, b) is the probability that a sample labelled a belongs to class b.
    normalisation : {"pairs", "rows"}, default="pairs"
        Which probabilities sum to one: those of all pairs together, as in the paper, or those of the
        pairs of each sample, as in stochastic neighbour embedding. With "rows" the objective is the
        mean over the samples of their divergences::

            minimise  1/n sum_i sum_j p_j|i log(p_j|i / q_j|i) + alpha |W|^2

        with ``q_j|i = qbar_ij / sum_k qbar_ik`` for ``qbar_ij = 1 / (1 + |z_i - z_j|^2)``, and
        ``p_j|i`` likewise, each sample with itself included. All samples count the same, however
        many neighbours they have in the map. "rows" had a lower held-out error on most data sets
        (``benchmarks/sda_objectives.py``). An evaluation takes about twice as long, and the samples
        must be in memory.
    init : {"pca", "lda", "random"} or array-like of shape (n_components, n_features), default="pca"
        The first start. An array is used as the initial ``components_``.
    n_init : int, default=30
        Number of starts that are compared, the first from ``init`` or from the search for ``alpha``
        and ``epsilon``, the second from LDA, and the others random, unless ``init`` is an array or
        there are at least ``n_classes - 1`` components. Of maps whose divergences differ by less
        than 1 %, the one is taken in which fewest samples are outvoted by their five nearest
        neighbours.
    solver : {"lbfgs", "gd", "bb", "cg", "pcg", "rcg", "sd"}, default="lbfgs"
        The optimiser. The others are those that Table 2 of [1]_ compares with limited-memory BFGS,
        kept so that it can be repeated; see :func:`~discrimap.optimisers.minimise`.
    preconditioner : {"auto", "within", "none"}, default="auto"
        Whether to whiten by the scatter within the classes; "auto" does so with a penalty, or
        with at least twice as many samples as features.
    engine : {"auto", "exact", "fourier"}, default="auto"
        Method of computing the kernel sums; "fourier" is for at most three components.
    engine_tol : float, default=1e-6
        Relative accuracy of the Fourier engine.
    max_iter : int, default=1000
        Limit of iterations.
    tol : float, default=1e-4
        Stop when the objective falls by no more than this fraction per iteration, on average over
        five. With the default, the objective on training data was within 0.1 % of that of a fully
        converged descent on seven data sets (``benchmarks/papers/sda.py --part tolerance``); with
        ten times the default it was not.
    random_state : int, RandomState or None, default=None
        Determines the random starts and the samples held out.
    verbose : int, default=0
        1 prints every tenth iteration to stderr, 2 all.
    callback : callable, default=None
        Called after each iteration of the last descent with a
        :class:`~discrimap.optimisers.Step`, whose params are in the coordinates of the descent; a
        true result stops it.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map, rotated so that its rows are orthogonal, by decreasing norm. The norms matter:
        they set the scale at which ``1 / (1 + r^2)`` bends.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    epsilon_ : float
        The similarity used.
    alpha_ : float
        The penalty used.
    alphas_, cv_errors_ : ndarray of shape (n_alphas,)
        With ``alpha="cv"``: the penalties tried, in increasing order, and their errors.
    epsilons_, epsilon_errors_ : ndarray of shape (n_epsilons,)
        With ``epsilon="cv"``: the values tried, and the smallest error of each.
    objective_ : float
        The divergence reached, penalty included.
    loss_curve_ : ndarray of shape (n_iterations + 1,)
        The objective at the start of the last descent and after each iteration.
    n_iter_ : int
        Iterations of the last descent.
    stopping_reason_ : str
        Reason why the last descent ended.

    References
    ----------
    .. [1] M. Juuti, F. Corona and J. Karhunen, "Stochastic discriminant analysis for linear
       supervised dimension reduction", Neurocomputing 291 (2018), 136-150.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from discrimap import StochasticDiscriminantAnalysis
    >>> X, y = load_digits(return_X_y=True)
    >>> sda = StochasticDiscriminantAnalysis(n_components=2, random_state=0).fit(X, y)
    >>> sda.transform(X).shape
    (1797, 2)
    """

    _accepts_sparse = True
    _accepts_dask = True

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "epsilon": [StrOptions({"auto", "paper", "cv"}), Interval(Real, 0, 1, closed="right")],
        "alpha": [StrOptions({"auto", "cv"}), Interval(Real, 0, None, closed="left")],
        "label_noise": [Interval(Real, 0, 1, closed="left"), "array-like"],
        "normalisation": [StrOptions({"pairs", "rows"})],
        "init": [StrOptions({"pca", "lda", "random"}), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "solver": [StrOptions(set(METHODS))],
        "preconditioner": [StrOptions({"auto", "within", "none"})],
        "engine": [StrOptions({"auto", "exact", "fourier"})],
        "engine_tol": [Interval(Real, 0, 1, closed="neither")],
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
        epsilon: float | Literal["auto", "paper", "cv"] = "auto",
        alpha: float | Literal["auto", "cv"] = 0.0,
        label_noise: float | ArrayLike = 0.0,
        normalisation: Literal["pairs", "rows"] = "pairs",
        init: Literal["pca", "lda", "random"] | ArrayLike = "pca",
        n_init: int = 30,
        solver: Literal["lbfgs", "gd", "bb", "cg", "pcg", "rcg", "sd"] = "lbfgs",
        preconditioner: Literal["auto", "within", "none"] = "auto",
        engine: Literal["auto", "exact", "fourier"] = "auto",
        engine_tol: float = 1e-6,
        max_iter: int = 1000,
        tol: float = 1e-4,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: Callable[[Step], object] | None = None,
    ) -> None:
        self.n_components = n_components
        self.epsilon = epsilon
        self.alpha = alpha
        self.label_noise = label_noise
        self.normalisation = normalisation
        self.init = init
        self.n_init = n_init
        self.solver = solver
        self.preconditioner = preconditioner
        self.engine = engine
        self.engine_tol = engine_tol
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the map.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; 2 is the same as a repeated sample, 0 as one that is left out. With more than
            20,000 samples this holds up to the parts of the samples that are drawn at random.

        Returns
        -------
        self : StochasticDiscriminantAnalysis
            The fitted estimator.
        """
        samples = self._checked(X, y, sample_weight)
        rng = _generator(self.random_state)
        self.alpha_ = self._alpha_for(samples)
        settings = self._settings()

        start = None if isinstance(self.init, str) else self._given_start(samples.shape[1])
        for name in SEARCH_RESULTS:  # of an earlier fit; this one may not search
            self.__dict__.pop(name, None)
        if "cv" in (self.alpha_, self.epsilon):
            settings, start = self._search(samples, settings, start, rng)

        problem = StochasticDiscriminantProblem(samples, settings)
        start = None if start is None else problem.from_features(start)
        solution = problem.solve(
            self.alpha_,
            start=start,
            n_init=self.n_init,
            explores=isinstance(self.init, str),
            rng=rng,
            callback=self._step_callback(),
        )

        self.mean_ = problem.mean.astype(samples.dtype)
        components = _principal_rotation(problem.to_features(solution.params))
        self.components_ = components.astype(samples.dtype)
        self.objective_ = solution.value
        self.loss_curve_ = solution.loss_curve
        self.n_iter_ = solution.n_iter
        self.stopping_reason_ = solution.message
        warn_unless_converged(solution, type(self).__name__)
        return self

    @property
    def choices_(self) -> tuple[str, ...]:
        """Notes on what ``alpha="auto"`` has chosen, for the table of a comparison."""
        if self.alpha == "auto" and self.alpha_ > 0:
            return ("regularised (RSDA), because there are fewer than five samples per feature",)
        return ()

    def _alpha_for(self, samples: Any) -> Any:
        if self.alpha != "auto":
            return self.alpha
        return "cv" if _has_many_features(samples) and samples.class_counts().max() > 2 else 0.0

    def _checked(self, X: Any, y: Any, sample_weight: Any) -> Any:
        samples = validate_labelled(
            self, X, y, accept_sparse=True, only_in_memory=self._only_in_memory(sample_weight)
        )
        check_n_components(self.n_components, samples.shape[1])
        _check_variance(samples)
        if sample_weight is not None:
            samples = _with_weights(samples, sample_weight)
        self.classes_ = samples.classes
        return without_copies(samples)

    def _only_in_memory(self, sample_weight: ArrayLike | None) -> Iterator[str]:
        """Yield a message for each parameter that is not supported for dask collections."""
        yield from why_not_on_dask(self.engine, self.n_components)
        if sample_weight is not None:
            yield (
                "sample_weight is not supported for dask collections; repeat samples, or fit in memory."
            )
        if self.normalisation == "rows":
            yield (
                "normalisation='rows' is not supported for dask collections; pass 'pairs', or fit in "
                "memory to a sample of the rows."
            )
        if self.solver == "sd":
            yield (
                "solver='sd' computes a scatter matrix of all samples in every step, which is not "
                "supported for dask collections; use solver='lbfgs'."
            )

    def _settings(self) -> Any:
        n_classes = len(self.classes_)
        if self.epsilon == "auto":
            self.epsilon_ = float(n_classes) ** AUTO_POWER
        else:
            self.epsilon_ = 1 / n_classes if isinstance(self.epsilon, str) else float(self.epsilon)
        return Settings(
            n_components=self.n_components,
            targets=pair_targets(n_classes, self.epsilon_, self.label_noise),
            init=self.init if isinstance(self.init, str) else "pca",
            solver=self.solver,
            preconditioner=self.preconditioner,
            engine=self.engine,
            engine_tol=self.engine_tol,
            max_iter=self.max_iter,
            tol=self.tol,
            normalisation=self.normalisation,
        )

    def _given_start(self, n_features: int) -> Any:
        start = check_array(self.init, dtype=np.float64, input_name="init")
        if start.shape != (self.n_components, n_features):
            raise ValueError(
                f"init has shape {start.shape}; as a start for components_ it needs "
                f"({self.n_components}, {n_features})."
            )
        return start.T

    def _search(self, samples: Any, settings: Any, given: Array | None, rng: Any) -> Any:
        """Choose alpha and epsilon on held-out samples.

        Returns the settings with the chosen values and, of the solutions found with them, the one
        with the smallest held-out error: many classes can be arranged in a map in many ways of
        almost the same divergence, some of which generalise better.
        """
        splits = validation_splits(samples, rng)
        if not splits:
            raise ValueError(
                "alpha='cv' and epsilon='cv' hold out a fifth of each class, but no class has more "
                "than 2 samples; pass numbers."
            )

        def settings_with(epsilon: float) -> Any:
            targets = pair_targets(len(self.classes_), epsilon, self.label_noise)
            return replace(settings, targets=targets)

        held_out = [HeldOut(samples, validation, given, rng) for validation in splits]

        def error_of(epsilon: float, alpha: float) -> Any:
            chosen = settings_with(epsilon)
            return np.mean([part.error_of(epsilon, alpha, chosen) for part in held_out])

        searches_epsilon, searches_alpha = self.epsilon == "cv", self.alpha_ == "cv"
        shares = EPSILON_SHARES if searches_epsilon else (1.0,)
        epsilons = [share * self.epsilon_ for share in shares]
        alphas = COARSE * _unit_of_penalty(samples) if searches_alpha else (self.alpha_,)
        found = search(error_of, epsilons, alphas)
        if searches_epsilon:
            self.epsilons_, self.epsilon_errors_ = np.array(epsilons), found.epsilon_errors
        if searches_alpha:
            self.alphas_, self.cv_errors_ = found.alphas, found.errors
        self.epsilon_, self.alpha_ = found.epsilon, found.alpha
        best = min(held_out, key=lambda part: part.errors[found.epsilon, found.alpha])
        start = best.solution(found.epsilon, found.alpha)
        return settings_with(found.epsilon), given if start is None else start


def _unit_of_penalty(samples: Any) -> Any:
    """Mean variance of the features that vary: the penalty that features of unit variance have as one.

    With other units ``X / c`` the same map has the entries ``c W``.
    """
    lowest, highest = samples.value_range()
    return samples.feature_variances()[lowest < highest].mean()


def _has_many_features(samples: Any) -> bool:
    """Return whether there are so few samples that a map without a penalty would overfit."""
    return bool(samples.shape[0] < FEW_PER_FEATURE * samples.shape[1])


def _check_variance(samples: Any) -> None:
    lowest, highest = samples.value_range()
    if (lowest == highest).all():
        raise ValueError(
            f"X has no variance: its {len(samples)} samples are equal, so no map can tell classes "
            "apart."
        )


def _with_weights(samples: Any, sample_weight: Any) -> Any:
    """Add weights; drop samples of zero weight, and classes that have no other samples."""
    weights = check_sample_weight(
        sample_weight, samples.array, dtype=np.float64, ensure_non_negative=True
    )
    is_kept = weights > 0
    kept = samples.draw(is_kept) if not is_kept.all() else samples
    present, labels = np.unique(kept.labels, return_inverse=True)
    classes = samples.classes[present]
    if len(classes) < 2:
        raise ValueError(
            f"sample_weight leaves one class only ({classes[0]!r}); at least 2 classes need samples "
            "of positive weight."
        )
    return ArraySamples(kept.array, labels, classes, weights[is_kept])


def _generator(random_state: RandomState) -> Any:
    return np.random.default_rng(check_random_state(random_state).randint(2**31))


def _principal_rotation(W: Array) -> Any:
    """Return the components ``(U S)'`` of ``W = U S V'``, which fixes the rotation and the signs."""
    left, singular_values, _ = linalg.svd(W, full_matrices=False)
    return (left * singular_values * sign_of_columns(left)).T
