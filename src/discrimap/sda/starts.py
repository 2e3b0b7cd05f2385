"""Where an iterative linear method begins: directions from the data, and the best of several."""

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, eigsh

from discrimap.linalg.signs import orient

# Spread of the start, the root of the total variance of the map: about the distance at which
# 1/(1+r^2) bends, so that points neither coincide nor lose sight of each other.
START_SPREAD = 2.0


def principal_directions(samples, mean, n_components, total_scatter=None):
    """Directions of most variance, as columns; (n_features, n_components), zeros beyond the rank.

    Uses the total scatter where it is at hand; otherwise Lanczos iterations, O(n p) each.
    """
    n_features = samples.shape[1]
    n_found = min(n_components, n_features)
    if total_scatter is not None:
        vectors = linalg.eigh(
            total_scatter, subset_by_index=[n_features - n_found, n_features - 1]
        )[1]
    else:
        vectors = _lanczos(
            samples.array, mean, samples.weights, min(n_found, min(samples.shape) - 1)
        )
    directions = np.zeros((n_features, n_components))
    directions[:, : vectors.shape[1]] = orient(vectors)[:, ::-1]
    return directions


def discriminant_directions(within, between, n_directions):
    """Directions of most scatter between the classes per scatter within them (LDA), as columns.

    A ridge of one part in a million, relative to the larger of the two, keeps directions without
    scatter within the classes finite.
    """
    ridge = 1e-6 * max(np.trace(within), np.trace(between)) / len(within)
    n_directions = min(n_directions, len(within))
    vectors = linalg.eigh(
        between,
        within + ridge * np.eye(len(within)),
        subset_by_index=[len(within) - n_directions, len(within) - 1],
    )[1]
    return orient(vectors)[:, ::-1]


def with_spread(samples, W, spread=START_SPREAD):
    """Scale W so that the map ``X W`` has the given spread; W itself if that is a point."""
    size = samples.map_spread(W)
    return W * (spread / size) if size > 0 else W


def _lanczos(data, mean, weights, n_components):
    weights = np.ones(data.shape[0]) if weights is None else weights

    def scatter_times(vector):
        projected = weights * (data @ vector - mean @ vector)
        return data.T @ projected - mean * projected.sum()

    n_features = data.shape[1]
    operator = LinearOperator((n_features, n_features), matvec=scatter_times, dtype=np.float64)
    # A fixed start makes the result repeatable; a constant one could be orthogonal to the answer.
    first = np.random.default_rng(0).standard_normal(n_features)
    return eigsh(operator, k=n_components, v0=first)[1]
