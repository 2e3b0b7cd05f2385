"""Print notices about the data to stderr."""

from __future__ import annotations

from collections.abc import Iterable

import click


def show_notices(notices: Iterable[str], quiet: bool) -> None:
    """Print one line for each notice, or nothing with --quiet."""
    if not quiet:
        for notice in notices:
            click.echo(f"note: {notice}", err=True)
