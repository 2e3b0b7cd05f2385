"""Solvers of the eigenproblem of a label pencil: dense, after a randomised SVD, and iterative."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg

from discrimap.linalg.eigenpairs import dense_eigenpairs, iterative_eigenpairs
from discrimap.linalg.reductions import reduce_features
from discrimap.linalg.signs import sign_of_columns

if TYPE_CHECKING:
    from discrimap._typing import Matrix, RandomState
    from discrimap.projections.objective import LabelPencil

# The useless direction has nu = C - 1; slightly less with unequal classes and the graph, slightly more
# with spread. Directions that separate a rare class have a similar h but a much larger nu.
USELESS_RATIO = 1.5
# Overlap in h above which an eigenvector is the useless one. With equal class counts its overlap is 1,
# and the overlap of the others is 0.
USELESS_OVERLAP = 0.5
# Ratios below this fraction of the ratio of the label codes alone are rounding errors.
NO_GAIN = 1e-11
# Additional vectors in an iterative block, so that the last requested one converges too.
GUARD_VECTORS = 5


def solve_label_pencil(
    pencil: LabelPencil,
    X: Matrix,
    n_components: int,
    *,
    solver: str,
    max_iter: int,
    tol: float,
    random_state: RandomState,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Return the largest eigenpairs of the pencil, without the useless direction.

    Parameters
    ----------
    pencil : LabelPencil
        Numerator and denominator.
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        The samples.
    n_components : int
        Number of eigenpairs.
    solver, max_iter, tol, random_state
        As in :class:`~discrimap.DiscriminativeProjections`.

    Returns
    -------
    ratios : ndarray of shape (n_components,)
        The eigenvalues nu, in decreasing order.
    f : ndarray of shape (n_features, n_components)
    h : ndarray of shape (n_codes, n_components)
    n_iter : int
        Number of iterations; 1 for the direct solvers.
    """
    if solver == "lobpcg":
        ratios, f, h, n_iter = _solve_iteratively(
            pencil, X, n_components, max_iter, tol, random_state
        )
    else:
        reduction = reduce_features(X, solver, n_components, random_state)
        ratios, f, h = _solve_reduced(pencil, reduction.coordinates, n_components)
        f, n_iter = reduction.lift(f), 1
    kept = _useful(pencil, ratios[: n_components + 1], h[:, : n_components + 1])[:n_components]
    f, h = f[:, kept], h[:, kept]
    flips = sign_of_columns(f)
    return ratios[kept], f * flips, h * flips, n_iter


def _solve_reduced(pencil, X, n_components, n_more=1):
    """Compute n_components + n_more eigenpairs, or all if there are fewer, with dense matrices."""
    numerator, denominator = pencil.matrices(X)
    n_codes = pencil.codes.shape[1]
    # The last n_codes of all eigenvectors repeat an f of the others.
    ratios, vectors = dense_eigenpairs(numerator, denominator, n_components + n_codes + n_more)
    f, h = np.split(vectors, [X.shape[1]])
    # An f along which the samples do not vary has no gain.
    has_gain = ratios > NO_GAIN * pencil.offset_gain.max()
    n_directions = np.sum(has_gain | (np.square(h).sum(axis=0) > 0.5)) - n_codes
    if n_components > n_directions:
        # This count is too low if vectors without gain are mixed with each other: count exactly.
        n_directions = _count_gains(pencil, numerator, denominator, X.shape[1])
    if n_directions == 0:
        raise ValueError(
            "the samples do not vary: every feature of X (of its labelled samples, for classes "
            "with spread=0) is constant; pass samples that differ."
        )
    if n_components > n_directions:
        raise ValueError(
            f"n_components={n_components} exceeds the {n_directions} directions in which the "
            "samples (the labelled ones, for classes with spread=0) vary; pass at most "
            f"{n_directions}."
        )
    return ratios, f, h


def _count_gains(pencil, numerator, denominator, n_features):
    """Count the independent f with a positive gain, with labels placed by least squares."""
    block = np.s_[:n_features, :n_features]
    gains, _ = dense_eigenpairs(numerator[block], denominator[block], n_features)
    return np.sum(gains > NO_GAIN * pencil.offset_gain.max())


def _useful(pencil, ratios, h):
    """Return the indices of all eigenvectors except the useless one."""
    indices = np.arange(len(ratios))
    if pencil.useless is None:
        return indices
    overlap = np.square(pencil.useless @ h) / np.square(pencil.useless).sum()
    overlap[ratios > USELESS_RATIO * (len(h) - 1)] = 0.0
    worst = overlap.argmax()
    return indices[indices != worst] if overlap[worst] > USELESS_OVERLAP else indices


def _solve_iteratively(pencil, X, n_components, max_iter, tol, random_state):
    """Run LOBPCG in all features, with start and preconditioner from the leading singular space."""
    n_features = X.shape[1]
    reduction = reduce_features(X, "svd", n_components, random_state)
    basis = reduction.lift(np.eye(reduction.coordinates.shape[1]))
    _, f, h = _solve_reduced(pencil, reduction.coordinates, n_components, GUARD_VECTORS)
    start = np.vstack([basis @ f, h])

    cost = pencil.cost.matrix(reduction.coordinates) + pencil.ridge * np.eye(basis.shape[1])
    factor = linalg.cho_factor(cost)
    # Outside the leading space the cost is approximated by its smallest value inside.
    rest = linalg.eigvalsh(cost, subset_by_index=[0, 0])[0]

    def precondition(vectors):
        top, bottom = np.split(vectors, [n_features])
        inside = basis.T @ top
        outside = (top - basis @ inside) / rest
        return np.vstack([basis @ linalg.cho_solve(factor, inside) + outside, bottom])

    ratios, vectors, n_iter = iterative_eigenpairs(
        lambda vectors: pencil.apply_numerator(X, vectors),
        lambda vectors: pencil.apply_denominator(X, vectors),
        start,
        n_components + 1,
        precondition=precondition,
        max_iter=max_iter,
        tol=tol,
    )
    f, h = np.split(vectors, [n_features])
    return ratios, f, h, n_iter
