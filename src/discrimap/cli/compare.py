"""``discrimap compare``: every method on held-out points, as a table and a report."""

from __future__ import annotations

from pathlib import Path

import click

from discrimap.cli import on_dask, options
from discrimap.cli.notices import show_notices
from discrimap.cli.progress import ComparisonProgress, steps_in_words
from discrimap.errors import InputError
from discrimap.threads import available_threads

# Of the budget, for the closer look at the best method that goes into a report.
SHARE_OF_REPORT = 0.2


@click.command()
@click.argument("data")
@options.target
@options.task
@click.option(
    "--methods",
    "method_names",
    help="Names separated by commas ('discrimap methods' lists them). [default: all that fit]",
)
@options.components
@click.option("--repeats", default=5, show_default=True, help="Random splits per method.")
@click.option("--neighbors", default=5, show_default=True, help="Neighbours that vote in the map.")
@options.seed
@click.option(
    "--budget",
    default=300.0,
    show_default=True,
    help="Seconds in all; methods that would not fit are made smaller, or skipped.",
)
@click.option(
    "--time-limit",
    type=float,
    show_default="60 % of the budget",
    help="Seconds after which a method is ended and recorded as skipped.",
)
@click.option(
    "--jobs", type=int, default=available_threads, show_default="all cores", help="Processes."
)
@options.no_scale
@options.impute
@on_dask.option
@on_dask.workers
@on_dask.memory
@click.option("--out", type=click.Path(path_type=Path), help="Write an HTML report here.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the result here.")
@click.option("--quiet", is_flag=True, help="No progress, no notices.")
@options.traceback
def compare(
    data,
    target,
    task,
    method_names,
    components,
    repeats,
    neighbors,
    seed,
    budget,
    time_limit,
    jobs,
    no_scale,
    impute,
    dask_address,
    workers,
    memory,
    out,
    json_path,
    quiet,
    traceback,
):
    """Compare methods on DATA: a CSV, TSV, Parquet, Arrow or NPZ file, - for CSV from standard input,
    or a built-in name (iris, wine, digits, breast_cancer).

    Each method is fitted on random two thirds of the samples and scored on the rest, beside the
    same with permuted labels. Rows without a target are used by the methods that can.

    With --dask DATA may be larger than memory: the methods that can are fitted one after the other on
    its workers, without a budget, and there is a table and --json, but no report.
    """
    from discrimap.tables.output_files import check_outputs, write_text

    check_outputs({"--out": out, "--json": json_path}, {"the data": data})
    names = _parse_methods(method_names)
    if jobs < 1:
        raise InputError(f"--jobs {jobs} must be at least 1.")
    for option, seconds in (("--budget", budget), ("--time-limit", time_limit)):
        if seconds is not None and not seconds > 0:
            raise InputError(f"{option} {seconds:g} must be above 0.")

    from discrimap.comparison import Protocol
    from discrimap.comparison import compare as run_comparison
    from discrimap.datasets import open_source

    protocol = Protocol(
        n_components=components,
        n_repeats=repeats,
        n_neighbors=neighbors,
        scale=not no_scale,
        impute=impute,
        seed=seed,
    )
    if dask_address is not None:
        if out is not None or impute is not None:
            raise InputError("--out and --impute do not go with --dask; there is --json.")
        comparison = on_dask.compare_on_dask(
            data,
            target,
            names,
            protocol,
            address=dask_address,
            workers=workers,
            memory=memory,
            quiet=quiet,
        )
        return _show_without_report(comparison, json_path)

    dataset = open_source(
        data, target=target, keep_missing=impute is not None, unlabelled="keep", task=task
    )
    show_notices(dataset, quiet)
    for_report = 0.0 if out is None and json_path is None else min(60.0, SHARE_OF_REPORT * budget)
    with ComparisonProgress(n_fits=2 * repeats, quiet=quiet) as progress:
        comparison = run_comparison(
            dataset.X,
            dataset.class_labels,
            names,
            task="regression" if dataset.is_continuous else "classification",
            is_labelled=dataset.is_labelled,
            protocol=protocol,
            data_name=dataset.name,
            n_jobs=jobs,
            budget=budget - for_report,
            time_limit=time_limit,
            on_plan=progress.start,
            on_progress=progress.advance,
            on_result=progress.finish,
        )

    from discrimap.report import summarise, text_table

    summary = summarise(comparison, dataset)
    click.echo(text_table(summary))
    if json_path is None and out is None:
        return

    from discrimap.report import look_closer, to_html, to_json

    with steps_in_words(quiet) as on_step:
        summary = look_closer(summary, dataset, seconds=for_report, on_step=on_step)
    if json_path is not None:
        write_text(json_path, to_json(summary))
        click.echo(f"Result: {json_path.resolve()}")
    if out is not None:
        write_text(out, to_html(summary))
        click.echo(f"Report: {out.resolve()}")


def _show_without_report(comparison, json_path):
    """The table, and the plain values of the comparison as JSON."""
    import json

    from discrimap.report import comparison_table
    from discrimap.tables.output_files import write_text

    click.echo(comparison_table(comparison))
    if json_path is not None:
        write_text(json_path, json.dumps(comparison.to_dict(), indent=1) + "\n")
        click.echo(f"Result: {json_path.resolve()}")


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
