"""t-SNE of given neighbours and distances, and its extension to new points, by openTSNE.

The descent amplifies differences in the last digits of its input and may end in a different map of
the same quality. BLAS rounds differently on each processor, so distances are rounded here, far more
coarsely than the errors of BLAS and far more finely than visible in a map. The first positions must
be free of such differences. openTSNE itself gives the same result on all processors, with one
thread.
"""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
from scipy import sparse
from scipy.sparse import csr_matrix

from discrimap.optional import require

EARLY_EXAGGERATION = 12
# Cells across the grid of a small map, of width 1 in larger ones. openTSNE's own 50 is far finer than
# the kernel while the map is small, and is half the time of a map of few points.
_LEAST_INTERVALS = 20
CALLBACK_EVERY = 10
# Settings of openTSNE for new points: few neighbours, and slightly exaggerated attraction.
NEW_PERPLEXITY = 5
NEW_NEIGHBORS = 25
_NEW_EXAGGERATION = 1.5
_NEW_LEARNING_RATE = 0.1
_NEW_STEPS = 250
_NEW_LARGEST_GRADIENT = 0.25
# Distances are rounded to multiples of a millionth of the largest in their row, not to a number of
# digits: if a distance is zero up to rounding, all of its digits are rounding errors.
GRID_BITS = 20


def joint_affinities(
    distances: np.ndarray, indices: np.ndarray, *, perplexity: float, n_jobs: int
) -> sparse.csr_matrix:
    """Symmetric probabilities of neighbours, a sparse matrix of shape (n, n).

    Parameters
    ----------
    distances, indices : ndarray of shape (n, k)
        Nearest neighbours of each point.
    perplexity : float
        Effective number of neighbours.
    n_jobs : int
        Threads of openTSNE.
    """
    from openTSNE.affinity import joint_probabilities_nn

    _check_distances(distances)
    distances, indices = _as_on_every_processor(distances, indices)
    return joint_probabilities_nn(indices, distances, [perplexity], n_jobs=n_jobs)


def embed(
    start: np.ndarray,
    affinities: sparse.csr_matrix,
    *,
    n_early: int,
    n_iter: int,
    on_step: Callable[[int, float, np.ndarray], object],
    n_jobs: int,
    exaggeration: float = 1.0,
    on_grid_above: int | None = None,
) -> tuple[np.ndarray, float, int]:
    """Minimise the Kullback-Leibler divergence of t-SNE from a start.

    Parameters
    ----------
    start : ndarray of shape (n, n_components)
        First positions, of small spread.
    affinities : sparse matrix of shape (n, n)
        Probabilities of pairs.
    n_early, n_iter : int
        Iterations with early exaggeration, and after it.
    on_step : callable
        ``on_step(n_iter, divergence, positions)``, called every ten iterations; a true result
        stops.
    n_jobs : int
        Threads of openTSNE.
    exaggeration : float
        Factor of the attraction after the early iterations.
    on_grid_above : int or None
        Number of points above which repulsion is interpolated on a grid; None leaves the choice to
        openTSNE.

    Returns
    -------
    positions : ndarray of shape (n, n_components)
    divergence : float
    n_iter : int
        Iterations done.
    """
    from openTSNE import TSNEEmbedding
    from openTSNE.tsne import OptimizationInterrupt

    done = stopped_at = 0

    def callback(phase_iter, divergence, positions):
        nonlocal stopped_at
        stopped_at = done + phase_iter
        return on_step(stopped_at, float(divergence), np.array(positions))

    embedding = TSNEEmbedding(
        start,
        SimpleNamespace(P=affinities),
        negative_gradient_method=_repulsion(start, on_grid_above),
        min_num_intervals=_LEAST_INTERVALS,
        n_jobs=n_jobs,
        callbacks=[callback],
        callbacks_every_iters=CALLBACK_EVERY,
    )
    phases = ((n_early, EARLY_EXAGGERATION, 0.5), (n_iter, exaggeration, 0.8))
    try:
        for n_steps, factor, momentum in phases:
            if n_steps:
                embedding = embedding.optimize(
                    n_steps,
                    exaggeration=factor,
                    momentum=momentum,
                    learning_rate="auto",
                    propagate_exception=True,
                )
                done += n_steps
        divergence = embedding.kl_divergence
    except OptimizationInterrupt as stop:
        embedding, divergence, done = stop.final_embedding, stop.error, stopped_at
    positions = np.array(embedding)
    # openTSNE requires a centred map when points are added.
    positions -= (positions.max(axis=0) + positions.min(axis=0)) / 2
    return positions, float(divergence), done


