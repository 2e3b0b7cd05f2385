"""``discrimap methods`` and ``discrimap datasets``: what there is."""

from __future__ import annotations

import click

from discrimap.registry import METHODS


@click.command()
def methods():
    """List the methods and what each accepts."""
    rows = [
        (
            method.name,
            method.label,
            method.family,
            ", ".join(
                word
                for word, has in (
                    ("labels", method.supervised),
                    ("unlabelled points", method.unlabelled),
                    ("continuous targets", method.continuous),
                    ("kernels", method.kernel),
                    ("sparse data", method.sparse),
                )
                if has
            ),
        )
        for method in METHODS
    ]
    _print_table(("name", "method", "family", "uses"), rows)


@click.command()
def datasets():
    """List the data sets that have names, and whether they are at hand."""
    from discrimap.datasets import list_datasets

    rows = []
    for listing in list_datasets():
        entry = listing.entry
        size = f"{entry.n_samples} x {entry.n_features or entry.n_samples}"
        kind = "features" if entry.n_features else "similarities"
        rows.append((entry.name, size, kind, entry.n_classes, listing.origin, entry.licence))
    _print_table(("name", "size", "of", "classes", "from", "licence"), rows)


def _print_table(header, rows):
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    Console().print(table)
