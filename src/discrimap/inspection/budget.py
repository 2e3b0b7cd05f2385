"""A time limit that several steps share, each of which knows beforehand what it costs."""

from __future__ import annotations

import time

from discrimap.comparison.result import MethodResult
from discrimap.registry import Shape, get_method


class Budget:
    """Seconds that may be spent; a step asks before it starts.

    Parameters
    ----------
    seconds : float
        For all steps together, counted from now.
    """

    def __init__(self, seconds: float):
        self._end = time.perf_counter() + seconds

    def allows(self, seconds: float, share: float = 1.0) -> bool:
        """Whether a step of so many seconds fits into this share of what is left."""
        return seconds <= share * self.left

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.perf_counter())


def expected_seconds(
    result: MethodResult, shape: Shape, n_components: int, n_shown: int, n_train: float
) -> float:
    """Time of one fit with another number of components or samples, from the time of one that was.

    The registry's estimates say how the cost grows; the stopwatch of the comparison says from where.
    """
    flops = get_method(result.name).flops
    was = flops(Shape(int(n_train), shape.n_features, shape.n_classes, n_shown))
    will = flops(Shape(shape.n_samples, shape.n_features, shape.n_classes, n_components))
    return result.seconds * will / was