def _repulsion(start, on_grid_above):
    if start.shape[1] == 3:
        return "bh"
    if on_grid_above is None:
        return "auto"
    return "fft" if len(start) > on_grid_above else "bh"


def place(
    positions: np.ndarray,
    distances: np.ndarray,
    indices: np.ndarray,
    perplexity: float,
    *,
    n_jobs: int,
) -> np.ndarray:
    """Place new points into a fixed map, independently of each other (openTSNE, Sec. 2.4).

    Parameters
    ----------
    positions : ndarray of shape (n, n_components)
        The map.
    distances, indices : ndarray of shape (n_new, k)
        Nearest points of the map to each new point.
    perplexity : float
        Effective number of neighbours of a new point.
    n_jobs : int
        Threads of openTSNE.

    Returns
    -------
    new_positions : ndarray of shape (n_new, n_components)
    """
    require("openTSNE", "placing new samples into a map of Fisher t-SNE")
    from openTSNE import PartialTSNEEmbedding, TSNEEmbedding

    n_points = len(positions)
    affinities = _sparse_affinities(distances, indices, perplexity, n_points, n_jobs)
    unused = SimpleNamespace(P=csr_matrix((n_points, n_points)))
    # Barnes-Hut on the fixed map treats each new point separately; the grid of the interpolation
    # would depend on the other points.
    partial = PartialTSNEEmbedding(
        np.median(positions[indices], axis=1),
        TSNEEmbedding(positions, unused, negative_gradient_method="bh"),
        affinities,
        negative_gradient_method="bh",
        n_jobs=n_jobs,
    )
    placed = partial.optimize(
        _NEW_STEPS,
        learning_rate=_NEW_LEARNING_RATE,
        exaggeration=_NEW_EXAGGERATION,
        momentum=0.8,
        max_grad_norm=_NEW_LARGEST_GRADIENT,
    )
    return np.array(placed)


def new_affinities(distances, indices, perplexity, n_points, *, n_jobs):
    """Probabilities of the neighbours of new points, (n_new, k), each row summing to one.

    Parameters
    ----------
    distances, indices : ndarray of shape (n_new, k)
        Nearest points of the map to each new point.
    perplexity : float
        Effective number of neighbours.
    n_points : int
        Number of points in the map.
    n_jobs : int
        Threads of openTSNE.
    """
    require("openTSNE", "placing new samples into a map of Fisher t-SNE")
    found = _sparse_affinities(distances, indices, perplexity, n_points, n_jobs)
    # A copy, because scipy cannot index by arrays that are read-only.
    return found[np.arange(len(indices))[:, None], np.array(indices)].toarray()


def _sparse_affinities(distances, indices, perplexity, n_points, n_jobs):
    from openTSNE.affinity import joint_probabilities_nn

    _check_distances(distances)
    distances, indices = _as_on_every_processor(distances, indices)
    return joint_probabilities_nn(
        indices,
        distances,
        [perplexity],
        symmetrize=False,
        normalization="point-wise",
        n_reference_samples=n_points,
        n_jobs=n_jobs,
    )


def _as_on_every_processor(distances, indices):
    """Rounded distances with neighbours sorted by index, so that sums over them round equally."""
    order = np.argsort(indices, axis=1)
    distances, indices = (np.take_along_axis(a, order, axis=1) for a in (distances, indices))
    return _rounded(distances), indices


def _rounded(distances):
    """Round to multiples of a power of two, about a millionth of the largest of the row."""
    distances = np.asarray(distances, dtype=np.float64)
    finer = GRID_BITS - np.frexp(distances.max(axis=1, keepdims=True))[1]
    return np.ldexp(np.rint(np.ldexp(distances, finer)), -finer)


def _check_distances(distances):
    """Raise an error for distances that have overflowed, with which openTSNE would crash."""
    is_finite = np.isfinite(distances).all(axis=1)
    if not is_finite.all():
        raise ValueError(
            f"{np.count_nonzero(~is_finite)} of {len(distances)} samples, first sample "
            f"{int(np.argmin(is_finite))}, have no finite distance to the training samples; scale "
            "the features, or leave these samples out."
        )
