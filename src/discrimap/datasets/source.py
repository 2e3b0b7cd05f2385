"""What a user names on the command line: a file, or a data set by its name."""

from __future__ import annotations

from pathlib import Path

from discrimap.datasets.catalogue import dataset_names
from discrimap.datasets.dataset import Dataset
from discrimap.datasets.named import load
from discrimap.datasets.tables import read_table
from discrimap.datasets.text_tables import STANDARD_INPUT
from discrimap.errors import InputError


def open_source(
    source: str,
    *,
    target: str | None = None,
    keep_missing: bool = False,
    unlabelled: str = "error",
    task: str | None = None,
) -> Dataset:
    """Load a named data set, or read a file; a known name comes before a file of that name.

    Parameters
    ----------
    source : str
        A name that :func:`load` knows, a path that :func:`read_table` can read, or "-" for CSV from
        standard input.
    target, keep_missing, unlabelled, task
        For files only, as in :func:`read_table`.

    Returns
    -------
    dataset : Dataset
        With samples and labels.

    Examples
    --------
    >>> from discrimap.datasets import open_source
    >>> open_source("iris").class_labels[0]
    np.str_('setosa')
    """
    path = Path(source)
    looks_like_a_path = bool(path.suffix) or len(path.parts) > 1 or path.exists()
    if source == STANDARD_INPUT or (looks_like_a_path and source not in dataset_names()):
        dataset = read_table(
            source, target, keep_missing=keep_missing, unlabelled=unlabelled, task=task
        )
    elif target is not None:
        raise InputError(
            f"the data set {source!r} has its own target, so --target {target!r} has no place; "
            "leave it out, or name a file."
        )
    elif task == "regression":
        raise InputError(f"the data set {source!r} has classes; --task regression needs numbers.")
    else:
        dataset = load(source)
    if dataset.X is None:
        raise InputError(
            f"{source!r} holds similarities or distances only ({', '.join(dataset.extras)}); "
            "samples with features are needed here."
        )
    return dataset
