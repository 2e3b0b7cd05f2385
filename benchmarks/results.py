"""The store of all results: one JSON Lines file for each experiment, in benchmarks/results.

A line is one record, a key and a value: ``[["table1","wine","PCA","0"],{"accuracy":77.2}]``. The
lines are sorted by key, numbers in keys by their value. Every change is written at once, so that
experiments can be stopped, continued and run side by side.
"""

import contextlib
import fcntl
import json
import os
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "benchmarks" / "results"
QUICK_ROOT = ROOT / "build" / "papers-quick"
NUMBER = re.compile(r"-?\d+(\.\d*)?(e[+-]?\d+)?")


class Store:
    """The records of one experiment.

    Parameters
    ----------
    name : str
        Name of the experiment, and of its file without the ending.
    folder : Path
        Folder of the file.
    """

    def __init__(self, name, folder=FOLDER):
        self.path = Path(folder) / f"{name}.jsonl"

    def records(self):
        """All records, as a dictionary from keys (tuples of str) to values."""
        if not self.path.is_file():
            return {}
        lines = self.path.read_text(encoding="utf-8").splitlines()
        return {tuple(key): value for key, value in map(json.loads, lines)}

    def tree(self, *keys):
        """The records as nested dictionaries, or the part below some keys; empty if there is none."""
        tree = {}
        for key, value in self.records().items():
            place = tree
            for part in key[:-1]:
                place = place.setdefault(part, {})
            place[key[-1]] = value
        for part in keys:
            tree = tree.get(str(part), {})
        return tree

    def rows(self, *keys):
        """The values of all records whose keys begin with these, in the order of the keys."""
        start = _as_key(keys)
        return [value for key, value in self.records().items() if key[: len(start)] == start]

    def put(self, key, value):
        """Add a record, or replace the one that has this key."""
        self.update({key: value})

    def update(self, records, forget=None):
        """Add or replace several records at once.

        Parameters
        ----------
        records : dict of tuple to object
            Values by key; numbers in keys are written as text.
        forget : tuple or None
            First remove all records whose keys begin with this.
        """
        with self._lock():
            known = self.records()
            if forget is not None:
                start = _as_key(forget)
                known = {key: value for key, value in known.items() if key[: len(start)] != start}
            known |= {_as_key(key): value for key, value in records.items()}
            self._write(known)

    def forget(self, *keys):
        """Remove all records whose keys begin with these; without keys, all records."""
        self.update({}, forget=keys)

    @contextlib.contextmanager
    def _lock(self):
        """Keep other processes from changing files of this folder in the meantime."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _write(self, records):
        text = "".join(_compact([key, records[key]]) + "\n" for key in sorted(records, key=_place))
        # Under another name first: a process that is stopped while writing leaves the old file.
        part = self.path.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.replace(self.path)


def _as_key(parts):
    return tuple(str(part) for part in parts)


def _compact(record):
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _plain(value):
    """Numbers and arrays of NumPy as Python's own."""
    return value.tolist()


def _place(key):
    """What keys are sorted by: numbers come before text."""
    return [(0, float(part), part) if NUMBER.fullmatch(part) else (1, 0.0, part) for part in key]


def numbered(part, rows):
    """Records of a list of rows, whose keys are the part and the position."""
    return {(part, position): row for position, row in enumerate(rows)}


def add_options(parser, quick=None):
    """Add ``--results``, and ``--quick`` with this help, to the options of an experiment."""
    if quick:
        parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--results", type=Path, help="folder of the results")


def open_store(name, arguments):
    """The store of an experiment; quick runs have a folder of their own."""
    is_quick = getattr(arguments, "quick", False)
    usual = QUICK_ROOT / "benchmarks" / "results" if is_quick else FOLDER
    return Store(name, arguments.results or usual)


def versions():
    """Versions of Python and of the libraries that figures depend on."""
    found = {"python": platform.python_version()}
    for name in ("discrimap", "numpy", "scipy", "scikit-learn"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # run from the source tree
            found[name] = "source"
    return found
