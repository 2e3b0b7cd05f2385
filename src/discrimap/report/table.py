"""The comparison as a table for the terminal."""

from __future__ import annotations

import io

from discrimap.comparison import Comparison
from discrimap.comparison.wording import percent
from discrimap.report.summary import Summary

# Marks the methods that cannot be distinguished from the best one.
AS_GOOD = "*"


def text_table(summary: Summary) -> str:
    """Return the comparison as a plain-text table, best method first.

    Parameters
    ----------
    summary : Summary
        From :func:`discrimap.report.summarise`.

    Returns
    -------
    text : str
        The verdict and the table, for a terminal of 120 columns.

    Examples
    --------
    >>> from discrimap.comparison import Protocol, compare
    >>> from discrimap.datasets import load
    >>> from discrimap.report import summarise, text_table
    >>> iris = load("iris")
    >>> comparison = compare(iris.X, iris.class_labels, ["lda"], protocol=Protocol(n_repeats=2))
    >>> print(text_table(summarise(comparison, iris)).splitlines()[0])
    The classes separate: LDA was tried alone and errs on 4.0 ± 2.8 % of held-out points.
    """
    return comparison_table(summary.comparison)


def comparison_table(comparison: Comparison) -> str:
    """Return a comparison without a summary, such as one on Dask, as a plain-text table.

    Parameters
    ----------
    comparison : Comparison
        The result of :func:`discrimap.comparison.compare`.

    Returns
    -------
    text : str
        The same text as from :func:`text_table`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from discrimap.comparison import Protocol, compare
    >>> from discrimap.report import comparison_table
    >>> X, y = load_iris(return_X_y=True)
    >>> comparison = compare(X, y, ["pca", "lda"], protocol=Protocol(n_repeats=2))
    >>> print(comparison_table(comparison))
    The classes separate: ...
     * LDA    2 ...
     * PCA    2 ...
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    protocol = comparison.protocol
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("method")
    control = "permuted targets" if comparison.task == "regression" else "permuted labels"
    columns = ["d", "held-out error", "rows x splits", "training error", control, "seconds"]
    for heading in columns:
        table.add_column(heading, justify="right")
    for result in comparison.done:
        mark = AS_GOOD if result.is_as_good_as_best else " "
        table.add_row(
            f"{mark} {result.label}",
            str(result.n_components),
            percent(result.test_errors),
            f"{result.n_fitted:,} x {len(result.splits)}",
            percent(result.train_errors),
            percent(result.permuted_errors),
            f"{result.seconds:.2f}",
        )
    target = (
        "a continuous target"
        if comparison.task == "regression"
        else f"{len(comparison.class_counts)} classes"
    )
    error = "balanced error" if protocol.score == "balanced" else "error"
    n_splits = comparison.most_splits
    splits = f"{n_splits} splits" if n_splits > 1 else "one split"
    lines = [
        *comparison.verdict,  # above the table, because it should be read first
        "",
        f"{comparison.data_name}: {comparison.n_samples} samples, "
        f"{comparison.features_in_words}, {target}. {protocol.n_neighbors}-NN {error} in {protocol.n_components}-D, "
        f"{'mean ± sd of ' if n_splits > 1 else ''}{splits}, held out "
        f"{comparison.held_out}.",
    ]
    if comparison.done:
        text = io.StringIO()
        # A console that writes to a file needs an explicit width; no row is wider than this.
        Console(file=text, width=120, color_system=None).print(table)
        lines += [line.rstrip() for line in text.getvalue().splitlines()]
        lines += _in_full(comparison)
        if len(comparison.done) > 1:
            lines += [
                f"{AS_GOOD} as good as the best (no significant difference on {splits} of equal rows)",
                "",
            ]
    if comparison.ending:
        lines.append(
            f"Not all rounds were run, because {comparison.ending}; how many are run depends on the "
            "speed of the machine. With --rounds N the result does not depend on it."
        )
    for result in comparison.results:
        if result.status != "done":
            lines.append(f"{result.label}: {result.status}: {result.reason}")
        lines += [f"{result.label}: {notice}" for notice in result.notices]
    return "\n".join(lines)


def _in_full(comparison: Comparison) -> list[str]:
    """Return the errors with all components, for methods of which only the best are shown."""
    more = [
        f"{result.label} {percent(result.errors_in_full)} in {result.n_components_in_full}-D"
        for result in comparison.done
        if result.errors_in_full
    ]
    return [f"With all of their components: {', '.join(more)}."] if more else []
