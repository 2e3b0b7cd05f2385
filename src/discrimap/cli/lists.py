"""``discrimap methods`` and ``discrimap datasets``: list methods and named data sets."""

from __future__ import annotations

import dataclasses
import json
import sys

import click

from discrimap.registry import METHODS, SIMILARITY_METHODS

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")

# Data that a method accepts: the word in the table, and the field of the registry.
ACCEPTED = {
    "classes": "classes",
    "numbers": "continuous",
    "unlabelled": "unlabelled",
    "kernels": "kernel",
    "sparse": "sparse",
}


@click.command()
@as_json
def methods(as_json):
    """List the methods and the data that each accepts.

    The target can be classes, numbers (continuous), or missing in some rows (unlabelled). All methods
    accept tables; some also accept kernel matrices or sparse matrices.
    """
    if as_json:
        _print_json(
            {
                "name": method.name,
                "label": method.label,
                "family": method.family,
                "class": f"{'discrimap' if method.is_ours else method.module}.{method.class_name}",
                "supervised": method.supervised,
                **{field: getattr(method, field) for field in ACCEPTED.values()},
                "citation": method.citation,
            }
            for method in (*METHODS, *SIMILARITY_METHODS)
        )
        return
    rows = [
        (
            method.name,
            method.label,
            method.family if method.supervised else f"{method.family}, ignores labels",
            ", ".join(words for words, field in ACCEPTED.items() if getattr(method, field)),
        )
        for method in (*METHODS, *SIMILARITY_METHODS)
    ]
    _print_table(("name", "method", "family", "accepts"), rows)


@click.command()
@as_json
def datasets(as_json):
    """List the data sets that can be loaded by name, and whether they are available."""
    from discrimap.datasets import list_datasets

    if as_json:
        _print_json(
            {
                **dataclasses.asdict(listing.entry),
                "origin": listing.origin,
                "is_available": listing.is_available,
            }
            for listing in list_datasets()
        )
        return
    rows = []
    for listing in list_datasets():
        entry = listing.entry
        size = f"{entry.n_samples} x {entry.n_features or entry.n_samples}"
        kind = "features" if entry.n_features else "similarities"
        rows.append((entry.name, size, kind, entry.n_classes, listing.origin, entry.licence))
    _print_table(("name", "size", "of", "classes", "from", "licence"), rows)


def _print_json(rows) -> None:
    click.echo(json.dumps(list(rows), indent=2))


def _print_table(header, rows):
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, name in enumerate(header):
        # Names are not wrapped, so that they can be copied into commands.
        table.add_column(name, overflow="fold", no_wrap=place == 0)
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    # A file or a pipe has no width, so a fixed width is used.
    Console(width=None if sys.stdout.isatty() else 140).print(table)
