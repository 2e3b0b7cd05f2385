"""Compiled product of Givens rotations."""

import math

from discrimap.linalg._vector_math import compiled


@compiled()
def rotate_columns(basis, angles):
    """``basis <- basis prod_i prod_j G_ij(angles[i, j])`` in place, as below Eq. (6)."""
    n_rows = basis.shape[0]
    n_components, n_others = angles.shape
    for i in range(n_components):
        for j in range(n_others):
            cosine, sine = math.cos(angles[i, j]), math.sin(angles[i, j])
            for row in range(n_rows):
                first = basis[row, i]
                second = basis[row, n_components + j]
                basis[row, i] = cosine * first - sine * second
                basis[row, n_components + j] = sine * first + cosine * second
