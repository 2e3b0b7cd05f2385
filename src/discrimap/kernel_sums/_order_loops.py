"""Compiled loops that sort points by class, and that restore the original order.

Indexing with the sorted order would visit all points once for every class. These loops read the
points once, in sequence, and write them to one range per class. Several threads can each process a
range of the points if they know how many points of each class precede the range.
"""

from discrimap.linalg._vector_math import compiled


@compiled()
def sort_points(Z, codes, first_places, coordinates):
    """Set ``coordinates[:, k] = Z[i]``, where k counts up from ``first_places`` for each class."""
    place = first_places.copy()
    for i in range(Z.shape[0]):
        k = place[codes[i]]
        place[codes[i]] = k + 1
        for dim in range(Z.shape[1]):
            coordinates[dim, k] = Z[i, dim]


@compiled()
def unsort_rows(rows, codes, first_places, result):
    """Set ``result[i] = rows[k]``, the inverse of :func:`sort_points`."""
    place = first_places.copy()
    for i in range(result.shape[0]):
        k = place[codes[i]]
        place[codes[i]] = k + 1
        for dim in range(result.shape[1]):
            result[i, dim] = rows[k, dim]
