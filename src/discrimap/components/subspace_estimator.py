"""Search over orthonormal projections, shared by discriminative and Renyi components."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from sklearn.utils import check_random_state

from discrimap._sklearn import Interval, StrOptions
from discrimap._typing import Array, Engine
from discrimap.base.iterative_fit import IterativeFit
from discrimap.base.linear_projection import LinearProjection
from discrimap.components.bandwidth_search import (
    bandwidth_range,
    best_bandwidth,
    search_bandwidth,
)
from discrimap.components.race import SEARCH_ITERATIONS, SEARCH_TOL, best_of_race, best_params
from discrimap.components.subspaces import OnSubspaces, polar, stretch_of
from discrimap.kernel_sums.costs import gaussian_cost
from discrimap.kernel_sums.engines import has_fourier
from discrimap.linalg.columns import keep_columns
from discrimap.linalg.directions import discriminant_directions, principal_directions
from discrimap.linalg.signs import orient
from discrimap.optimisers import Solution, minimise, minimise_each, warn_unless_converged
from discrimap.optimisers.givens import minimise_by_rotations
from discrimap.optimisers.near_ties import first_of_best
from discrimap.samples.drawn_samples import search_pool
from discrimap.samples.in_memory import ArraySamples, value_range
from discrimap.samples.on_dask.limits import why_not_on_dask
from discrimap.samples.validation import check_n_components, check_start

# In more than three dimensions, an evaluation visits all pairs. Above LARGEST_EXACT samples, the
# fit uses N_BATCHES batches of BATCH samples.
LARGEST_EXACT, BATCH, N_BATCHES = 20_000, 10_000, 3
MOST_FOURIER_DIMENSIONS = 3
# Number of starts with n_init="auto" in up to three dimensions, where an evaluation is cheap and
# local optima differ much. In five dimensions, different starts hardly differed in held-out
# likelihood (vehicle, digits and segmentation data). Starts are compared after as many iterations
# as in the width search.
N_STARTS, RACE_SAMPLES = 10, 1500
# With fewer than FEW_PER_FEATURE samples per feature, every projection found by a search overfits, and starts
# are compared on at least this number of samples per feature. On 6,000 samples of MNIST (784 features,
# seeds 100 to 104), the mean error in the plane was 0.47 instead of 0.51; on 20,000 it was the same.
FEW_PER_FEATURE, RACE_SAMPLES_PER_FEATURE = 20, 4
# Use a stretch if the squared number of features is below this multiple of the number of samples.
# Then computing its eigenvectors takes little time compared with the search, in which it saves up to
# two thirds of the iterations (6,000 samples of MNIST).
CHEAP_STRETCH = 500


class SubspaceComponents(IterativeFit, LinearProjection):
    """Base class of the methods whose objective depends only on the subspace.

    A subclass implements two methods. ``_objective(samples, bandwidth, n_components, rough=False)``
    returns an object with ``value_and_grad(W)`` and, for ``solver="sgd"``, ``sample_grad(W, i)``
    and ``n_terms``. With ``rough=True`` the object is only used to compare searches and may be less
    accurate. ``_held_out_score(Z_train, labels_train, Z_test, labels_test, bandwidth)`` returns the
    score for the choice of the width; higher is better.
    """

    n_components: int
    bandwidth: float | Literal["auto"]
    solver: Literal["lbfgs", "sgd"]
    init: Literal["lda", "pca", "random"] | ArrayLike
    n_init: int | Literal["auto"]
    n_bandwidths: int
    ordered: bool
    engine: Engine
    batch_size: int | Literal["auto"] | None
    n_steps: int
    learning_rate: float
    tol: float
    _objective: Callable[..., Any]
    _held_out_score: Callable[..., float]

    _accepts_dask = True
    _pools_scatter = True

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "bandwidth": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
        "solver": [StrOptions({"lbfgs", "sgd"})],
        "init": [StrOptions({"lda", "pca", "random"}), "array-like"],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "n_bandwidths": [Interval(Integral, 1, None, closed="left")],
        "ordered": ["boolean"],
        "engine": [StrOptions({"auto", "exact", "fourier"})],
        "engine_tol": [Interval(Real, 0, 1, closed="neither")],
        "batch_size": [StrOptions({"auto"}), Interval(Integral, 2, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_steps": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "callback": [callable, None],
    }

    def _only_in_memory(self) -> Iterator[str]:
        """Messages about parameters that Dask collections do not support, with alternatives."""
        yield from why_not_on_dask(self.engine, self.n_components)
        if self.solver == "sgd":
            yield (
                "solver='sgd' compares single samples with all others and does not support Dask "
                "collections; use solver='lbfgs'."
            )
        if self.batch_size not in ("auto", None):
            yield (
                f"batch_size={self.batch_size} is for samples in memory; on dask collections every "
                "evaluation uses all of them: pass batch_size=None."
            )

    def _prepare(self, samples: Any) -> Any:
        """Return the centred samples in float64, and a basis of their span or None.

        With a basis, the samples are given by their coordinates in it.
        """
        check_n_components(self.n_components, samples.shape[1])
        if self.bandwidth != "auto" and not np.isfinite(self.bandwidth):
            raise ValueError(
                f"bandwidth={self.bandwidth} must be a positive finite number, on the scale of "
                "distances between projected samples, or 'auto'."
            )
        centred, mean = samples.centred()
        self.mean_ = mean.astype(samples.dtype)
        if samples.shape[1] <= samples.shape[0]:
            return self._without_constants(centred)
        # Directions outside the span of the samples project every sample to zero.
        U, singular_values, Vt = linalg.svd(centred.array, full_matrices=False)
        rank = int(np.sum(singular_values > 1e-12 * singular_values[0]))
        if rank < self.n_components:
            return centred, None
        return centred.with_array(U[:, :rank] * singular_values[:rank]), Vt[:rank].T

    def _without_constants(self, centred: Any) -> Any:
        """Return the samples without constant features, and a basis; None without any of these."""
        if not isinstance(centred, ArraySamples):
            return centred, None
        lowest, highest = value_range(centred.array)
        varies = np.flatnonzero(highest > lowest)
        n_features = centred.shape[1]
        if not self.n_components < len(varies) < n_features:
            return centred, None
        unit_vectors = sparse.eye_array(n_features, format="csc")[:, varies]
        return centred.with_array(keep_columns(centred.array, varies)), unit_vectors

    def _choose_bandwidth(
        self, samples: Any, start: Array, random_state: np.random.RandomState
    ) -> Any:
        """Return the width, and a list with the projection from the width search, if any."""
        if self.bandwidth != "auto":
            return float(self.bandwidth), []
        pool = search_pool(samples, random_state)
        bandwidths = bandwidth_range(pool.labelled().array @ start, self.n_bandwidths)

        def fit(part: Any, bandwidth: float, part_start: Any) -> Any:
            objective = self._objective(part, bandwidth, self.n_components, rough=True)
            solution = minimise(
                OnSubspaces(objective), part_start, max_iter=SEARCH_ITERATIONS, tol=SEARCH_TOL
            )
            return polar(solution.params)[0]

        scores, projections = search_bandwidth(
            fit,
            self._held_out_score,
            pool,
            start,
            bandwidths,
            random_state,
            ends_early=self._scores_by_likelihood(),
        )
        self.bandwidths_, self.bandwidth_scores_ = bandwidths[-len(scores) :], scores
        best = best_bandwidth(scores)
        return float(self.bandwidths_[best]), [projections[best]]

    def _scores_by_likelihood(self) -> bool:
        """Return whether widths are scored by likelihoods, which are smooth in the width."""
        return False

    def _solve(
        self, samples: Any, bandwidth: float, starts: Any, random_state: np.random.RandomState
    ) -> Any:
        """Return the objective and the best solution over all starts."""
        n_features = samples.shape[1]
        batches = self._batches(samples, random_state)
        objective = self._objective_of_batch(samples, batches[0], bandwidth)
        if self.n_components == n_features:
            value, _ = objective.value_and_grad(np.eye(n_features))
            message = "all directions are kept: there is nothing to search"
            return objective, Solution(
                np.eye(n_features), value, 0, 1, True, message, np.array([value])
            )
        n_init, stretch = self._number_of_starts(), None
        if n_init > 1:
            pool = search_pool(samples, random_state)
            scatter = pool.total_scatter()
            more = self._more_starts(scatter, n_init - 1, random_state)
            start = self._best_of_race(pool, bandwidth, starts + more, random_state)
            if n_features**2 < CHEAP_STRETCH * len(samples):
                stretch = stretch_of(scatter)
        else:  # compare values at the starts; running all searches is expensive
            start = starts[first_of_best([objective.value_and_grad(W)[0] for W in starts])]
        solution = self._minimise(objective, start, random_state, stretch)
        for batch in batches[1:]:
            objective = self._objective_of_batch(samples, batch, bandwidth)
            solution = self._minimise(objective, solution.params, random_state, stretch)
        warn_unless_converged(solution, type(self).__name__)
        return objective, solution

    def _number_of_starts(self) -> int:
        if self.n_init != "auto":
            return self.n_init
        # An array given as init is the only start, and the paper's stochastic solver has one start.
        is_free = isinstance(self.init, str) and self.solver == "lbfgs"
        return N_STARTS if is_free and self.n_components <= MOST_FOURIER_DIMENSIONS else 1

    def _best_of_race(
        self, pool: Any, bandwidth: float, starts: Any, random_state: np.random.RandomState
    ) -> Any:
        """Projection with the best value after a few iterations from each start.

        A few iterations on a subset of the samples show which local optimum a search converges to.
        """
        n_samples, n_features = pool.shape
        size = RACE_SAMPLES
        if n_samples < FEW_PER_FEATURE * n_features:
            size = max(size, RACE_SAMPLES_PER_FEATURE * n_features)
        rows = thinned(pool.labels, size, random_state)
        drawn = pool.draw(rows)
        objective = OnSubspaces(self._objective(drawn, bandwidth, self.n_components, rough=True))
        evaluation = self._time_without_lock(len(rows))
        best = best_of_race(objective, starts, evaluation, objective.to_projection)
        return objective.to_projection(best)

    def _time_without_lock(self, n_samples: int) -> float:
        """Nanoseconds of an evaluation in which it does not hold the interpreter lock."""
        return gaussian_cost(n_samples, n_samples, self.n_components)

    def _more_starts(self, scatter: Array, n_more: int, random_state: np.random.RandomState) -> Any:
        """Additional starts: PCA directions, unless ``init="pca"``, and random projections."""
        more = []
        if n_more and not (isinstance(self.init, str) and self.init == "pca"):
            more.append(principal_directions(scatter, self.n_components))
        shape = (len(scatter), self.n_components)
        return more + [random_orthonormal(*shape, random_state) for _ in range(n_more - len(more))]

    def _max_steps(self) -> None:
        """Return None, because the stochastic solver and batches run more than one search."""
        return None

    def _minimise(
        self,
        objective: Any,
        start: Array,
        random_state: np.random.RandomState,
        stretch: Array | None = None,
    ) -> Any:
        callback = self._step_callback()
        if self.solver == "sgd":
            return minimise_by_rotations(
                objective,
                start,
                n_steps=self.n_steps,
                learning_rate=self.learning_rate,
                random_state=random_state,
                callback=callback,
            )
        on_subspaces = OnSubspaces(objective, stretch)
        solution = minimise(
            on_subspaces,
            on_subspaces.from_projection(start),
            max_iter=self.max_iter,
            tol=self.tol,
            callback=callback,
        )
        return replace(solution, params=on_subspaces.to_projection(solution.params))

    def _objective_of_batch(self, samples: Any, batch: Any, bandwidth: float) -> Any:
        samples = samples if batch is None else samples.draw(batch)
        return self._objective(samples, bandwidth, self.n_components)

    def _batches(self, samples: Any, random_state: np.random.RandomState) -> Any:
        """Return ``[None]`` to use all samples, or the rows of a few random stratified batches."""
        size = self.batch_size
        if size == "auto":
            is_large = len(samples) > LARGEST_EXACT and not has_fourier(self.n_components)
            size = BATCH if is_large else None
        if size is None or size >= len(samples):
            return [None]
        return [thinned(samples.labels, size, random_state) for _ in range(N_BATCHES)]

    def _store(
        self, samples: Any, W: Array, basis: Any, bandwidth: float, solution: Any, dtype: Any
    ) -> Any:
        W = self._arrange(samples, W, bandwidth)
        components = (W if basis is None else basis @ W).T
        self.components_ = np.ascontiguousarray(components, dtype=dtype)
        self.bandwidth_ = bandwidth
        self.objective_ = solution.value
        self.loss_curve_ = solution.loss_curve
        # scikit-learn requires at least one iteration, even if the start cannot be improved.
        self.n_iter_ = max(solution.n_iter, 1)
        self.stopping_reason_ = solution.message
        return W

    def _arrange(self, samples: Any, W: Array, bandwidth: float) -> Any:
        """Choose the rotation of the components; the objective does not depend on it."""
        if self.ordered:
            return self._by_elimination(samples, W, bandwidth)
        return _principal_axes(samples, W)

    def _by_elimination(self, samples: Any, W: Array, bandwidth: float) -> Any:
        """Order the components by removing one direction at a time, the least important first.

        As in the note on ordering in Sec. V-F of the paper, each step searches for the best
        subspace with one dimension less within the previous subspace. The width stays the same.
        """
        left_out: list[np.ndarray] = []
        while W.shape[1] > 1:
            objective = self._objective(samples.projected(W), bandwidth, W.shape[1] - 1)
            starts = [np.delete(np.eye(W.shape[1]), k, axis=1) for k in range(W.shape[1])]
            searches = minimise_each(
                OnSubspaces(objective), starts, max_iter=self.max_iter, tol=self.tol
            )
            kept = polar(best_params(searches))[0]
            left_out.append(W @ linalg.null_space(kept.T)[:, 0])
            W = W @ kept
        ordered = np.column_stack([W[:, 0], *reversed(left_out)])
        return orient(ordered)

    def _start(self, samples: Any, basis: Any, random_state: np.random.RandomState) -> Any:
        """Orthonormal initial projection of shape (n_features, n_components)."""
        if not isinstance(self.init, str):
            return self._given_start(basis)
        pool = search_pool(samples, random_state)
        if self.init == "lda":
            return lda_start(pool.labelled(), self.n_components)
        if self.init == "pca":
            return principal_directions(pool.total_scatter(), self.n_components)
        return random_orthonormal(pool.shape[1], self.n_components, random_state)

    def _given_start(self, basis: Any) -> Any:
        rows = check_start(self.init, self.n_components, self.n_features_in_)
        start = rows.T if basis is None else basis.T @ rows.T
        singular_values = linalg.svdvals(start)
        if singular_values[-1] <= 1e-10 * singular_values[0]:
            raise ValueError(
                "init must have independent rows within the space that the samples span; pass the "
                "components_ of another fit, or init='lda'."
            )
        return polar(start)[0]


def thinned(labels: Array, size: Any, random_state: np.random.RandomState) -> Any:
    """Random rows: up to ``size`` labelled rows, stratified by class, and up to ``size`` others."""
    kept = []
    for rows in (np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)):
        # Shuffle, then sort by class: taking every k-th sample preserves the class shares.
        shuffled = random_state.permutation(rows)
        by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
        places = np.linspace(0, len(rows) - 1, min(size, len(rows))).round().astype(int)
        kept.append(by_class[places])
    return np.sort(np.concatenate(kept))


def lda_start(samples: Any, n_components: int) -> Any:
    """Orthonormalised LDA directions, at most C - 1, completed by principal directions."""
    moments = samples.class_moments()
    directions = np.empty((samples.shape[1], 0))
    total = np.trace(moments.within) + np.trace(moments.between)
    if total > 0:
        # The ridge only has an effect where the within-class scatter is zero.
        ridge = 1e-8 * total / samples.shape[1]
        n_found = min(n_components, samples.n_classes - 1)
        directions = discriminant_directions(moments.within, moments.between, n_found, ridge)
        directions = directions / linalg.norm(directions, axis=0)
        if n_found == n_components:
            return linalg.qr(directions, mode="economic")[0]
    # Orthonormalise all directions; the first columns span the LDA directions.
    filled = np.hstack([directions, principal_directions(moments.within + moments.between)])
    return linalg.qr(filled, mode="economic")[0][:, :n_components]


def random_orthonormal(
    n_features: int, n_components: int, random_state: np.random.RandomState
) -> Any:
    """Orthonormal basis of a uniformly random subspace."""
    random_state = check_random_state(random_state)
    return linalg.qr(random_state.standard_normal((n_features, n_components)), mode="economic")[0]


def _principal_axes(samples: Any, W: Array) -> Any:
    """Rotate the components to the principal axes of the projected samples."""
    rotated = W @ principal_directions(samples.projected(W).total_scatter())
    return orient(rotated)
