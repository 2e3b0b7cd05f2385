"""Check the column names of a table."""

from __future__ import annotations

from collections import Counter

from discrimap.errors import InputError
from discrimap.tables.wording import list_names


def check_column_names(source: object, names: list[str]) -> None:
    """Raise an error if columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        hint = "; is the header row missing?" if looks_like_data(names) else "; rename them."
        raise InputError(f"{source} has columns of the same name: {list_names(repeated)}{hint}")


def looks_like_data(header: list[str]) -> bool:
    """Return whether most column names are numbers, as in a file without a header row."""
    return sum(_is_number(name) for name in header) > len(header) / 2


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
