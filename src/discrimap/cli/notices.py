"""Notices about the data, on stderr."""

from __future__ import annotations

from collections.abc import Iterable

import click


def show_notices(notices: Iterable[str], quiet: bool) -> None:
    """Print each notice on a line of its own, unless quiet."""
    if not quiet:
        for notice in notices:
            click.echo(f"note: {notice}", err=True)
