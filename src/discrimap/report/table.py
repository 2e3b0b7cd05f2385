"""The comparison as a table for the terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence

from discrimap.comparison import Comparison
from discrimap.report.summary import Summary
from discrimap.report.wording import percent


def text_table(summary: Summary) -> str:
    """Return the comparison as a plain-text table, best method first."""
    return comparison_table(summary.comparison, summary.verdict)


def comparison_table(comparison: Comparison, verdict: Sequence[str] = ()) -> str:
    """Return the same table for a comparison without a summary, such as one on Dask."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    protocol = comparison.protocol
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("method")
    control = "permuted targets" if comparison.task == "regression" else "permuted labels"
    for heading in ("d", "held-out error", "training error", control, "seconds per fit"):
        table.add_column(heading, justify="right")
    for result in comparison.done:
        table.add_row(
            result.label,
            str(result.n_components),
            percent(result.test_errors),
            percent(result.train_errors),
            percent(result.permuted_errors),
            f"{result.seconds:.2f}",
        )
    target = (
        "a continuous target"
        if comparison.task == "regression"
        else f"{len(comparison.class_counts)} classes"
    )
    lines = [
        f"{comparison.data_name}: {comparison.n_samples} samples, {comparison.n_features} "
        f"features, {target}. {protocol.n_neighbors}-NN error in {protocol.n_components}-D, "
        + (
            f"mean ± sd of {protocol.n_repeats} splits." if protocol.n_repeats > 1 else "one split."
        ),
        *verdict,  # before the table, so that it is read first
    ]
    if comparison.done:
        text = io.StringIO()
        # A console that writes to a file needs a width; no row is wider than this.
        Console(file=text, width=110, color_system=None).print(table)
        lines += [line.rstrip() for line in text.getvalue().splitlines()]
    for result in comparison.results:
        if result.status != "done":
            lines.append(f"{result.label}: {result.status}: {result.reason}")
        lines += [f"{result.label}: {notice}" for notice in result.notices]
    return "\n".join(lines)
