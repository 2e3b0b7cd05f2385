"""Width of the Parzen windows."""

import warnings
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar

MOST_ROWS = 2000  # points whose widths are averaged, or whose likelihood is summed
WIDEST = 2  # times the perplexity width; wider windows give poor maps of held-out points
_BISECTIONS = 60
_ROWS_PER_BLOCK = 256


def choose_bandwidth(
    rule: float | str,
    squared_rows: Callable[[np.ndarray], np.ndarray],
    labels: np.ndarray,
    n_classes: int,
    perplexity: float,
    random_state: np.random.RandomState,
) -> tuple[float, float]:
    """Return the width by a rule or as given, and that of the perplexity rule.

    With many samples the rule is applied to a random subset, with distances to all samples. A given
    width above twice that of the perplexity rule, where held-out quality falls, gives a warning.

    Parameters
    ----------
    rule : {"perplexity", "likelihood"} or float
        The rule, or the width itself.
    squared_rows : callable
        ``squared_rows(indices)`` gives squared distances of these points to all, (n, n_samples).
    labels : ndarray of shape (n_samples,)
        Class indices.
    n_classes : int
        Number of classes.
    perplexity : float
        Effective number of neighbours.
    random_state : RandomState
        Draws the subset.
    """
    n_samples = len(labels)
    rows = np.arange(n_samples)
    if n_samples > MOST_ROWS:
        rows = random_state.choice(n_samples, MOST_ROWS, replace=False)
    usual = perplexity_bandwidth(
        squared_rows, n_samples, usable_perplexity(perplexity, n_samples), rows
    )
    if rule == "perplexity":
        return usual, usual
    if rule == "likelihood":
        return likelihood_bandwidth(squared_rows, labels, n_classes, usual, rows), usual
    bandwidth = float(rule)
    if bandwidth > WIDEST * usual:
        warnings.warn(
            f"the bandwidth {bandwidth:.3g} is more than twice the perplexity bandwidth "
            f"{usual:.3g}: posteriors become flat, and held-out errors are known to rise there; "
            "compare with bandwidth='perplexity'.",
            UserWarning,
            stacklevel=2,
        )
    return bandwidth, usual


def usable_perplexity(perplexity: float, n_samples: int) -> float:
    """Lower a perplexity above a third of the number of other samples, with a warning."""
    limit = max((n_samples - 1) / 3, 1.5)
    if perplexity <= limit:
        return perplexity
    warnings.warn(
        f"perplexity={perplexity:.3g} exceeds a third of the {n_samples - 1} other samples; "
        f"{limit:.3g} is used. Pass at most that to avoid this warning.",
        UserWarning,
        stacklevel=2,
    )
    return limit


def perplexity_bandwidth(squared_rows, n_samples, perplexity, rows):
    """Mean of the widths at which each point has a given effective number of neighbours.

    The rule of Sec. 4 of Schulz and Hammer (2016) after t-SNE: sigma_i is such that the
    distribution ``exp(-d2_ij / (2 sigma_i^2))`` over the ``3 * perplexity`` nearest neighbours has
    that perplexity. Points with at least as many duplicates as the perplexity have no such width
    and are left out of the mean.

    Parameters
    ----------
    squared_rows : callable
        ``squared_rows(indices)`` gives squared distances of these points to all, (n, n_samples).
    n_samples : int
        Number of training points.
    perplexity : float
        Effective number of neighbours, above 1.
    rows : ndarray
        The points whose widths are averaged.

    Returns
    -------
    bandwidth : float
    """
    n_neighbors = min(n_samples - 1, max(2, int(3 * perplexity)))
    widths = []
    for start in range(0, len(rows), _ROWS_PER_BLOCK):
        block = rows[start : start + _ROWS_PER_BLOCK]
        squared = np.array(squared_rows(block), dtype=np.float64)
        squared[np.arange(len(block)), block] = np.inf  # a point is not its own neighbour
        squared.partition(n_neighbors - 1, axis=1)
        widths.append(_calibrated_widths(squared[:, :n_neighbors], perplexity))
    bandwidth = np.concatenate(widths)
    bandwidth = bandwidth[bandwidth > 0]
    if not len(bandwidth):
        raise ValueError(
            "the perplexity bandwidth is zero: every point has at least as many duplicates as "
            f"perplexity={perplexity:.3g}; pass bandwidth=<number> or a larger perplexity."
        )
    return float(bandwidth.mean())


def _calibrated_widths(squared, perplexity):
    """Width of each row by bisection of log sigma^2; zero if there are too many duplicates."""
    shifted = squared - squared.min(axis=1, keepdims=True)
    scale = shifted.max(axis=1)
    target = np.log(min(perplexity, squared.shape[1] * (1 - 1e-9)))
    # The entropy increases with the width, starting at log(ties for the smallest distance).
    ties = (shifted <= 1e-12 * scale[:, None]).sum(axis=1)
    possible = np.log(ties) < target
    low, high = np.full(len(squared), -60.0), np.full(len(squared), 60.0)
    scale = np.where(scale > 0, scale, 1)
    shifted /= scale[:, None]
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        exponents = shifted * np.exp(-middle)[:, None] / 2
        weights = np.exp(-exponents)
        total = weights.sum(axis=1)
        entropy = np.log(total) + (weights * exponents).sum(axis=1) / total
        narrow = entropy < target
        low, high = np.where(narrow, middle, low), np.where(narrow, high, middle)
    return np.where(possible, np.sqrt(scale * np.exp((low + high) / 2)), 0)


def likelihood_bandwidth(squared_rows, labels, n_classes, around, rows):
    """Width of the largest leave-one-out likelihood ``sum_i log p(c_i | x_i)``.

    Searched between a twentieth of and twice ``around`` on a logarithmic scale, first on a grid,
    because the likelihood may have several maxima, then by golden section and parabolas. If the
    labels are noise, the likelihood increases with the width without bound; beyond the limit,
    posteriors become flat and held-out maps worse.

    Parameters
    ----------
    squared_rows : callable
        As in :func:`perplexity_bandwidth`.
    labels : ndarray of shape (n_samples,)
        Class indices.
    n_classes : int
        Number of classes.
    around : float
        A width of the right order of magnitude.
    rows : ndarray
        The points whose likelihood is summed.

    Returns
    -------
    bandwidth : float
    """
    counts = np.bincount(labels, minlength=n_classes)
    rows = rows[counts[labels[rows]] > 1]  # the only sample of a class has no likelihood
    if not len(rows):
        raise ValueError(
            "bandwidth='likelihood' needs a class with at least 2 samples; pass "
            "bandwidth='perplexity' or a number."
        )
    blocks = [rows[k : k + _ROWS_PER_BLOCK] for k in range(0, len(rows), _ROWS_PER_BLOCK)]

    def cost(log_width):
        half_precision = 0.5 * np.exp(-2 * log_width)
        total = 0.0
        for block in blocks:
            exponents = -half_precision * np.asarray(squared_rows(block), dtype=np.float64)
            exponents[np.arange(len(block)), block] = -np.inf
            own = np.where(labels == labels[block][:, None], exponents, -np.inf)
            total += (_log_sum(exponents) - _log_sum(own)).sum()
        return total

    grid = np.log(around) + np.linspace(np.log(1 / 20), np.log(WIDEST), 13)
    costs = [cost(log_width) for log_width in grid]
    best = int(np.argmin(costs))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = minimize_scalar(cost, bounds=(low, high), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x if found.fun < costs[best] else grid[best]))


def _log_sum(exponents):
    largest = exponents.max(axis=1)
    return largest + np.log(np.exp(exponents - largest[:, None]).sum(axis=1))
