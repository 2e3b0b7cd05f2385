"""What happens while methods are compared, on stderr."""

from __future__ import annotations


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
