"""Comparison of starts of SDA on parts of the samples."""

import itertools

import numpy as np
from scipy import linalg

from discrimap.optimisers import minimise_in_lockstep
from discrimap.samples.drawn_samples import draw_members
from discrimap.sda.coordinates import InCoordinates, Subspace
from discrimap.sda.starts import lda_directions, with_spread
from discrimap.sda.votes import best_by_vote

# Number of samples on which all starts are compared, and then the best few of them again.
EXPLORED_SAMPLES = (300, 1000)
FEWEST_EXPLORED = 5  # of a class
EXPLORED_AGAIN = 5
EXPLORED_ITERATIONS = 100
EXPLORED_TOL = 1e-3
# Number of samples that vote for the classes of their neighbours.
VOTERS = 3000
# Factor by which divergences that count as almost equal differ at most.
ALMOST = 1.01


def explored_start(problem, first, alpha, n_init, rng):
    """Compare several starts on parts of the samples, and return that with the lowest divergence.

    Many classes can be arranged in a map in many ways, and a descent keeps the arrangement of its
    start. To compare arrangements cheaply, subsets of the samples and the few directions that
    separate the classes are used. Of results of almost equal divergence, that with the fewest
    samples outvoted by their neighbours is taken.

    Parameters
    ----------
    problem : StochasticDiscriminantProblem
        With ``moments``.
    first : ndarray of shape (n_features, n_components)
        The first start; the second one is LDA's, the others are random.
    alpha : float
        The penalty.
    n_init : int
        Number of starts.
    rng : numpy Generator
        Draws samples and starts.

    Returns
    -------
    start : ndarray of shape (n_features, n_components)
    """
    # All subsets are drawn together, before the starts: one pass over samples in blocks.
    *parts, voters = drawn_parts(problem.samples, (*EXPLORED_SAMPLES, VOTERS), rng)
    settings, moments = problem.settings, problem.moments
    curvature = problem.curvature(alpha)
    if not problem.whitens(alpha):
        curvature = np.eye(len(curvature)) * (np.trace(curvature) / len(curvature) or 1.0)
    directions = lda_directions(curvature, moments.between, len(settings.targets) - 1)
    # In an orthonormal basis of these directions the penalty keeps its form, and the samples need
    # no more columns than there are directions.
    basis, triangle = linalg.qr(directions, mode="economic")
    shape = (directions.shape[1], settings.n_components)
    # The first columns of the directions are those of LDA.
    starts = [directions.T @ (curvature @ first), np.eye(*shape)]
    starts += [rng.standard_normal(shape) for _ in range(n_init - 2)]
    parts = [samples.projected(basis) for samples in parts]
    along = parts[0].projected(triangle)
    starts = [with_spread(along, start) for start in starts]
    for part in parts:
        solutions = minimise_in_lockstep(
            InCoordinates(problem.objective(part, alpha, engine="exact"), Subspace(triangle)),
            starts,
            max_iter=EXPLORED_ITERATIONS,
            tol=EXPLORED_TOL,
        )
        best = best_distinct(solutions)
        starts = [solution.params for solution in best]
    almost_equal = [
        solution.params for solution in best if solution.value <= ALMOST * best[0].value
    ]
    winner = best_by_vote(voters.projected(directions), almost_equal)
    return directions @ almost_equal[winner]


def best_distinct(solutions):
    """Return the few solutions of lowest value; of those of about the same value, only the first.

    Most solutions of about the same value are the same map. Otherwise, which of two almost equal
    values is lower depends on rounding, which differs between processors; the order of the starts
    does not.
    """
    values = [solution.value for solution in solutions]
    groups: list[list[int]] = []  # of about the same value, the lowest first
    for k in np.argsort(values):
        if groups and values[k] <= (1 + 2 * EXPLORED_TOL) * values[groups[-1][0]]:
            groups[-1].append(k)
        else:
            groups.append([k])
    return [solutions[min(group)] for group in groups[:EXPLORED_AGAIN]]


def drawn_parts(samples, sizes, rng):
    """Draw random subsets of about the given sizes."""
    rows = [_drawn_rows(samples, n_samples, rng) for n_samples in sizes]
    drawn = samples.draw(np.concatenate(rows))
    ends = np.cumsum([0, *map(len, rows)])
    return [drawn.draw(slice(first, stop)) for first, stop in itertools.pairwise(ends)]


def _drawn_rows(samples, n_samples, rng):
    """Draw indices of about ``n_samples`` samples: the same share of each class, at least five."""
    share = n_samples / len(samples)
    if share >= 1:
        return np.arange(len(samples))
    wanted = np.round(share * samples.class_counts()).astype(int)
    return draw_members(samples, rng, np.maximum(wanted, FEWEST_EXPLORED))
