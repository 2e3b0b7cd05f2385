"""Progress of a comparison, shown on stderr while it runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any


class ComparisonProgress:
    """A bar for each method that is running, and a line for each that has ended.

    Nothing is shown if stderr is not a terminal, or if quiet.
    """

    def __init__(self, *, n_fits: int, quiet: bool, console=None):
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

        self._n_fits = n_fits
        self._console = console or Console(stderr=True)
        self._bar = Progress(
            "{task.description}",
            BarColumn(),
            MofNCompleteColumn(),
            "{task.fields[unit]}",
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=quiet or not self._console.is_terminal,
        )
        self._all: Any = None
        self._labels: dict[str, str] = {}
        self._tasks: dict[str, Any] = {}

    def __enter__(self):
        self._bar.start()
        return self

    def __exit__(self, *_):
        self._bar.stop()

    def start(self, workloads) -> None:
        """Add a bar for the methods that are going to run."""
        self._labels = {one.method.name: one.method.label for one in workloads}
        self._all = self._bar.add_task("all methods", total=len(workloads), unit="methods")

    def advance(self, name: str, n_fits: int) -> None:
        """Show how many fits of a method are done."""
        if name not in self._tasks:
            self._tasks[name] = self._bar.add_task(
                self._labels[name], total=self._n_fits, unit="fits"
            )
        self._bar.update(self._tasks[name], completed=n_fits)

    def finish(self, result) -> None:
        """Replace the bar of a method by a line with its outcome."""
        from rich.text import Text

        if result.name in self._tasks:
            self._bar.remove_task(self._tasks.pop(result.name))
        if result.name in self._labels:
            self._bar.advance(self._all)
        outcome = result.reason
        if result.status == "done":
            outcome = f"{100 * result.test_error:.1f} % held-out error"
        if not self._bar.disable:
            # Plain text, not markup, because a reason may contain brackets.
            self._bar.console.print(Text(f"{result.label}: {result.status}, {outcome}"))


@contextlib.contextmanager
def status_line(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows the current step in one line on a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _: None
        return
    with console.status("looking closer at the best method") as status:
        yield lambda words: status.update(words)
