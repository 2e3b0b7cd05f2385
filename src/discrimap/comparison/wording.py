"""Format numbers and sentences as text."""

from __future__ import annotations

import numpy as np


def percent(errors) -> str:
    """Format the mean of errors in percent, with the standard deviation if there are several."""
    if len(errors) == 0:
        return "–"
    mean = f"{100 * np.mean(errors):.1f}"
    return f"{mean} ± {100 * np.std(errors, ddof=1):.1f} %" if len(errors) > 1 else f"{mean} %"


def number(value: float, digits: str = ".4g") -> str:
    """Format a number with a typographic minus sign; without a sign if it rounds to zero.

    Examples
    --------
    >>> from discrimap.comparison.wording import number
    >>> number(-221.1), number(-0.001, ".2f")
    ('\u2212221.1', '0.00')
    """
    text = f"{value:{digits}}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "\u2212")


def significant(value: float) -> str:
    """Format a number of any size with three significant digits.

    Examples
    --------
    >>> from discrimap.comparison.wording import significant
    >>> significant(0.000123456), significant(-12345.6), significant(1.5e-9), significant(0.0)
    ('0.000123', '\u221212,300', '1.50e\u22129', '0')
    """
    mantissa, exponent = f"{value:.2e}".split("e")
    if float(mantissa) == 0:
        return "0"
    power = int(exponent)
    if -5 < power < 6:
        text = f"{float(f'{value:.2e}'):,.{max(2 - power, 0)}f}"
    else:
        text = f"{mantissa}e{power}"
    return text.replace("-", "\u2212")


def sentence(text: str) -> str:
    """Capitalise the first character of a text, if it is a letter."""
    return text[:1].upper() + text[1:]


def count_of(number: int, noun: str) -> str:
    """Format a number with a noun; an "s" is appended unless the number is 1.

    Examples
    --------
    >>> from discrimap.comparison.wording import count_of
    >>> count_of(1, "split"), count_of(5, "split")
    ('1 split', '5 splits')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def percent_range(errors) -> str:
    """Format the smallest and the largest error in percent.

    Examples
    --------
    >>> from discrimap.comparison.wording import percent_range
    >>> percent_range([0.012, 0.044]), percent_range([0.2, 0.2])
    ('1-4 %', '20 %')
    """
    low, high = (f"{100 * end:.0f}" for end in (min(errors), max(errors)))
    return f"{low} %" if low == high else f"{low}-{high} %"
