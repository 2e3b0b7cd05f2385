"""The confusion matrix of one method as a table, or as an image if there are many classes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from discrimap.inspection.confusion import Confusion

# With more classes, the table is replaced by an image of coloured cells.
MOST_CLASSES_IN_TABLE = 25
MOST_PAIRS = (5, 20)  # number of pairs listed with a table and with an image


@dataclass(frozen=True)
class Cell:
    """One cell of the confusion matrix."""

    count: str
    share: float
    kind: str
    place: tuple[int, int]


def describe_confusion(confusion: Confusion | str) -> dict[str, Any] | str:
    """Return the template variables: cells, or numbers for the image, and the worst pairs."""
    if isinstance(confusion, str):
        return confusion
    names, counts = confusion.class_names, confusion.counts
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    has_table = len(names) <= MOST_CLASSES_IN_TABLE
    return {
        "names": names,
        "names_as_json": json.dumps(names),
        "n_judged": confusion.n_judged,
        "cells": _cells(names, counts, shares) if has_table else [],
        # Row, column and count of each nonzero cell.
        "numbers": []
        if has_table
        else np.column_stack([*np.nonzero(counts), counts[counts > 0]]).ravel().tolist(),
        "pairs": [
            (i, j, names[i], names[j], f"{count:,}", f"{100 * shares[i, j]:.1f} %")
            for i, j, count in confusion.worst_pairs(MOST_PAIRS[0] if has_table else MOST_PAIRS[1])
        ],
    }


def _cells(names, counts, shares) -> list[tuple[str, list[Cell], str]]:
    """Return the name, the cells and the recall of each class."""
    rows = []
    for i, given in enumerate(names):
        cells = []
        for j in range(len(names)):
            kind = "none" if counts[i, j] == 0 else "right" if i == j else "wrong"
            kind += " strong" if shares[i, j] > 0.55 else ""
            cells.append(Cell(f"{counts[i, j]:,}", round(float(shares[i, j]), 3), kind, (i, j)))
        rows.append((given, cells, f"{100 * shares[i, i]:.1f} %"))
    return rows
