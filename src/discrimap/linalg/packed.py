"""Symmetric matrices in half the memory: LAPACK's rectangular full packed format.

The ``n (n + 1) / 2`` numbers of the lower triangle are arranged such that Cholesky factors still
come from products of large blocks. Packed matrices may be added and scaled like any arrays.
"""

import numpy as np
from scipy import linalg
from scipy.linalg import blas, lapack


def packed_gram(rows):
    """Pack ``rows.T @ rows`` (float32 or float64) without the full matrix: (n (n + 1) / 2,)."""
    (rank_update,) = lapack.get_lapack_funcs(("sfrk",), (rows,))
    n_rows, n = rows.shape
    # LAPACK reads columns, and rows are the columns of the transpose, which needs no copy.
    empty = np.zeros(packed_size(n), rows.dtype)
    return rank_update(n, n_rows, 1, rows.T, 0, empty, uplo="L", overwrite_c=1)


def packed_size(n):
    """Return the number of entries of a packed matrix of n rows."""
    return n * (n + 1) // 2


def diagonal_places(n):
    """Return the indices of the diagonal in a packed matrix of n rows."""
    half = (n + 1) // 2
    height = n + 1 - n % 2  # of the rectangle, whose columns are one after the other
    first, second = np.arange(half), np.arange(n - half)
    upper = first * height + first + 1 - n % 2
    lower = (second + n % 2) * height + second
    return np.concatenate([upper, lower])


def packed_product(matrix, columns):
    """Multiply a packed matrix (float64) by a matrix of n rows."""
    n = len(columns)
    half, is_odd = (n + 1) // 2, n % 2
    # The two triangles on the diagonal lie above each other, and below them the square.
    rectangle = matrix.reshape(half, -1).T
    first = rectangle[1 - is_odd : 1 - is_odd + half]
    second = rectangle[: n - half, is_odd:]
    square = rectangle[1 - is_odd + half :]
    product = np.empty(columns.shape)
    product[:half] = blas.dsymm(1.0, first, columns[:half], lower=1)
    if n > 1:
        product[:half] += square.T @ columns[half:]
        product[half:] = blas.dsymm(1.0, second, columns[half:], lower=0)
        product[half:] += square @ columns[:half]
    return product


def solve_packed(matrix, columns):
    """Solve a positive definite packed system (float64), which is overwritten.

    Raises
    ------
    LinAlgError
        If the matrix is not positive definite.
    """
    n = len(columns)
    factor, info = lapack.dpftrf(n, matrix, uplo="L", overwrite_a=1)
    if info:
        raise linalg.LinAlgError(f"the leading minor of order {info} is not positive")
    return lapack.dpftrs(n, factor, columns, uplo="L")[0]
