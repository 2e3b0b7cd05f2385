"""What there is to say of the data, on stderr."""

from __future__ import annotations

import click


def show_notices(dataset, quiet: bool) -> None:
    if not quiet:
        for notice in dataset.notices:
            click.echo(f"note: {notice}", err=True)
