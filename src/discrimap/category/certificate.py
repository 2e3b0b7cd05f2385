"""Certificates of global optimality of category axes: two sufficient conditions and a bound."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.optimize import linprog


@dataclass(frozen=True)
class Certificate:
    """Bounds on the distance of category axes from the global optimum.

    The bound follows from weak duality and can be verified independently of how it was found. With
    ``M = dual_matrix`` and ``nu = dual_values``, check that ``M`` and every ``M + nu_k I - R_k``
    are positive semidefinite (:meth:`check`). Then no orthonormal axes exceed
    ``(trace(M) + sum(nu)) / 2 = upper_bound``.

    Attributes
    ----------
    certified : bool
        Whether the axes are globally optimal to the tolerance: ``gap <= tol``.
    objective : float
        Value at the axes, ``1/2 sum_k w_k' R_k w_k``.
    upper_bound : float
        No orthonormal axes have a larger value.
    gap : float
        Largest possible relative improvement: ``(upper_bound - objective) / objective``.
    paper_condition : bool
        Whether ``R - S(w)`` is negative semidefinite on the whole space, which is the paper's
        sufficient condition [1]_. It holds only if each axis is a leading eigenvector of its class,
        which is rare.
    paper_eigenvalue : float
        Largest eigenvalue of the diagonal blocks ``R_k - (w_k'R_k w_k) I`` of ``R - S(w)``, as a
        fraction of the largest eigenvalue of R; the condition requires zero.
    dual_values : ndarray of shape (n_classes,)
        The numbers nu.
    dual_matrix : ndarray of shape (n_dimensions, n_dimensions)
        The matrix M, in the coordinates of ``scatters``.
    scatters : ndarray of shape (n_classes, n_dimensions, n_dimensions)
        The weighted scatter matrices R_k.
    axes : ndarray of shape (n_dimensions, n_classes)
        The axes in the same coordinates.

    Notes
    -----
    The condition of [1]_ is in Eqs. (43)-(47) of the category space paper. The blocks of S there are
    multiples of the identity matrix of the features, not of the classes.

    References
    ----------
    .. [1] T. Rapcsak, "On minimization on Stiefel manifolds", European Journal of Operational
       Research 143 (2002), 365-376.
    """

    certified: bool
    objective: float
    upper_bound: float
    gap: float
    paper_condition: bool
    paper_eigenvalue: float
    dual_values: np.ndarray
    dual_matrix: np.ndarray
    scatters: np.ndarray
    axes: np.ndarray

    def check(self):
        """Return the largest violation of the certificate's inequalities, relative to the scatters.

        The check uses only eigenvalues, not the search. Rounding errors are about 1e-15.

        Returns
        -------
        violation : float
            At most about 1e-15 if the certificate is valid.
        """
        identity = np.eye(len(self.dual_matrix))
        blocks = [self.dual_matrix] + [
            self.dual_matrix + nu * identity - scatter
            for nu, scatter in zip(self.dual_values, self.scatters, strict=True)
        ]
        lowest = min(linalg.eigvalsh(block)[0] for block in blocks)
        return max(0.0, -lowest) / max(_largest_eigenvalue(scatter) for scatter in self.scatters)


def certify_axes(
    scatters: np.ndarray, axes: np.ndarray, *, tol: float = 1e-7, max_cuts: int = 100
) -> Certificate:
    """Search for a proof that no other orthonormal axes have a larger objective.

    Relaxing ``w_k w_k'`` to any positive semidefinite ``X_k`` of trace one with ``sum X_k <= I``
    gives a semidefinite program whose dual is: minimise ``trace(M) + sum nu_k`` with ``M`` and
    ``M + nu_k I - R_k`` positive semidefinite. At the axes W, complementarity leaves only nu free:
    ``M = W (Lambda - diag(nu)) W'`` with ``Lambda = W'[R_1 w_1 .. R_C w_C]``, and any feasible nu
    attains the value of W. So nu is chosen to maximise the smallest eigenvalues of all blocks, a
    concave problem in C numbers, by cutting planes: each eigenvector of a negative eigenvalue is
    one linear inequality for nu. Costs O(C p^3) per round; a few rounds suffice.

    Parameters
    ----------
    scatters : ndarray of shape (n_classes, n_dimensions, n_dimensions)
        The weighted scatter matrices.
    axes : ndarray of shape (n_dimensions, n_classes)
        Orthonormal columns.
    tol : float, default=1e-7
        Relative gap up to which the axes count as optimal.
    max_cuts : int, default=100
        Maximum number of rounds.

    Returns
    -------
    certificate : Certificate
    """
    scale = max(_largest_eigenvalue(scatter) for scatter in scatters)
    scatters, unscaled = scatters / scale, scatters
    grad = (scatters @ axes.T[:, :, None])[:, :, 0].T
    multipliers = axes.T @ grad
    multipliers = 0.5 * (multipliers + multipliers.T)
    value = np.trace(multipliers)  # twice the objective

    bound, matrix, nu = _best_dual(scatters, axes, multipliers, value, tol, max_cuts)
    # The blocks on the diagonal of R - S(w) must be negative semidefinite. If they are, every w_k
    # is a leading eigenvector of R_k, Lambda is diagonal, and there are no other blocks.
    excess = [
        _largest_eigenvalue(scatter) - own
        for scatter, own in zip(scatters, np.diag(multipliers), strict=True)
    ]
    paper_eigenvalue = float(max(excess))
    gap = float((bound - value) / value)
    return Certificate(
        certified=gap <= tol,
        objective=float(0.5 * scale * value),
        upper_bound=float(0.5 * scale * bound),
        gap=gap,
        paper_condition=paper_eigenvalue <= tol,
        paper_eigenvalue=paper_eigenvalue,
        dual_values=scale * nu,
        dual_matrix=scale * matrix,
        scatters=unscaled,
        axes=axes,
    )


def _best_dual(scatters, axes, multipliers, value, tol, max_cuts):
    """Return the best bound found by cutting planes for nu, with its matrix and values."""
    n_classes, n_dimensions = scatters.shape[:2]
    # Block k always has w_k in its null space, so it is restricted to the complement of w_k.
    complements = [_complement(axes[:, k]) for k in range(n_classes)]
    nu = np.diag(multipliers).copy()
    rows, limits, best = [], [], (np.inf, None, None)
    for _ in range(max_cuts):
        matrix = axes @ (multipliers - np.diag(nu)) @ axes.T
        best = min(best, _bound(scatters, matrix), key=lambda dual: dual[0])
        if best[0] - value <= 0.01 * tol * value:
            break
        for vector in _lowest_vectors(multipliers - np.diag(nu)):
            rows.append(np.append(vector**2, 1.0))
            limits.append(vector @ multipliers @ vector)
        for k, complement in enumerate(complements):
            block = matrix + nu[k] * np.eye(n_dimensions) - scatters[k]
            for reduced in _lowest_vectors(complement.T @ block @ complement):
                vector = complement @ reduced
                inside = axes.T @ vector
                row = np.append(inside**2, 1.0)
                row[k] -= 1.0
                rows.append(row)
                limits.append(inside @ multipliers @ inside - vector @ scatters[k] @ vector)
        # Largest margin t that satisfies every cut. Scatters are scaled to at most one, and so is
        # |nu|, except for a common shift, which has no effect if the axes span the space.
        solution = linprog(
            np.append(np.zeros(n_classes), -1.0),
            A_ub=np.array(rows),
            b_ub=np.array(limits),
            bounds=[(-2.0, 2.0)] * n_classes + [(None, 1.0)],
        )
        if not solution.success or solution.x[-1] < -1e-12 + min(0.0, -tol):
            # If no nu satisfies the cuts, the last point still gives a bound.
            if solution.success:
                nu = solution.x[:-1]
                matrix = axes @ (multipliers - np.diag(nu)) @ axes.T
                best = min(best, _bound(scatters, matrix), key=lambda dual: dual[0])
            break
        nu = solution.x[:-1]
    return best


def _bound(scatters, matrix):
    """Return value, matrix and nu of a feasible dual point, built from any symmetric matrix."""
    values, vectors = linalg.eigh(matrix)
    matrix = (vectors * np.maximum(values, 0.0)) @ vectors.T
    nu = np.array([_largest_eigenvalue(scatter - matrix) for scatter in scatters])
    return np.trace(matrix) + nu.sum(), matrix, nu


def _lowest_vectors(block, count=3):
    """Return the eigenvector of the smallest eigenvalue, and up to two more with negative ones."""
    values, vectors = linalg.eigh(block)
    return [vectors[:, i] for i in range(min(count, len(values))) if i == 0 or values[i] < 0]


def _complement(vector):
    """Return an orthonormal basis of the complement of a unit vector."""
    return linalg.qr(vector[:, None])[0][:, 1:]


def _largest_eigenvalue(matrix):
    last = len(matrix) - 1
    return linalg.eigvalsh(matrix, subset_by_index=[last, last])[0]
