"""Progress of a comparison below the cell of a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from discrimap.comparison.result import MethodResult

SECONDS_BETWEEN_UPDATES = 0.5

OnProgress = Callable[[tuple[MethodResult, ...]], None]


@contextmanager
def progress_or_notebook(on_progress: OnProgress | None) -> Iterator[OnProgress | None]:
    """Yield the given function, or by default in a notebook one that shows the results so far.

    The output is cleared at the end. It needs only IPython, which every notebook has. The live
    displays of rich and tqdm need ipywidgets.
    """
    if on_progress is not None or not is_notebook():
        yield on_progress
        return
    from IPython.display import display

    handle = display({"text/plain": "comparing ..."}, raw=True, display_id=True)
    next_update = 0.0

    def show(results: tuple[MethodResult, ...]) -> None:
        nonlocal next_update
        if time.monotonic() >= next_update:
            handle.update({"text/plain": describe_progress(results)}, raw=True)
            next_update = time.monotonic() + SECONDS_BETWEEN_UPDATES

    try:
        yield show
    finally:
        handle.update({"text/plain": ""}, raw=True)


def is_notebook() -> bool:
    """Return whether the code runs in an IPython kernel, whose front end can replace its output."""
    IPython: Any = sys.modules.get("IPython")  # not imported just to check
    shell = IPython.get_ipython() if IPython is not None else None
    return getattr(shell, "kernel", None) is not None


def describe_progress(results: tuple[MethodResult, ...]) -> str:
    """Return one line for each method, best first: rows, splits and error so far.

    Examples
    --------
    >>> from discrimap.comparison import MethodResult
    >>> from discrimap.comparison.notebook_progress import describe_progress
    >>> done = MethodResult("lda", "LDA", "done", test_errors=(0.02,), n_fitted=118, splits=(0,))
    >>> print(describe_progress((MethodResult("pca", "PCA", "skipped"), done)))
    LDA   118 rows   1 splits    2.0 %
    PCA   waiting
    """
    width = max(len(result.label) for result in results)
    lines = []
    for result in sorted(results, key=lambda one: (one.status != "done", one.test_error)):
        words = result.reason or "waiting"
        if result.status == "done":
            words = f"{result.n_fitted:,} rows {len(result.splits):>3} splits {100 * result.test_error:6.1f} %"
        lines.append(f"{result.label:<{width}}   {words}")
    return "\n".join(lines)
