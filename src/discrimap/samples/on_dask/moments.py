"""Compute counts, means, scatter and extents of the classes in one pass over the blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

TILE_ROWS = 4096


@dataclass(frozen=True)
class BlockMoments:
    """Moments of labelled rows, in float64, or the first invalid value.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The sorted labels that occur.
    counts : ndarray of shape (n_classes,)
        Number of rows of each class.
    means : ndarray of shape (n_classes, n_features)
        Mean of each class.
    scatters : ndarray of shape (n_classes, n_features, n_features)
        Sum over each class of ``(x - mean)(x - mean)'``; if pooled, one matrix for all classes, of
        shape (1, n_features, n_features).
    low, high : ndarray of shape (n_features,)
        Smallest and largest value of each feature.
    fault : tuple or None
        Index of the chunk, and a description of its first invalid value.
    """

    classes: np.ndarray
    counts: np.ndarray
    means: np.ndarray
    scatters: np.ndarray
    low: np.ndarray
    high: np.ndarray
    fault: tuple | None = None

    @property
    def mean(self):
        return self.counts @ self.means / self.counts.sum()

    @property
    def within(self):
        """The scatter within the classes."""
        return self.scatters.sum(axis=0)

    @property
    def between(self):
        """The scatter of the class means about the mean."""
        offsets = self.means - self.mean
        return (offsets * self.counts[:, None]).T @ offsets

    @property
    def total(self):
        """The scatter about the mean."""
        return self.within + self.between

    def __sizeof__(self):
        return object.__sizeof__(self) + self.means.nbytes + self.scatters.nbytes


def block_moments(samples, label_source, excluded, feature_names, is_pooled):
    """Compute the moments of one block, after a check of every value."""
    y = label_source.read()
    is_excluded = np.zeros(len(y), dtype=bool)
    is_excluded[excluded] = True
    parts = []
    for places, X in samples.parts():
        labels, is_kept = y[places], ~is_excluded[places]
        if not is_kept.any():
            continue
        if not is_kept.all():
            X, labels = X[is_kept], labels[is_kept]

        def place_of(row, first=places.start, kept=is_kept):
            return label_source.place_of(first + int(np.flatnonzero(kept)[row]))

        parts.append(piece_moments(X, labels, place_of, feature_names, is_pooled))
    return merge_moments(parts)


def piece_moments(X, y, place_of, feature_names, is_pooled):
    """Compute the moments of one piece.

    Rows are centred before the product, in the dtype of X and in tiles, so that a large offset does
    not reduce the accuracy.
    """
    fault = find_fault(X, y, place_of, feature_names)
    n_features = X.shape[1]
    if fault is not None:
        nothing = np.zeros(0)
        return BlockMoments(nothing, nothing, nothing, nothing, nothing, nothing, fault)
    classes, labels = np.unique(y, return_inverse=True)
    counts = np.bincount(labels, minlength=len(classes)).astype(np.float64)
    means = np.zeros((len(classes), n_features))
    scatters = np.zeros((1 if is_pooled else len(classes), n_features, n_features))
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(len(classes) + 1))
    for c in range(len(classes)):
        members = order[starts[c] : starts[c + 1]]
        for tile in _tiles(members):
            means[c] += X[tile].sum(axis=0, dtype=np.float64)
        means[c] /= counts[c]
        centre = means[c].astype(X.dtype)
        scatter = scatters[0 if is_pooled else c]
        for tile in _tiles(members):
            centred = X[tile] - centre
            scatter += centred.T @ centred
        # The centre was rounded to the dtype of X.
        shift = means[c] - centre
        scatter -= counts[c] * np.outer(shift, shift)
    return BlockMoments(classes, counts, means, scatters, X.min(axis=0), X.max(axis=0))


def merge_moments(parts):
    """Merge moments of several blocks by the pairwise update of Chan, Golub and LeVeque."""
    faults = [part.fault for part in parts if part.fault is not None]
    if faults:
        first = min(faults, key=lambda fault: fault[0])
        return next(part for part in parts if part.fault == first)
    merged = parts[0]
    for part in parts[1:]:
        merged = _merge_two(merged, part)
    return merged


def _merge_two(a, b):
    classes = np.unique(np.concatenate([a.classes, b.classes]))
    n_features = a.means.shape[1]
    counts = np.zeros((2, len(classes)))
    means = np.zeros((2, len(classes), n_features))
    is_pooled = len(a.scatters) != len(a.classes) or len(b.scatters) != len(b.classes)
    scatters = np.zeros((1 if is_pooled else len(classes), n_features, n_features))
    for side, part in enumerate((a, b)):
        places = np.searchsorted(classes, part.classes)
        counts[side, places], means[side, places] = part.counts, part.means
        if is_pooled:
            scatters[0] += part.scatters.sum(axis=0)
        else:
            scatters[places] += part.scatters
    total = counts.sum(axis=0)
    shifts = means[1] - means[0]
    strengths = counts[0] * counts[1] / total
    if is_pooled:
        scatters[0] += (shifts * strengths[:, None]).T @ shifts
    else:
        for c in np.flatnonzero(strengths):
            scatters[c] += strengths[c] * np.outer(shifts[c], shifts[c])
    return BlockMoments(
        classes,
        total,
        np.einsum("sc,scp->cp", counts, means) / total[:, None],
        scatters,
        np.minimum(a.low, b.low),
        np.maximum(a.high, b.high),
    )


def find_fault(X, y, place_of, feature_names):
    """Return the index of the chunk and a description of the first invalid value, or None."""
    fault = find_number_fault(X, place_of, "X", feature_names)
    return find_label_fault(y, place_of) if fault is None else fault


def find_number_fault(X, place_of, what, feature_names=None):
    """Return the index of the chunk and a description of the first NaN or infinity, or None."""
    for first in range(0, len(X), TILE_ROWS):
        is_bad = ~np.isfinite(X[first : first + TILE_ROWS])
        if is_bad.any():
            row, column = (int(place[0]) for place in np.nonzero(is_bad))
            value = "NaN" if np.isnan(X[first + row, column]) else "infinity"
            chunk, place = place_of(first + row)
            name = "" if feature_names is None else f" ({feature_names[column]!r})"
            return chunk, (
                f"Input {what} contains {value} in chunk {chunk}, column {column}{name}, row "
                f"{place} of all rows; fill in such values or drop these rows before the fit, for "
                "instance with map_blocks or dropna."
            )
    return None


def find_label_fault(y, place_of):
    """Return the index of the chunk and a description of the first invalid label, or None."""

    def at(row, what):
        chunk, place = place_of(int(row))
        return (
            chunk,
            f"{what} in chunk {chunk}, row {place} of all rows; every row needs a class label.",
        )

    if y.dtype.kind == "f":
        if np.isnan(y).any():
            return at(np.isnan(y).argmax(), "Input y contains NaN")
        if (is_part := y != np.floor(y)).any():
            chunk, _ = place_of(int(is_part.argmax()))
            return chunk, (
                f"Unknown label type: continuous. y holds {y[is_part.argmax()]!r} in chunk {chunk}; "
                "classes are needed, as text or whole numbers."
            )
    if y.dtype.kind == "O":
        is_text = np.array([isinstance(value, str) for value in y])
        if is_text.any() and not is_text.all():
            row = (~is_text).argmax()
            return at(row, f"Input y contains {y[row]!r} among text")
        if not is_text.any():
            is_missing = np.array([value is None or value != value for value in y])
            if is_missing.any():
                return at(is_missing.argmax(), "Input y contains a missing value")
    return None


def without_rows(rows, excluded):
    return rows if len(excluded) == 0 else np.delete(rows, excluded, axis=0)


def _tiles(members):
    return (members[first : first + TILE_ROWS] for first in range(0, len(members), TILE_ROWS))
