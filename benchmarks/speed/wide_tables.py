"""Check that the time of encoding a wide table is linear in its columns.

Reads tables of 500 rows and 2,500 to 20,000 columns from CSV and Parquet, as ``discrimap fit`` (read_table)
and as ``discrimap transform`` (read_features) do, and prints the processor time of each divided by that of
the narrowest: a ratio of 8 for 8 times the columns is linear.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from discrimap.datasets import read_features, read_table

N_ROWS = 500
WIDTHS = (2_500, 5_000, 10_000, 20_000)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--widths", type=int, nargs="+", default=WIDTHS)
    arguments = parser.parse_args()
    print("file     columns  read_table s  ratio  read_features s  ratio")
    for ending in ("csv", "parquet"):
        first = None
        for width in arguments.widths:
            seconds = measure(width, ending)
            first = first or seconds
            ratios = [now / then for now, then in zip(seconds, first, strict=True)]
            print(
                f"{ending:8s} {width:7d}  {seconds[0]:12.2f} {ratios[0]:6.1f}  "
                f"{seconds[1]:15.2f} {ratios[1]:6.1f}",
                flush=True,
            )


def measure(width: int, ending: str) -> tuple[float, float]:
    """Processor seconds of reading a table for a fit, and for a model fitted to it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"wide.{ending}"
        write(path, width)
        start = time.process_time()
        dataset = read_table(path, target="kind")
        middle = time.process_time()
        new = read_features(path, dataset.feature_names, columns=dataset.columns)
        end = time.process_time()
        np.testing.assert_array_equal(new.X, dataset.X)
    return middle - start, end - middle


def write(path: Path, width: int) -> None:
    """Of ten columns, eight hold fractions, one whole numbers and one text."""
    rng = np.random.default_rng(0)
    columns = {}
    for j in range(width - 1):
        if j % 10 == 8:
            values = pl.Series(rng.integers(100, size=N_ROWS))
        elif j % 10 == 9:
            values = pl.Series(rng.choice(["low", "middle", "high"], size=N_ROWS).tolist())
        else:
            values = pl.Series(rng.standard_normal(N_ROWS).round(4))
        columns[f"column{j}"] = values
    frame = pl.DataFrame(columns).with_columns(kind=pl.Series(["a", "b"] * (N_ROWS // 2)))
    (frame.write_csv if path.suffix == ".csv" else frame.write_parquet)(path)


if __name__ == "__main__":
    main()
