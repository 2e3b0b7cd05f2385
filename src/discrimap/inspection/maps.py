"""Points to draw from the first split of each method: rows, coordinates and values."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from discrimap.comparison.result import Comparison
from discrimap.inspection.named_problem import NamedProblem
from discrimap.inspection.pictures import Pictures, collect_pictures

# Most points that a browser can pan smoothly. If there are more, a random sample is drawn.
MOST_POINTS = 200_000
# Largest total size of the maps of all methods, and of the values shown with the points. With these
# limits, a page of 10,000 points is well below 8 MB.
MOST_COORDINATES = 300_000
MOST_VALUES = 150_000
MOST_ID_LETTERS = 1_500_000
MOST_TEXT_BYTES = 450_000
LONGEST_TEXT, SHORTEST_TEXT = 300, 20  # bytes of one text
N_VALUES = (3, 12)  # smallest and largest number of features shown with a point


@dataclass(frozen=True, eq=False)
class MethodMap:
    """Coordinates of the points in the map of one method."""

    name: str
    label: str
    # (n_points, n_components) float32; NaN for rows that the method was not fitted to and cannot
    # transform
    coordinates: np.ndarray


@dataclass(frozen=True, eq=False)
class Maps:
    """Training and held-out points of the first split; all methods have the same points."""

    rows: np.ndarray  # (n_points,) row of each point in the data, counted from 0
    is_held_out: np.ndarray  # (n_points,) bool
    target: np.ndarray  # (n_points,) class codes or numbers; -1 or NaN if unlabelled
    value_names: tuple[str, ...]
    values: np.ndarray  # (n_points, n_values) float32: the leading features, in their own units
    methods: tuple[MethodMap, ...]  # the shown method first, then the others, best first
    n_rows: int  # rows of the data; larger than n_points if the points are a sample
    n_methods: int  # methods with a map; some are not kept if the page would be too large
    id_name: str | None = None  # column with the ids of the rows
    ids: np.ndarray | None = None  # (n_points,) text; None also if the page would be too large
    texts: tuple[str, ...] | None = field(default=None, metadata={"in_files": False})  # cut short
    pictures: Pictures | None = field(default=None, metadata={"in_files": False})


def collect_maps(
    comparison: Comparison,
    samples: NamedProblem,
    ranking: np.ndarray,
    seed: int = 0,
    *,
    most_points: int | None = None,
    most_coordinates: int | None = None,
) -> Maps | None:
    """Collect the first maps of all methods, or as many as a page can hold.

    The method that the comparison shows comes first, then the others, best first.

    Parameters
    ----------
    comparison : Comparison
        The methods with their first maps.
    samples : NamedProblem
        The data.
    ranking : ndarray of int
        Features, most important first; the values of the first few are shown with each point.
    seed : int
        Determines the sample if there are too many points.
    most_points, most_coordinates : int, optional
        Limits; by default the limits of a report.
    """
    results = [result for result in comparison.done if result.first_map is not None]
    results.sort(key=lambda result: result.name != comparison.shown)
    if not results:
        return None
    splits = [result.first_map for result in results if result.first_map is not None]
    # All methods have the same held-out rows; some methods may have fewer training rows.
    largest = max(splits, key=lambda split: len(split.train_rows))
    rows = np.concatenate([largest.train_rows, largest.test_rows])
    n_rows = len(rows)
    is_held_out = np.arange(n_rows) >= len(largest.train_rows)
    drawn = np.arange(n_rows)
    most_points, most_coordinates = most_points or MOST_POINTS, most_coordinates or MOST_COORDINATES
    if n_rows > most_points:
        rng = np.random.default_rng(seed)
        drawn = np.sort(rng.choice(n_rows, most_points, replace=False))

    place_of_row = np.empty(samples.X.shape[0], dtype=np.intp)
    place_of_row[rows] = np.arange(n_rows)
    methods: list[MethodMap] = []
    n_coordinates = 0
    for result, split in zip(results, splits, strict=True):
        n_coordinates += len(drawn) * split.train.shape[1]
        if methods and n_coordinates > most_coordinates:
            break
        where = np.full((n_rows, split.train.shape[1]), np.nan, dtype=np.float32)
        where[place_of_row[split.train_rows]] = split.train
        where[place_of_row[split.test_rows]] = split.test
        methods.append(MethodMap(result.name, result.label, where[drawn]))
    rows, is_held_out = rows[drawn], is_held_out[drawn]

    n_values = min(len(ranking), int(np.clip(MOST_VALUES // len(rows), *N_VALUES)))
    shown = ranking[:n_values]
    values = samples.X[rows][:, shown]
    if sparse.issparse(values):
        values = values.toarray()
    return Maps(
        rows=rows,
        is_held_out=is_held_out,
        target=samples.y[rows],
        value_names=tuple(samples.feature_names[i] for i in shown),
        values=np.asarray(values, dtype=np.float32),
        methods=tuple(methods),
        n_rows=n_rows,
        n_methods=len(results),
        id_name=samples.id_name,
        ids=_ids_of(samples, rows),
        texts=_texts_of(samples, rows),
        pictures=None if samples.images is None else collect_pictures(samples.images, rows, seed),
    )


def _texts_of(samples: NamedProblem, rows: np.ndarray) -> tuple[str, ...] | None:
    """Return the shortened texts of some rows, or None if they would be too short to read."""
    most = min(LONGEST_TEXT, MOST_TEXT_BYTES // len(rows))
    if samples.texts is None or most < SHORTEST_TEXT:
        return None
    return tuple(_beginning(str(samples.texts[row]), most) for row in rows)


def _beginning(text: str, most: int) -> str:
    """Cut a text to a number of bytes, and append an ellipsis if it was cut."""
    if len(text.encode()) <= most:
        return text
    return text.encode()[: most - 3].decode(errors="ignore") + "\u2026"


def _ids_of(samples: NamedProblem, rows: np.ndarray) -> np.ndarray | None:
    if samples.ids is None:
        return None
    ids = np.asarray(samples.ids[rows], dtype=str)
    return ids if np.char.str_len(ids).sum() <= MOST_ID_LETTERS else None
