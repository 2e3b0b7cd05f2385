"""Load data sets by name: built in, from a folder, or from OpenML."""

from __future__ import annotations

from dataclasses import dataclass, replace

from discrimap.datasets.builtin import load_builtin
from discrimap.datasets.catalogue import CATALOGUE, Entry, get_entry
from discrimap.datasets.openml import load_openml
from discrimap.datasets.research import FOLDER_VARIABLE, find_research_file, load_research_file
from discrimap.errors import InputError
from discrimap.tables.dataset import Dataset


def load(name: str) -> Dataset:
    """Load a data set by name.

    iris, wine, digits and breast_cancer come with scikit-learn. Research data sets are read from the
    folder in the environment variable ``DISCRIMAP_DATA`` (one NPZ file per data set), otherwise
    downloaded from OpenML if it has them, and cached by scikit-learn.

    Parameters
    ----------
    name : str
        One of :func:`dataset_names`.

    Returns
    -------
    dataset : Dataset

    Raises
    ------
    InputError
        If the name is unknown, or the data set is not available; the message says where to get it.

    Examples
    --------
    >>> from discrimap.datasets import load
    >>> load("iris")
    Dataset('iris', X 150 x 4 float64, y 150 int64)
    """
    entry = get_entry(name)
    if entry.is_builtin:
        dataset = load_builtin(name)
    elif (path := find_research_file(name)) is not None:
        dataset = load_research_file(name, path)
    elif entry.openml_id is not None:
        dataset = load_openml(entry)
    else:
        raise InputError(
            f"the data set {name!r} is not available; get it from {entry.source}, save it as "
            f"{name}.npz (arrays X and y) and set {FOLDER_VARIABLE} to its folder."
        )
    if entry.caveat is not None:
        dataset = replace(dataset, notices=(*dataset.notices, f"{name}: {entry.caveat}"))
    return dataset


@dataclass(frozen=True)
class Listing:
    """An entry of the catalogue, and where ``load`` finds the data.

    Attributes
    ----------
    entry : Entry
        Name, size, source and licence of the data set.
    origin : {"built in", "folder", "OpenML", "missing"}
        Where ``load`` finds it; "OpenML" needs the network once.
    is_available : bool
        Whether ``load`` can find it: False only if ``origin`` is "missing".

    Examples
    --------
    >>> from discrimap.datasets import list_datasets
    >>> [one.entry.name for one in list_datasets() if one.origin == "built in"]
    ['iris', 'wine', 'digits', 'breast_cancer']
    """

    entry: Entry
    origin: str

    @property
    def is_available(self) -> bool:
        """Whether ``load`` can find the data set."""
        return self.origin != "missing"


def list_datasets() -> tuple[Listing, ...]:
    """List all named data sets, with their size, licence and origin; nothing is downloaded.

    Returns
    -------
    listings : tuple of Listing
        The data sets that :func:`load` knows.

    Examples
    --------
    >>> from discrimap.datasets import list_datasets
    >>> first = list_datasets()[0]
    >>> first.entry.name, first.entry.n_samples, first.origin
    ('iris', 150, 'built in')
    """
    return tuple(Listing(entry, _origin(entry)) for entry in CATALOGUE)


def _origin(entry: Entry) -> str:
    if entry.is_builtin:
        return "built in"
    if find_research_file(entry.name) is not None:
        return "folder"
    return "missing" if entry.openml_id is None else "OpenML"
