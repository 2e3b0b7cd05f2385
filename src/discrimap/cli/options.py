"""Options that several commands have."""

from __future__ import annotations

import click

target = click.option(
    "--target", help="Column that holds the classes or numbers; built-in sets need none."
)
task = click.option(
    "--task",
    type=click.Choice(["auto", "classification", "regression"]),
    default="auto",
    show_default=True,
    help="What the target is; 'auto' judges by its values.",
)
components = click.option(
    "--components", default=2, show_default=True, help="Dimensions of the map."
)
seed = click.option(
    "--seed",
    default=0,
    show_default=True,
    help="Determines the result, except what a clock decides.",
)
no_scale = click.option("--no-scale", is_flag=True, help="Do not standardise the features.")
impute = click.option(
    "--impute",
    type=click.Choice(["median", "mean"]),
    help="Fill missing values with this of the training rows, instead of refusing them.",
)
traceback = click.option(
    "--traceback", is_flag=True, help="Show the details of an unexpected error."
)
