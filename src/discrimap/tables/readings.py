"""Decide whether the text of a column is numbers, true/false, dates, codes or categories.

The rules are tried in this order; a rule applies if it holds for every value of the column:

- **Codes**: digits alone, some of them with a leading zero, such as postcodes, are text.
- **Plain numbers**: ``-1.5``, ``3e8``, ``inf``.
- **True/false**, in small or capital letters.
- **Numbers in other notations**: thousands in groups (``1,234.5``, ``1 234``, ``1'234``), a decimal comma
  (``3,14``, ``1.234,5``), each with the same unit before or after it (``5%``, ``$5``, ``5 €``). The unit is
  removed: 5% becomes 5. If every comma is followed by three digits, ``1,234`` could be 1234 or 1.234; it is
  read as 1234. If all values are written this way, the two readings differ by a constant factor, which
  standardising removes; otherwise a mixture of integers and decimals with exactly three digits is the rarer case.
- **Dates and times**, ``2024-12-31``, ``31.12.2024``, ``12/31/2024``, ``23:59``, or a date with a time.
- Everything else is text. Numbers in two notations, and numbers mixed with a few texts, raise an error,
  because as text they would lose their order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discrimap.errors import InputError
from discrimap.tables.wording import list_names

if TYPE_CHECKING:
    import polars as pl

CURRENCIES = "$€£¥"
# Ordinary, no-break and thin spaces, which separate groups of thousands.
_SPACES = " \u00a0\u2009\u202f"
_SIGN = "[+−-]?"
_EXPONENT = "(?:[eE][+-]?[0-9]+)?"
_PLAIN = rf"^{_SIGN}(?:[0-9]+\.?[0-9]*|\.[0-9]+){_EXPONENT}$|^{_SIGN}(?i:inf|infinity)$"
# Every whole number of 18 digits fits into 64 bits.
WHOLE_BEYOND_64_BITS = r"^[+-]?[0-9]{19,}$"
_CODE = r"^0[0-9]+$"
_TRUTH = r"^(?i:true|false)$"
_DAY = "(?:0?[1-9]|[12][0-9]|3[01])"
_MONTH = "(?:0?[1-9]|1[0-2])"
_DATE = (
    rf"(?:[0-9]{{4}}(?:-{_MONTH}-|/{_MONTH}/|\.{_MONTH}\.){_DAY}"
    rf"|{_DAY}(?:-{_MONTH}-|/{_MONTH}/|\.{_MONTH}\.)(?:[0-9]{{4}}|[0-9]{{2}})"
    rf"|{_MONTH}(?:-{_DAY}-|/{_DAY}/)(?:[0-9]{{4}}|[0-9]{{2}}))"
)
_CLOCK = r"(?:[01]?[0-9]|2[0-4]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?(?: ?(?i:am|pm))?"
_ZONE = r"(?: ?Z| ?UTC| ?[+-][0-9]{2}:?[0-9]{2})?"
_DATE_OR_TIME = rf"^(?:{_DATE}(?:[T ]{_CLOCK}{_ZONE})?|{_CLOCK}{_ZONE})$"

# Pairs of decimal mark and thousands separator, in the order in which they are tried.
_NOTATIONS = (
    (".", ""),
    (".", ","),
    (".", " "),
    (".", "'"),
    (",", ""),
    (",", "."),
    (",", " "),
    (",", "'"),
)


@dataclass(frozen=True)
class Reading:
    """How the text of a column is converted to values.

    Parameters
    ----------
    kind : {"number", "truth", "date", "text"}
        The kind of values. True/false becomes 1/0.
    decimal, group, unit : str
        For numbers: the decimal mark, the thousands separator, and the percent or currency sign;
        empty if there is none.
    is_guess : bool
        Whether a comma before three digits was read as a thousands separator without further evidence.
    has_codes : bool
        For text: whether all values are digits, some with a leading zero.
    """

    kind: str
    decimal: str = "."
    group: str = ""
    unit: str = ""
    is_guess: bool = False
    has_codes: bool = False

    @property
    def is_plain(self) -> bool:
        return (self.decimal, self.group, self.unit) == (".", "", "")


PLAIN = Reading("number")
TRUTH = Reading("truth")
DATE = Reading("date")
TEXT = Reading("text")


def find_reading(source: object, column: pl.Series, *, is_target: bool = False) -> Reading:
    """Decide how the text of a column is read, by the rules at the top of this file.

    Parameters
    ----------
    source : object
        Name of the data in messages, such as its path.
    column : polars.Series of str
        Text without surrounding spaces; at least one value is not missing.
    is_target : bool
        Whether the column is the target. A mixture of numbers and text is then read as text, because
        both can be class names.

    Returns
    -------
    reading : Reading

    Raises
    ------
    InputError
        If the values of a feature are numbers in different notations, or mostly numbers.
    """
    values = column.drop_nulls()
    has_code = bool(values.str.contains(_CODE).any())
    if has_code and values.str.contains("^[0-9]+$").all():
        return Reading("text", has_codes=True)
    if values.str.contains(_PLAIN).all():
        return PLAIN
    if values.str.contains(_TRUTH).all():
        return TRUTH
    distinct = values.unique(maintain_order=True)
    reading = _find_notation(distinct)
    if reading is not None:
        return reading
    if distinct.str.contains(_DATE_OR_TIME).all():
        return DATE
    if not (is_target or has_code):
        _refuse_mixtures(source, values)
    return TEXT


def as_plain(column: pl.Series) -> pl.Series:
    """Convert plain numbers to 64-bit integers if all of them are integers, otherwise to floats."""
    import polars as pl

    whole = column.cast(pl.Int64, strict=False)
    return whole if whole.null_count() == column.null_count() else to_numbers(column, PLAIN)


def to_numbers(column: pl.Series, reading: Reading) -> pl.Series:
    """Convert text to numbers by a given reading; values that do not match become null."""
    import polars as pl

    if reading.kind == "truth":
        lower = column.str.to_lowercase()
        truth = pl.select(
            pl.when(lower == "true").then(1.0).when(lower == "false").then(0.0)
        ).to_series()
        return to_numbers(column, PLAIN).fill_null(truth).alias(column.name)
    if not reading.is_plain:
        bare = _without_unit(_narrow_spaces(column), reading.unit)
        fits = bare.str.contains(_number_pattern(reading.decimal, reading.group))
        bare = pl.select(pl.when(fits).then(bare)).to_series().alias(column.name)
        if reading.group:
            bare = bare.str.replace_all(reading.group, "", literal=True)
        column = bare.str.replace(reading.decimal, ".", literal=True)
    numbers = column.cast(pl.Float64, strict=False)
    if numbers.null_count() > column.null_count():
        numbers = column.str.replace("−", "-", literal=True).cast(pl.Float64, strict=False)
    # polars casts the text "NAN" to NaN.
    return numbers.fill_nan(None)


def describe(reading: Reading) -> str:
    """Describe how the values of a column are written, for messages."""
    if reading.kind == "truth":
        return "numbers or true/false"
    words = "numbers"
    if reading.decimal != ".":
        words += " with a decimal comma"
    if reading.group:
        words += f" with {reading.group!r} between thousands"
    return f"{words} and the sign {reading.unit}" if reading.unit else words


def _find_notation(distinct: pl.Series) -> Reading | None:
    """Find the first notation in which every value is a number."""
    text = _narrow_spaces(distinct)
    unit = next((mark for mark in f"%{CURRENCIES}" if mark in text[0]), "")
    bare = _without_unit(text, unit)
    if bare.null_count():
        return None
    for decimal, group in _NOTATIONS:
        if not bare.str.contains(_number_pattern(decimal, group, consistent=True)).all():
            continue
        if decimal == "," and not group and not _has_decimal_comma(bare):
            # Whole numbers with and without groups, such as 1,234 and 1234.
            return None
        is_guess = (decimal, group) == (".", ",") and not _has_groups_only(bare)
        return Reading("number", decimal, group, unit, is_guess=is_guess)
    return None


def _has_decimal_comma(bare: pl.Series) -> bool:
    """Return whether a comma cannot be a thousands separator, by the number of digits around it."""
    evidence = r",(?:[0-9]{0,2}|[0-9]{4,})(?:[^0-9]|$)|^[+−-]?0*,|[0-9]{4},"
    return bool(bare.str.contains(evidence).any())


def _has_groups_only(bare: pl.Series) -> bool:
    """Return whether a comma must be a thousands separator: there are two, or a point follows."""
    return bool(bare.str.contains(r",.*[,.]").any())


def _number_pattern(decimal: str, group: str, *, consistent: bool = False) -> str:
    """Return the regular expression of a number.

    With ``consistent``, numbers of more than three digits must have thousands separators.
    """
    whole = "[0-9]+"
    if group:
        ungrouped = "[0-9]{1,3}" if consistent else "[0-9]+"
        whole = rf"(?:{ungrouped}|[1-9][0-9]{{0,2}}(?:{re.escape(group)}[0-9]{{3}})+)"
    mark = re.escape(decimal)
    return rf"^{_SIGN}(?:{whole}(?:{mark}[0-9]*)?|{mark}[0-9]+){_EXPONENT}$"


def _narrow_spaces(column: pl.Series) -> pl.Series:
    return column.str.replace_all(f"[{_SPACES}]", " ")


def _without_unit(text: pl.Series, unit: str) -> pl.Series:
    """Remove the unit from each value; values that do not have it exactly once become null."""
    import polars as pl

    if not unit:
        return text
    mark = re.escape(unit)
    number = rf"({_SIGN}) ?{mark} ?({_SIGN}[^{mark}]*)|([^{mark}]*?) ?{mark}"
    if unit == "%":
        number = rf"()()([^{mark}]*?) ?{mark}"
    pattern = f"^(?:{number})$"
    parts = [text.str.extract(pattern, k).fill_null("") for k in (1, 2, 3)]
    bare = parts[0] + parts[1] + parts[2]
    return pl.select(pl.when(text.str.contains(pattern)).then(bare)).to_series().alias(text.name)


def _refuse_mixtures(source: object, values: pl.Series) -> None:
    """Raise an error for numbers in different notations, or numbers mixed with a few texts."""
    text = _narrow_spaces(values)
    patterns = [_number_pattern(decimal, group) for decimal, group in _NOTATIONS]
    any_number = "|".join([_PLAIN, *patterns])
    bare = text.str.replace(f"^({_SIGN}) ?[{CURRENCIES}] ?", "${1}").str.replace(
        f" ?[%{CURRENCIES}]$", ""
    )
    is_number = bare.str.contains(any_number)
    n_stray = int((~is_number).sum())
    if n_stray == 0:
        shown = list_names(_of_different_shape(values))
        raise InputError(
            f"{source}: column {values.name!r} holds numbers written in more than one way, such as "
            f"{shown}; write all in one way, best as plain numbers, or leave the column out (drop)."
        )
    if n_stray < len(values) / 2:
        raise InputError(
            f"{source}: column {values.name!r} holds numbers in {len(values) - n_stray} rows but "
            f"text in {n_stray}, the first {values.filter(~is_number)[0]!r}; correct these, empty "
            "them, or leave the column out (drop)."
        )


def _of_different_shape(values: pl.Series) -> list[str]:
    """Return one value of each of the first three notations."""
    shapes: dict[str, str] = {}
    for value in values.unique(maintain_order=True):
        shapes.setdefault(re.sub("[0-9+−-]+", "", value), value)
    return list(shapes.values())[:3]
