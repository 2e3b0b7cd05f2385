"""A comparison as a data frame and as a few lines of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from discrimap.comparison.result import Comparison, MethodResult
from discrimap.comparison.wording import count_of, percent
from discrimap.optional import is_installed

MOST_LINES = 10


def comparison_frame(comparison: Comparison) -> Any:
    """Return a data frame with one row for each method, best first.

    It is a pandas data frame if pandas is installed, otherwise a polars data frame.
    """
    rows = [_row(result) for result in comparison.results]
    columns = {name: [row[name] for row in rows] for name in _row(MethodResult("", "", ""))}
    if is_installed("pandas"):
        import pandas as pd

        return pd.DataFrame(columns)
    import polars as pl

    return pl.DataFrame(columns)


def _row(result: MethodResult) -> dict[str, Any]:
    errors = result.test_errors
    return {
        "method": result.label,
        "name": result.name,
        "status": result.status,
        "n_components": result.n_components,
        "held_out_error": _mean(errors),
        "held_out_sd": float(np.std(errors, ddof=1)) if len(errors) > 1 else None,
        "permuted_error": _mean(result.permuted_errors),
        "training_error": _mean(result.train_errors),
        "as_good_as_best": result.is_as_good_as_best,
        "rows": result.n_fitted,
        "splits": len(result.splits),
        "seconds": result.seconds,
        "reason": result.reason,
    }


def _mean(errors: tuple[float, ...]) -> float | None:
    return float(np.mean(errors)) if errors else None


def comparison_lines(comparison: Comparison) -> str:
    """Write the data, the verdict and the best methods in about ten lines."""
    target = count_of(len(comparison.class_counts), "class").replace("classs", "classes")
    if not comparison.class_counts:
        target = "a continuous target"
    samples = count_of(comparison.n_samples, "sample")
    lines = [f"Comparison of {comparison.data_name}: {samples}, {target}"]
    lines += _notice_lines(comparison)
    lines += comparison.verdict[:2]
    room = MOST_LINES - len(lines) - 1
    width = max((len(result.label) for result in comparison.done[:room]), default=0)
    for result in comparison.done[:room]:
        mark = "*" if result.is_as_good_as_best else " "
        lines.append(f"{mark} {result.label:<{width}}  {percent(result.test_errors)}")
    n_more = len(comparison.results) - min(room, len(comparison.done))
    more = f"{n_more} more methods: " if n_more > 1 else "1 more method: " if n_more else ""
    lines.append(f"{more}to_frame() has all figures, report('page.html') writes the page")
    return "\n".join(lines)


def _notice_lines(comparison: Comparison) -> list[str]:
    """Return the first notice about the input and the number of others, as on the command line."""
    notices = () if comparison.dataset is None else tuple(comparison.dataset.notices)
    if not notices:
        return []
    n_more = len(notices) - 1
    more = f" (and {n_more} more in dataset.notices)" if n_more else ""
    return [f"! {notices[0]}{more}"]
