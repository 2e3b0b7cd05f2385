"""Transforms of points in pieces, side by side on the threads that they are worth."""

from __future__ import annotations

from discrimap.kernel_sums.costs import fourier_cost
from discrimap.threads import run_tasks, threads_for

# A plan works on a grid up to eight times the modes; above this size only one at a time.
MOST_MODES_SIDE_BY_SIDE = 1 << 18
# Points of a piece: at least so many, and so many for each mode that moving the points to the grid
# or back outweighs the Fourier transform of the grid, which every piece repeats.
PIECE_POINTS = 1 << 15
POINTS_PER_MODE = 4


def cut(begin, end, n_modes) -> list[tuple[int, int]]:
    """Ranges of points that cover ``begin .. end - 1``; none of no points.

    They depend on the size of the problem alone, so that sums over the pieces do not depend on the
    number of threads.
    """
    size = end - begin
    n_pieces = -(-size // max(PIECE_POINTS, POINTS_PER_MODE * n_modes))
    return [
        (begin + size * k // n_pieces, begin + size * (k + 1) // n_pieces) for k in range(n_pieces)
    ]


def run_on_grid(task, items, n_points, grid) -> list:
    """Call ``task(item, n_threads)`` for all items, which hold so many points together.

    Items run side by side on one thread each or, on grids of which only one fits in memory, in
    turn on several.
    """
    items = list(items)
    # Both directions of the transforms make the cost of an evaluation.
    nanoseconds = 0.5 * fourier_cost(n_points, len(grid.modes), len(items), grid.n_modes)
    if grid.n_modes > MOST_MODES_SIDE_BY_SIDE:
        n_threads = threads_for(nanoseconds)
        return [task(item, n_threads) for item in items]
    return run_tasks(lambda item: task(item, 1), items, nanoseconds)
