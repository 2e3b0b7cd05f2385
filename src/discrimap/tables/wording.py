"""Format lists and suggestions of names for messages."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


def list_names(names: Sequence[object], *, quote: bool = True, limit: int = 8) -> str:
    """List the first names and the number of names left out.

    Examples
    --------
    >>> list_names(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(repr(name) if quote else str(name) for name in names[:limit])
    return f"{shown} and {len(names) - limit} more" if len(names) > limit else shown


def suggest(name: str, known: Sequence[str]) -> str:
    """Return the nearest known name and the list of known names, for a message about an unknown name.

    Examples
    --------
    >>> suggest("spices", ["length", "species"])
    "the nearest is 'species'; there are 'length', 'species'"
    """
    # Compared without case, because a wrong case is the most common mistake.
    by_folded = {other.casefold().strip(): other for other in reversed(known)}
    nearest = difflib.get_close_matches(name.casefold().strip(), list(by_folded), n=1)
    if not known:
        return "there are none"
    prefix = f"the nearest is {by_folded[nearest[0]]!r}; " if nearest else ""
    return f"{prefix}there are {list_names(known, limit=40)}"
