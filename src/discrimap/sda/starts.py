"""Starts of iterative linear methods: directions found from the data."""

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from discrimap.linalg.directions import discriminant_directions, principal_directions
from discrimap.linalg.signs import orient

# Spread of the start, the root of the total variance of the map: about the distance at which
# 1/(1+r^2) bends, so that points neither coincide nor are too far apart to interact.
START_SPREAD = 2.0


def directions_of_variance(samples, mean, n_components, total_scatter=None):
    """Directions of most variance, as columns; (n_features, n_components), zeros beyond the rank.

    Uses the total scatter if given; otherwise Lanczos iterations, O(n p) each.
    """
    n_features = samples.shape[1]
    n_found = min(n_components, n_features)
    if total_scatter is not None:
        found = principal_directions(total_scatter, n_found)
    else:
        n_found = min(n_found, min(samples.shape) - 1)
        found = orient(_lanczos(samples.array, mean, samples.weights, n_found))[:, ::-1]
    directions = np.zeros((n_features, n_components))
    directions[:, : found.shape[1]] = found
    return directions


def lda_directions(within, between, n_directions):
    """Directions of LDA, with a ridge of one part in a million of the larger scatter."""
    ridge = 1e-6 * max(np.trace(within), np.trace(between)) / len(within)
    return discriminant_directions(within, between, n_directions, ridge)


def with_spread(samples, W, spread=START_SPREAD):
    """Scale W so that the map ``X W`` has the given spread; W itself if the map is a point."""
    return scaled_to_spread(W, samples.map_spread(W), spread)


def scaled_to_spread(W, size, spread=START_SPREAD):
    """Scale W, whose map has the spread ``size``; W itself if this is zero."""
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
