"""Stochastic discriminant analysis of one data set, set up once and solved for any penalty."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg

from discrimap.linalg.row_space import RowSpace
from discrimap.optimisers import minimise
from discrimap.samples.class_moments import ClassMoments, class_means, class_moments
from discrimap.sda.coordinates import InCoordinates, Scaling, Whitening
from discrimap.sda.exploration import drawn_parts, explored_start
from discrimap.sda.objective import StochasticDiscriminantObjective
from discrimap.sda.row_objective import RowDiscriminantObjective
from discrimap.sda.starts import (
    directions_of_variance,
    lda_directions,
    scaled_to_spread,
    with_spread,
)

if TYPE_CHECKING:
    from discrimap._typing import Engine
    from discrimap.optimisers.monitor import Step
    from discrimap.optimisers.solution import Solution
    from discrimap.samples.interface import Samples

# By the value of the parameter normalisation.
OBJECTIVES: dict[str, Any] = {
    "pairs": StochasticDiscriminantObjective,
    "rows": RowDiscriminantObjective,
}
# Largest number of samples for which the n x n eigenproblem of the rank reduction is worth it,
# and of features for which the p x p scatter matrices are.
MAX_REDUCED_SAMPLES = 4000
MAX_SCATTER_FEATURES = 4000
# Number of samples from which a part of them is fitted before all are, and how many times as many as this
# part there must be. Then all samples mostly need four to seven evaluations instead of eight to twenty.
MANY_SAMPLES, CLEARLY_MORE_THAN_PART = 50_000, 8
# Size of the part: a number, at least so many for each feature, and at least this share of the samples. If
# the share is the largest of them, half of what the others give is fitted before.
PART, PART_PER_FEATURE, SHARE_IN_PART = 6_000, 40, 0.03
# Tolerance of the kernel sums of these parts, whose optimum is about 1 / sqrt(6000) from that of all. On
# six made problems, descents from there took as many steps as with 1e-6.
TOL_OF_PARTS = 1e-4
# Number of samples per feature from which the scatter within the classes is reliable.
CLEARLY_MORE = 2.0
# Scatter within classes, relative to that between them, below which it is rounding error.
NO_SCATTER = 1e-24
# Variance below which the map has collapsed; target distances between classes are at least one.
COLLAPSED = 1e-3


@dataclass(frozen=True)
class Settings:
    """Parameters that are the same for every solution of a problem."""

    n_components: int
    targets: np.ndarray  # (n_classes, n_classes)
    init: str
    solver: str
    preconditioner: str
    engine: Engine
    engine_tol: float
    max_iter: int
    tol: float
    normalisation: str = "pairs"


class StochasticDiscriminantProblem:
    """Labelled data with everything that does not depend on the penalty.

    With at least as many features as samples the problem is solved in the row space of the
    samples, without loss.

    Parameters
    ----------
    samples : Samples
        All of them labelled.
    settings : Settings
        Everything else.
    """

    def __init__(self, samples: Samples, settings: Settings) -> None:
        self.settings = settings
        sizes, means = samples.class_means()
        self.class_sizes = sizes
        self.mean = sizes @ means / sizes.sum()
        self.n_distinct = samples.count_distinct(math.ceil(CLEARLY_MORE * samples.shape[1]))
        self.row_space = None
        self.samples, self.samples_mean = samples, self.mean
        if samples.shape[0] <= min(samples.shape[1], MAX_REDUCED_SAMPLES):
            self.row_space = RowSpace(samples.array, self.mean)
            self.samples = samples.with_array(self.row_space.coordinates)
            self.samples_mean = np.zeros(self.samples.shape[1])
        # p of a pair of samples of one class times the weight of the class: with the scatter of
        # the class, the Hessian of sum p log(1 + r^2) for r near 0.
        pairs = OBJECTIVES[settings.normalisation].pair_probabilities(settings.targets, sizes)
        self.pair_curvature = 4 * np.diag(pairs) * sizes
        self.moments: ClassMoments | None = None
        if self.samples.shape[1] <= MAX_SCATTER_FEATURES:
            self.moments = self.samples.class_moments(self.pair_curvature)

    def to_features(self, params: np.ndarray) -> np.ndarray:
        """Convert a solution's params to W (n_features, n_components)."""
        return params if self.row_space is None else self.row_space.to_features(params)

    def from_features(self, W: np.ndarray) -> np.ndarray:
        return W if self.row_space is None else self.row_space.from_features(W)

    def solve(
        self,
        alpha: float,
        start: np.ndarray | None = None,
        *,
        n_init: int = 1,
        explores: bool = False,
        tol: float | None = None,
        rng: np.random.RandomState | None = None,
        callback: Callable[[Step], object] | None = None,
    ) -> Solution:
        """Minimise for one penalty.

        Parameters
        ----------
        alpha : float
            The penalty.
        start : ndarray or None
            Initial params; None finds them according to the settings.
        n_init : int
            Number of starts to compare.
        explores : bool
            Whether a given start is compared with others as well.
        tol : float or None
            Tolerance of the descent; None: that of the settings.
        rng : numpy Generator
            Needed to find a start.
        callback : callable or None
            Passed to the optimiser.

        Returns
        -------
        solution : Solution
            Its params belong to this problem, see :meth:`to_features`.
        """
        if start is None or explores:
            start = self._find_start(alpha, n_init, rng, start)
        tol = self.settings.tol if tol is None else tol
        objective = self.objective(self.samples, alpha)
        if not self._is_approached(alpha):
            return self._minimise(objective, start, alpha, tol, callback)
        near = self._approach(start, alpha, tol, rng)
        return self._minimise(objective, near.params, alpha, tol, callback, near)

    def _is_approached(self, alpha):
        """Return whether there are so many samples that parts of them are fitted first."""
        return (
            len(self.samples)
            >= max(MANY_SAMPLES, CLEARLY_MORE_THAN_PART * self._sizes_of_parts()[-1])
            and self.settings.solver == "lbfgs"
            and self.whitens(alpha)
        )

    def _approach(self, start, alpha, tol, rng):
        """Solution for parts of the samples, from which few steps are left for all of them."""
        tol_of_sums = max(self.settings.engine_tol, TOL_OF_PARTS)
        params, solution = start, None
        for part in drawn_parts(self.samples, self._sizes_of_parts(), rng):
            objective = self.objective(part, alpha, engine_tol=tol_of_sums)
            solution = self._minimise(objective, params, alpha, tol, near=solution)
            params = solution.params
        return solution

    def _sizes_of_parts(self):
        """Numbers of samples of the parts that are fitted, one after the other, before all are."""
        size = max(PART, PART_PER_FEATURE * self.samples.shape[1])
        share = SHARE_IN_PART * len(self.samples)
        return (size,) if share < size else (size // 2, share)

    def is_collapsed(self, params):
        """Return whether the map has collapsed to a point or a line, which descent cannot leave."""
        projected = self.samples.projected(params.astype(self.samples.dtype))
        variances = linalg.eigvalsh(projected.total_scatter())[::-1] / (len(projected) - 1)
        # Dimensions beyond C - 1 are always empty.
        needed = min(self.settings.n_components, len(self.settings.targets) - 1)
        return bool(variances[needed - 1] < COLLAPSED)

    def objective(self, samples, alpha, engine=None, engine_tol=None):
        return OBJECTIVES[self.settings.normalisation](
            samples,
            self.settings.targets,
            n_components=self.settings.n_components,
            alpha=alpha,
            engine=engine or self.settings.engine,
            engine_tol=engine_tol or self.settings.engine_tol,
        )

    def _minimise(self, objective, start, alpha, tol, callback=None, near=None):
        coordinates = self._coordinates(alpha, start)
        preconditioner = None
        if self.settings.solver == "sd":
            preconditioner = self._spectral_preconditioner(alpha, coordinates)
        solution = minimise(
            InCoordinates(objective, coordinates),
            coordinates.from_params(start),
            method=self.settings.solver,
            max_iter=self.settings.max_iter,
            tol=tol,
            callback=callback,
            preconditioner=preconditioner,
            near=near,
        )
        return replace(solution, params=coordinates.to_params(solution.params))

    def _coordinates(self, alpha, start):
        """Whitened coordinates or, if these would overfit, coordinates scaled to unit size."""
        # The spectral direction uses a curvature of its own.
        if self.moments and self.whitens(alpha) and self.settings.solver != "sd":
            # A penalty adds the same to all eigenvalues.
            eigenvalues, vectors = self._eigen
            return Whitening(eigenvalues + 2 * alpha, vectors)
        size = linalg.norm(start) / np.sqrt(start.shape[1])
        if len(start) == 1:
            # On a line, a first step of length one would end in the origin, where the gradient is
            # zero.
            size = linalg.norm(start) / 2
        return Scaling(size if size > 0 else 1.0)

    @cached_property
    def _eigen(self):
        """Eigenvalues and eigenvectors of the curvature without a penalty."""
        assert self.moments is not None
        return linalg.eigh(self.moments.curvature, check_finite=False)

    def curvature(self, alpha):
        """Curvature of the attraction within the classes and of the penalty."""
        assert self.moments is not None
        return _with_penalty(self.moments.curvature, alpha)

    def whitens(self, alpha):
        """Return whether to whiten by the scatter within the classes."""
        if self.moments is None or self.settings.preconditioner == "none":
            return False
        within, between = np.trace(self.moments.within), np.trace(self.moments.between)
        if alpha == 0 and within <= NO_SCATTER * between:
            return False  # every class is one point, without scatter
        enough = alpha > 0 or self.n_distinct >= CLEARLY_MORE * self.samples.shape[1]
        return enough or self.settings.preconditioner == "within"

    def _spectral_preconditioner(self, alpha, coordinates):
        """Curvature of the attractive part of the objective, at the current params.

        The Hessian of ``sum p log(1 + r^2)`` without its negative part is that of the quadratic
        form with weights ``p_ij qbar_ij`` (Eq. 26). Between classes both factors are small; within
        a class, qbar_ij is taken as a product of one factor per sample, its value at the class
        mean, so that the curvature is a weighted scatter matrix: O(n p^2) instead of O(n^2 p).
        """
        if self.moments is None:
            raise ValueError(
                f"solver='sd' needs a square matrix in the {self.samples.shape[1]} features, more "
                f"than {MAX_SCATTER_FEATURES}; use solver='lbfgs'."
            )
        X, labels, given = self.samples.array, self.samples.labels, self.samples.weights
        weights = np.ones(len(labels)) if given is None else given
        n_classes = len(self.settings.targets)

        def curvature_at(V):
            Z = X @ coordinates.to_params(V).astype(X.dtype)
            centres = class_means(Z, labels, n_classes, given)[1]
            nearness = 1 / (1 + ((Z - centres[labels]) ** 2).sum(axis=1))
            sizes = np.bincount(labels, weights * nearness, n_classes)
            moments = class_moments(
                X,
                labels,
                n_classes,
                weights * nearness,
                self.pair_curvature / self.class_sizes * sizes,
            )
            whitening = Whitening.of(_with_penalty(moments.curvature, alpha))
            factor = coordinates.factor
            return lambda grad: whitening.to_params(whitening.pull_back(grad)) / factor**2

        return curvature_at

    def _find_start(self, alpha, n_init, rng, first=None):
        """Return the first start or, of several, the one with the lowest divergence.

        The first start is the one given, or that named in the settings.

        Many classes can be arranged in a map in many ways, and a descent keeps the arrangement of
        its start. To compare arrangements cheaply, a subset of the samples and the few directions
        that separate the classes are used.
        """
        settings = self.settings
        if first is None:
            first = self._with_spread(self._named_start(rng))
        n_classes = len(settings.targets)
        # With room for the whole simplex there is only one arrangement.
        explores = not (
            n_init == 1 or settings.n_components >= n_classes - 1 or self.moments is None
        )
        if not explores:
            return first
        return explored_start(self, first, alpha, n_init, rng)

    def _with_spread(self, W):
        if self.moments is None:
            return with_spread(self.samples, W)
        total = self.moments.within + self.moments.between
        size = np.sqrt(np.vdot(W, total @ W) / self.class_sizes.sum())
        return scaled_to_spread(W, size)

    def _named_start(self, rng):
        """Return the start named by ``init``, at any scale."""
        settings, moments = self.settings, self.moments
        shape = (self.samples.shape[1], settings.n_components)
        if settings.init == "random":
            return rng.standard_normal(shape)
        total = None if moments is None else moments.within + moments.between
        start = directions_of_variance(
            self.samples, self.samples_mean, settings.n_components, total
        )
        if settings.init == "lda":
            if moments is None:
                raise ValueError(
                    f"init='lda' needs square matrices in the {shape[0]} features, more than "
                    f"{MAX_SCATTER_FEATURES}; use init='pca'."
                )
            n_found = min(settings.n_components, len(settings.targets) - 1)
            found = lda_directions(moments.within, moments.between, n_found)
            # Beyond the C - 1 directions of LDA, those of most variance.
            spread = linalg.norm(found, axis=0).mean()
            start = np.hstack([found, spread * start[:, : settings.n_components - n_found]])
        return start


class PenaltyPath:
    """Solutions of a problem for several penalties, each started from the next larger penalty.

    For a large penalty there is hardly more than one arrangement of the classes, which unfolds
    gradually as the penalty decreases. One start and ten times the tolerance are enough to compare
    penalties, as in the paper.
    """

    def __init__(self, problem, first, rng):
        self.problem, self.first, self.rng = problem, first, rng
        self.solved: dict[float, np.ndarray] = {}

    def start_of(self, alpha):
        """Initial params: the solution for a larger penalty or, without one, the first start."""
        larger = [known for known in self.solved if known > alpha]
        start = self.solved[min(larger)] if larger else None
        return self.first if start is None or self.problem.is_collapsed(start) else start

    def solve(self, alpha):
        """Params of the solution."""
        solution = self.problem.solve(
            alpha, start=self.start_of(alpha), tol=10 * self.problem.settings.tol, rng=self.rng
        )
        self.solved[alpha] = solution.params
        return solution.params


def _with_penalty(curvature, alpha):
    return curvature + 2 * alpha * np.eye(len(curvature))
