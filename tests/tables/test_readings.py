"""Text is read in one way that fits every value, or an error names the column."""

import datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discrimap.errors import InputError
from discrimap.tables.readings import find_reading, to_numbers

NUMBERS = {
    "plain": (["-1.5", "+2", ".5", "3.", "1e3", "4E-2"], [-1.5, 2, 0.5, 3, 1000, 0.04]),
    "minus sign": (["−1", "2"], [-1, 2]),
    "true or false": (["True", "false", "TRUE"], [1, 0, 1]),
    "thousands": (["1,234", "999", "-12,345.5", "1,234,567"], [1234, 999, -12345.5, 1234567]),
    "perhaps thousands": (["1,234", "5"], [1234, 5]),
    "decimal comma": (["3,14", "2", "-0,5"], [3.14, 2, -0.5]),
    "decimal comma of three digits": (["1,234", "0,500"], [1.234, 0.5]),
    "decimal comma after four digits": (["1234,567", "1,234"], [1234.567, 1.234]),
    "decimal comma with groups": (["1.234,5", "3,25", "1.000.000"], [1234.5, 3.25, 1e6]),
    "groups by spaces": (["1 234", "12\u00a0345", "1"], [1234, 12345, 1]),
    "groups by spaces, decimal comma": (["1\u202f234,5", "0,1"], [1234.5, 0.1]),
    "groups by apostrophes": (["1'234.5", "2"], [1234.5, 2]),
    "percent": (["5%", "12.5 %", "-1%"], [5, 12.5, -1]),
    "percent with decimal comma": (["5,5%", "100 %"], [5.5, 100]),
    "dollars": (["$5", "-$1,234.50", "$ 7"], [5, -1234.5, 7]),
    "euros": (["5,50 €", "1.234,00€"], [5.5, 1234]),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_in_one_notation_are_read(case):
    texts, numbers = NUMBERS[case]
    column = pl.Series("a", [*texts, None])
    reading = find_reading("t.csv", column)
    assert to_numbers(column, reading).to_list() == [*numbers, None]


@pytest.mark.parametrize(
    "texts",
    [
        ["5%", "3"],
        ["$5", "€5"],
        ["1.5", "2,5"],
        ["1,234", "1234"],
        ["$5", "5%"],
        ["1.5", "1,234.5", "2,5"],
    ],
)
def test_numbers_in_two_notations_are_refused(texts):
    with pytest.raises(InputError, match="column 'a' holds numbers written in more than one"):
        find_reading("t.csv", pl.Series("a", texts))
    assert find_reading("t.csv", pl.Series("a", texts), is_target=True).kind == "text"


def test_a_few_texts_among_numbers_are_refused():
    message = "column 'a' holds numbers in 3 rows but text in 1, the first 'about 5%'"
    with pytest.raises(InputError, match=message):
        find_reading("t.csv", pl.Series("a", ["5%", "about 5%", "7%", "1,5%"]))


@pytest.mark.parametrize(
    "texts",
    [
        ["01", "02", "10"],
        ["01", "02", "1A"],
        ["low", "high", "3"],
        ["1-3", "4-6"],
        ["192.168.1.1", "10.0.0.1"],
        ["%", "$"],
        ["１", "２"],
        ["1,23,456", "x", "y"],
    ],
)
def test_text_stays_text(texts):
    assert find_reading("t.csv", pl.Series("a", texts)).kind == "text"


@pytest.mark.parametrize(
    "texts",
    [
        ["2024-12-31", "2024-01-01"],
        ["2024-12-31T23:59:59Z", "2024-01-01 00:00"],
        ["31.12.2024", "1.2.2024"],
        ["12/31/2024", "01/02/24"],
        ["23:59", "7:30:15.5"],
    ],
)
def test_dates_are_dates(texts):
    assert find_reading("t.csv", pl.Series("a", texts)).kind == "date"


@settings(max_examples=60, deadline=None)
@given(st.datetimes(datetime.datetime(1000, 1, 1)))
def test_every_date_that_polars_writes_is_one(moment):
    for column in (pl.Series([moment]), pl.Series([moment.date()]), pl.Series([moment.time()])):
        text = pl.DataFrame({"a": column}).write_csv(include_header=False).strip()
        assert find_reading("t.csv", pl.Series("a", [text])).kind == "date"


FORMATS = {
    "plain": (lambda x: f"{x:.2f}"),
    "thousands": (lambda x: f"{x:,.2f}"),
    "decimal comma": (lambda x: f"{x:.2f}".replace(".", ",")),
    "decimal comma with groups": (
        lambda x: f"{x:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")
    ),
    "spaces": (lambda x: f"{x:,.2f}".replace(",", "\u202f")),
    "percent": (lambda x: f"{x:.2f} %"),
    "dollars": (lambda x: f"${x:,.2f}".replace("$-", "-$")),
}


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(FORMATS)), st.lists(st.integers(-(10**9), 10**9), min_size=1))
def test_numbers_with_two_decimals_are_read_from_every_notation(notation, hundredths):
    """With two digits after the mark the notation is unambiguous."""
    numbers = [n / 100 for n in hundredths]
    column = pl.Series("a", [FORMATS[notation](x) for x in numbers])
    reading = find_reading("t.csv", column)
    assert reading.kind == "number"
    assert to_numbers(column, reading).to_list() == numbers
