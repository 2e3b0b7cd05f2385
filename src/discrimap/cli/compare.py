"""``discrimap compare``: every method on held-out points, as a table and a report."""

from __future__ import annotations

import os
from pathlib import Path

import click

from discrimap.cli.notices import show_notices
from discrimap.cli.progress import ComparisonProgress, steps_in_words
from discrimap.errors import InputError
from discrimap.registry import METHODS


@click.command()
@click.argument("data")
@click.option("--target", help="Column that holds the classes; built-in sets need none.")
@click.option(
    "--methods",
    "method_names",
    help="Names separated by commas ('discrimap methods' lists them). [default: all]",
)
@click.option("--components", default=2, show_default=True, help="Dimensions of the map.")
@click.option("--repeats", default=5, show_default=True, help="Random splits per method.")
@click.option("--neighbors", default=5, show_default=True, help="Neighbours that vote in the map.")
@click.option("--seed", default=0, show_default=True, help="Determines the result.")
@click.option(
    "--time-limit",
    default=60.0,
    show_default=True,
    help="Seconds after which a method is ended and recorded as skipped.",
)
@click.option("--jobs", default=os.cpu_count() or 1, show_default="all cores", help="Processes.")
@click.option("--no-scale", is_flag=True, help="Do not standardise the features.")
@click.option(
    "--impute",
    type=click.Choice(["median", "mean"]),
    help="Fill missing values, instead of refusing them.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write an HTML report here.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the result here.")
@click.option("--quiet", is_flag=True, help="No progress, no notices.")
@click.option("--traceback", is_flag=True, help="Show the details of an unexpected error.")
def compare(
    data,
    target,
    method_names,
    components,
    repeats,
    neighbors,
    seed,
    time_limit,
    jobs,
    no_scale,
    impute,
    out,
    json_path,
    quiet,
    traceback,
):
    """Compare methods on DATA: a CSV, TSV, Parquet, Arrow or NPZ file, or a built-in name (iris,
    wine, digits, breast_cancer).

    Each method is fitted on random two thirds of the samples and scored on the rest, beside the
    same with permuted labels.
    """
    from discrimap.files import check_writable, write_text

    for path in (out, json_path):
        if path is not None:
            check_writable(path)
    names = _parse_methods(method_names)
    if jobs < 1:
        raise InputError(f"--jobs {jobs} must be at least 1.")
    if time_limit <= 0:
        raise InputError(f"--time-limit {time_limit:g} must be above 0.")

    from discrimap.comparison import Protocol
    from discrimap.comparison import compare as run_comparison
    from discrimap.datasets import open_source

    dataset = open_source(data, target=target, impute=impute)
    show_notices(dataset, quiet)
    protocol = Protocol(
        n_components=components,
        n_repeats=repeats,
        n_neighbors=neighbors,
        scale=not no_scale,
        seed=seed,
    )
    with ComparisonProgress(names or [method.name for method in METHODS], quiet) as progress:
        comparison = run_comparison(
            dataset.X,
            dataset.class_labels,
            names,
            protocol=protocol,
            data_name=dataset.name,
            n_jobs=jobs,
            time_limit=time_limit,
            on_result=progress.advance,
        )

    from discrimap.report import summarise, text_table

    summary = summarise(comparison, dataset)
    click.echo(text_table(summary))
    if json_path is None and out is None:
        return

    from discrimap.report import look_closer, to_html, to_json

    with steps_in_words(quiet) as on_step:
        summary = look_closer(summary, dataset, on_step=on_step)
    if json_path is not None:
        write_text(json_path, to_json(summary))
        click.echo(f"Result: {json_path.resolve()}")
    if out is not None:
        write_text(out, to_html(summary))
        click.echo(f"Report: {out.resolve()}")


def _parse_methods(text: str | None) -> list[str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError("--methods names no method; 'discrimap methods' lists them.")
    from discrimap.registry import get_method

    for name in names:
        get_method(name)
    return names
