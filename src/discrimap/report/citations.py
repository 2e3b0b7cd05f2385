"""BibTeX entry of each method."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_METHODS = re.compile(r"^\s*methods\s*=\s*\{(.*?)\},?\n", flags=re.MULTILINE)


def bibtex_of(name: str) -> str:
    """Return the BibTeX entry of a method, or an empty string if there is none.

    Examples
    --------
    >>> from discrimap.report.citations import bibtex_of
    >>> print(bibtex_of("lslda").splitlines()[0])
    @inproceedings{ye2007,
    """
    return _entries().get(name, "")


@cache
def _entries() -> dict[str, str]:
    text = files("discrimap.report").joinpath("citations.bib").read_text(encoding="utf-8")
    entries = {}
    for entry in re.findall(r"^@.*?^\}", text, flags=re.MULTILINE | re.DOTALL):
        listed = _METHODS.search(entry)
        if listed is None:
            raise ValueError(f"citations.bib: no field 'methods' in {entry.splitlines()[0]}")
        for name in listed[1].split(","):
            entries[name.strip()] = _METHODS.sub("", entry)
    return entries
