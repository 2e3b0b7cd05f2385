"""Compiled loops that bring points into the order of their classes and back.

Indexing with the order would visit all of the points once for every class; here they are read
once, in turn, and written to as many places as there are classes.
"""

from discrimap.linalg._vector_math import compiled


@compiled()
def sort_points(Z, codes, starts, coordinates):
    """``coordinates[:, k] = Z[i]`` for the points i of each class in turn."""
    place = starts.copy()
    for i in range(Z.shape[0]):
        k = place[codes[i]]
        place[codes[i]] = k + 1
        for dim in range(Z.shape[1]):
            coordinates[dim, k] = Z[i, dim]


@compiled()
def unsort_rows(rows, codes, starts, result):
    """``result[i] = rows[k]``, the inverse."""
    place = starts.copy()
    for i in range(result.shape[0]):
        k = place[codes[i]]
        place[codes[i]] = k + 1
        for dim in range(result.shape[1]):
            result[i, dim] = rows[k, dim]
