"""Errors on held-out samples of solutions for several penalties and target similarities."""

from __future__ import annotations

from typing import Any

import numpy as np

from discrimap._typing import Array
from discrimap.samples.drawn_samples import draw_ranks
from discrimap.samples.in_memory import ArraySamples
from discrimap.sda.alpha_search import MOST_VOTERS
from discrimap.sda.problem import PenaltyPath, StochasticDiscriminantProblem
from discrimap.sda.votes import held_out_error


class HeldOut:
    """Held-out samples, and the errors on them of solutions fitted to the other samples."""

    def __init__(self, samples: Any, validation: Any, given: Array | None, rng: Any) -> None:
        self.held_out, self.train = samples.draw(validation), samples.without(validation)
        self.given, self.rng = given, rng
        self.paths: dict[float, PenaltyPath] = {}
        self.errors: dict[tuple[float, float], float] = {}
        self.voters = np.arange(len(self.train))
        if len(self.voters) > MOST_VOTERS:
            self.voters = np.sort(draw_ranks(rng, len(self.voters), MOST_VOTERS))
        self.votes = self.train.labels_of(self.voters)

    def error_of(self, epsilon: float, alpha: float, settings: Any) -> Any:
        """1-NN error on the held-out samples; the settings hold the targets for epsilon."""
        if epsilon not in self.paths:
            problem = StochasticDiscriminantProblem(self.train, settings)
            start = None if self.given is None else problem.from_features(self.given)
            self.paths[epsilon] = PenaltyPath(problem, start, self.rng)
        path = self.paths[epsilon]
        W = path.problem.to_features(path.solve(alpha)).astype(self.train.dtype)
        points = ArraySamples(self.train.points(W, self.voters), self.votes, self.train.classes)
        error = held_out_error(points, self.held_out.projected(W))
        self.errors[epsilon, alpha] = error
        return error

    def solution(self, epsilon: float, alpha: float) -> Any:
        """W (n_features, n_components) of these parameters; None if its map is a point or line."""
        problem, params = self.paths[epsilon].problem, self.paths[epsilon].solved[alpha]
        return None if problem.is_collapsed(params) else problem.to_features(params)
