"""Show the progress of a comparison on stderr."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator


class ComparisonProgress:
    """Table with a line for each method: rows and splits so far, and the held-out error.

    Nothing is shown if stderr is not a terminal, or with --quiet.
    """

    def __init__(self, *, quiet: bool, console=None):
        from rich.console import Console
        from rich.live import Live

        self._console = console or Console(stderr=True)
        self.is_shown = not quiet and self._console.is_terminal
        self._live = Live(console=self._console, transient=True, refresh_per_second=4)

    def __enter__(self):
        if self.is_shown:
            self._live.start()
        return self

    def __exit__(self, *_):
        if self.is_shown:
            self._live.stop()

    def update(self, results) -> None:
        """Show the results so far."""
        if self.is_shown:
            self._live.update(self._table(results))

    def _table(self, results):
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column("method")
        for heading in ("rows", "splits", "held-out error"):
            table.add_column(heading, justify="right")
        for result in sorted(results, key=lambda one: (one.status != "done", one.test_error)):
            # Plain text, not markup, because a reason may contain brackets.
            if result.status == "done":
                error = f"{100 * result.test_error:.1f} %"
                cells = [f"{result.n_fitted:,}", str(len(result.splits)), error]
            else:
                cells = ["", "", result.reason or "waiting"]
            table.add_row(*(Text(cell) for cell in (result.label, *cells)))
        return table


@contextlib.contextmanager
def status_line(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows the current step as one line, if stderr is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _: None
        return
    with console.status("inspecting the method that is shown") as status:
        yield lambda words: status.update(words)
