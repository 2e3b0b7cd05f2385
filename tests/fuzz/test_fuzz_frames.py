"""Any data frame is what a CSV file of it is: the same features, labels and ids, or both refused."""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from discrimap.datasets import read_table
from discrimap.errors import InputError
from discrimap.tables.frames import pandas_to_polars

N_ROWS = 14
HOW = {"target": "y", "keep_missing": True, "unlabelled": "keep", "task": "auto"}


def lists(values):
    return st.lists(values, min_size=N_ROWS, max_size=N_ROWS)


days = st.dates(datetime.date(1990, 1, 1), datetime.date(2030, 1, 1))
columns = st.one_of(
    lists(st.integers(-(10**6), 10**6)).map(lambda v: pd.Series(v, dtype="int64")),
    lists(st.integers(-(2**63), 2**63 - 1)).map(lambda v: pd.Series(v, dtype="int64")),
    lists(st.none() | st.floats(-1e6, 1e6).map(lambda v: round(v, 3))).map(
        lambda v: pd.Series(v, dtype="float64")
    ),
    lists(st.none() | st.integers(0, 5)).map(lambda v: pd.Series(pd.array(v, dtype="Int64"))),
    lists(st.booleans()).map(pd.Series),
    lists(st.none() | st.text("ab01.-, %$'NAx", max_size=5)).map(
        lambda v: pd.Series(v, dtype=object)
    ),
    lists(st.none() | st.sampled_from(["u", "v w", "3", "NA", ""])).map(
        lambda v: pd.Series(pd.Categorical(v))
    ),
    lists(days).map(lambda v: pd.Series(pd.to_datetime(v))),
    lists(st.none() | st.integers(0, 9) | st.sampled_from(["a", "b", "1,5"])).map(
        lambda v: pd.Series(v, dtype=object)
    ),
)


@st.composite
def frames(draw):
    features = draw(st.lists(columns, min_size=1, max_size=4))
    named = {f"c{number}": column for number, column in enumerate(features)}
    return pd.DataFrame({**named, "y": draw(columns), "k": np.arange(N_ROWS) % 5})


def _facts(source):
    """What was read, in values that can be compared, or None if it was refused."""
    try:
        data = read_table(source, **HOW)
    except InputError:
        return None
    arrays = (data.X, data.y, data.is_labelled, data.ids)
    plain = [None if one is None else np.asarray(one).astype(str).tolist() for one in arrays]
    return data.feature_names, data.target_names, data.id_name, data.columns, plain


def test_a_frame_is_what_its_file_is(fuzz):
    def check(frame):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data.csv"
            frame.to_csv(path, index=False)
            expected = _facts(path)
        assert _facts(frame) == expected
        assert _facts(pandas_to_polars(frame)) == expected

    fuzz(frames(), check)
