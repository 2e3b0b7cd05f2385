"""Parallel transforms of points that are divided into pieces."""

from __future__ import annotations

import itertools
import math

from discrimap.kernel_sums.costs import transform_cost
from discrimap.threads import run_tasks, threads_for

# A plan allocates a grid of up to eight times the number of modes. Above this number of modes, only
# one plan runs at a time.
MOST_MODES_SIDE_BY_SIDE = 1 << 18
# Smallest number of points in a piece, in total and per mode. Every piece repeats the Fourier
# transform of the grid. With this many points, spreading or interpolation takes longer than the
# Fourier transform.
PIECE_POINTS = 1 << 14
POINTS_PER_MODE = 8
# Smallest number of points of a last piece that is halved, in total and per mode.
HALVED_POINTS, HALVED_POINTS_PER_MODE = 1 << 14, 1
# Nanoseconds of the transform of an item from which items run in parallel. What else there is to do
# for an item holds the interpreter lock for about half as long.
LONG_ITEM = 300_000.0


def cut(ranges, n_modes) -> list[tuple[int, int, int]]:
    """Divide ranges of points into pieces: ``(number of the range, begin, end)`` for each piece.

    The pieces depend only on the size of the problem, so that sums over them do not depend on the
    number of threads. Of an odd number of pieces the last one is halved, because one of two cores
    would be idle while the other computes it.
    """
    pieces = []
    for number, (begin, end) in enumerate(ranges):
        size = end - begin
        if size == 0:
            continue
        n_pieces = math.ceil(size / max(PIECE_POINTS, POINTS_PER_MODE * n_modes))
        bounds = [begin + size * k // n_pieces for k in range(n_pieces + 1)]
        pieces += [(number, *both) for both in itertools.pairwise(bounds)]
    if len(pieces) % 2:
        number, begin, end = pieces[-1]
        if end - begin >= max(HALVED_POINTS, HALVED_POINTS_PER_MODE * n_modes):
            middle = (begin + end) // 2
            pieces[-1:] = [(number, begin, middle), (number, middle, end)]
    return pieces


def run_on_grid(task, items, n_points, grid) -> list:
    """Call ``task(item, n_threads)`` for all items, which have ``n_points`` points in total.

    Items run in parallel on one thread each or, if only one grid fits in memory, one after the
    other on several threads.
    """
    items = list(items)
    nanoseconds = transform_cost(n_points, len(grid.modes), len(items), grid.n_modes)
    if nanoseconds < LONG_ITEM * len(items):
        nanoseconds = 0.0
    if grid.n_modes > MOST_MODES_SIDE_BY_SIDE:
        n_threads = threads_for(nanoseconds)
        return [task(item, n_threads) for item in items]
    return run_tasks(lambda item: task(item, 1), items, nanoseconds)
