"""What happens while methods are compared, on stderr."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator


class ComparisonProgress:
    """One line per finished method on stderr; silent when stderr is not a terminal."""

    def __init__(self, names, quiet):
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

        console = Console(stderr=True)
        self._bar = Progress(
            "{task.description}",
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._task = self._bar.add_task("comparing methods", total=len(names))

    def __enter__(self):
        self._bar.start()
        return self

    def advance(self, result):
        self._bar.update(self._task, advance=1, description=f"{result.label} {result.status}")

    def __exit__(self, *_):
        self._bar.stop()


@contextlib.contextmanager
def steps_in_words(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Give a function that shows, in one line on a terminal, what is being done."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _: None
        return
    with console.status("looking closer at the best method") as status:
        yield lambda words: status.update(words)
