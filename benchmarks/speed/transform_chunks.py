"""Map a CSV file of 2 GB with a linear model in less than 1 GB of memory.

Writes a table of random numbers to a temporary folder (deleted afterwards), fits LDA to its first rows,
maps all of it with ``discrimap transform --chunk`` in a process of its own, and writes that process's
time and peak memory to benchmarks/results/chunks.jsonl. ``--gigabytes`` makes it smaller.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.results import add_options, open_store

N_FEATURES = 100
N_CLASSES = 5
ROWS_AT_A_TIME = 20_000
CHUNK = 20_000


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--folder", default=None, help="where the table is written")
    add_options(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        measured = measure(Path(name), arguments.gigabytes * 1e9)
    open_store("chunks", arguments).put(("transform",), measured)


def measure(folder: Path, n_bytes: float) -> dict:
    n_rows = write_table(folder, n_bytes)
    command = [sys.executable, "-m", "discrimap.cli"]
    model = folder / "model.skops"
    fit = ["fit", folder / "first.csv", "--target", "kind", "--method", "lda", "--model", model]
    subprocess.run([*command, *fit], check=True, stdout=subprocess.DEVNULL)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss

    out = folder / "map.parquet"
    start = time.perf_counter()
    transform = ["transform", model, folder / "all.csv", "--out", out, "--chunk", str(CHUNK)]
    # wait4 gives the memory of this process alone, not the largest of all that ran before.
    process = subprocess.Popen([*command, *transform], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"the command ended with status {status}")
    written = pl.scan_parquet(out).select(pl.len()).collect().item()
    assert written == n_rows, (written, n_rows)
    return {
        "csv_bytes": (folder / "all.csv").stat().st_size,
        "n_rows": n_rows,
        "n_features": N_FEATURES,
        "chunk": CHUNK,
        "seconds": seconds,
        "peak_bytes": usage.ru_maxrss * 1024,
        "peak_bytes_of_fit": before * 1024,
        "n_cores": os.cpu_count(),
    }


def write_table(folder: Path, n_bytes: float) -> int:
    """Write all.csv, and first.csv with its first rows and a class; return the number of rows."""
    rng = np.random.default_rng(0)
    names = [f"feature{j}" for j in range(N_FEATURES)]
    n_rows = size = 0
    with (folder / "all.csv").open("wb") as file:
        while size < n_bytes:
            X = rng.standard_normal((ROWS_AT_A_TIME, N_FEATURES)).round(4)
            frame = pl.DataFrame(X, schema=names)
            if n_rows == 0:
                kind = pl.Series("kind", [f"k{k}" for k in rng.integers(N_CLASSES, size=len(X))])
                frame.with_columns(kind).write_csv(folder / "first.csv")
            size += file.write(frame.write_csv(include_header=n_rows == 0).encode())
            n_rows += len(X)
    return n_rows


if __name__ == "__main__":
    main()
