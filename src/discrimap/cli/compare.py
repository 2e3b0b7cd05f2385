"""``discrimap compare``: score methods on held-out points, and write a table and a report."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path

import click

from discrimap.cli import on_dask
from discrimap.cli.exit_codes import EXIT_INTERRUPTED
from discrimap.cli.notices import show_notices
from discrimap.cli.options import (
    DaskOptions,
    DataOptions,
    FitOptions,
    dask_options,
    data_options,
    fit_options,
    option_group,
    traceback,
)
from discrimap.cli.progress import ComparisonProgress, status_line
from discrimap.errors import InputError
from discrimap.processes import worker_context
from discrimap.threads import available_threads

# Time of the inspection where the comparison has no time limit.
SECONDS_OF_REPORT = 60.0


@dataclass(frozen=True)
class CompareOptions:
    """The methods to compare, the protocol and time limits."""

    method_names: str | None
    own_methods: tuple[str, ...]
    repeats: int
    neighbors: int
    score: str
    groups: str | None
    order: str | None
    blocks: bool
    kernel: str | None
    budget: float
    rounds: int | None
    time_limit: float | None
    jobs: int

    def check(self) -> None:
        """Raise an error for values out of range, with the name of the option."""
        if self.jobs < 1:
            raise InputError(f"--jobs {self.jobs} must be at least 1.")
        named = {"--groups": self.groups, "--order": self.order, "--blocks": self.blocks}
        given = [option for option, value in named.items() if value]
        if len(given) > 1:
            raise InputError(f"{' and '.join(given)} exclude each other; pass one of them.")
        if not self.budget >= 0:
            raise InputError(f"--budget {self.budget:g} must be 0 or more seconds.")
        if self.time_limit is not None and not self.time_limit > 0:
            raise InputError(f"--time-limit {self.time_limit:g} must be greater than 0.")
        if self.rounds is not None and self.rounds < 1:
            raise InputError(f"--rounds {self.rounds} must be at least 1.")

    def methods(self) -> list:
        """Check and return the given methods; ``...`` means all suitable methods."""
        from discrimap.comparison.own_methods import choose_methods

        own = choose_methods(self.own_methods)
        if self.method_names is None:
            return [..., *own]
        names = [name.strip() for name in self.method_names.split(",") if name.strip()]
        if not names:
            raise InputError("--methods names no method; 'discrimap methods' lists them.")
        return choose_methods([*names, *own])


@dataclass(frozen=True)
class OutputOptions:
    """Files that are written in addition to the table."""

    out: Path | None
    json_path: Path | None
    suspects: Path | None
    text: str | None
    image: str | None
    quiet: bool

    def paths(self) -> dict[str, Path | None]:
        """Return the files, keyed by option."""
        return {"--out": self.out, "--json": self.json_path, "--suspects": self.suspects}


compare_options = option_group(
    "how",
    CompareOptions,
    click.option(
        "--methods",
        "method_names",
        help="Names of methods, separated by commas ('discrimap methods' lists them). [default: all suitable]",
    ),
    click.option(
        "--method",
        "own_methods",
        metavar="PACKAGE.MODULE:CLASS",
        multiple=True,
        help="Add your own estimator, with fit(X, y) and transform; can be repeated.",
    ),
    click.option("--repeats", default=10, show_default=True, help="Number of random splits."),
    click.option(
        "--neighbors",
        default=5,
        show_default=True,
        help="Number of neighbours that vote in the map.",
    ),
    click.option(
        "--score",
        type=click.Choice(["error", "balanced"]),
        default="error",
        show_default=True,
        help="Share of points with a wrong class, or the mean of this share over the classes.",
    ),
    click.option(
        "--groups",
        metavar="COLUMN",
        help="Column of groups, such as patients; the rows of a group are held out together.",
    ),
    click.option(
        "--order",
        metavar="COLUMN",
        help="Column of numbers or dates that order the rows; contiguous blocks are held out, with a gap.",
    ),
    click.option(
        "--blocks",
        is_flag=True,
        help="Hold out contiguous blocks of rows, in the order of the file.",
    ),
    click.option(
        "--kernel",
        type=click.Choice(["precomputed", "precomputed_distance"]),
        help="DATA holds similarities or distances between samples: an NPZ file with S or D and y, or a table "
        "with one numeric column for each row.",
    ),
    click.option(
        "--budget",
        default=300.0,
        show_default=True,
        help="Time limit of the comparison in seconds. Every method starts with a few hundred rows and "
        "continues with more rows and splits while time is left. 0: no limit.",
    ),
    click.option(
        "--rounds",
        type=int,
        help="Run this number of rounds of every method instead, without a time limit. The figures are "
        "then the same on every machine.",
    ),
    click.option(
        "--time-limit",
        type=float,
        help="Time limit of one method in seconds.",
    ),
    click.option(
        "--jobs",
        type=int,
        default=available_threads,
        show_default="all cores",
        help="Number of processes.",
    ),
)
output_options = option_group(
    "output",
    OutputOptions,
    click.option("--out", type=click.Path(path_type=Path), help="Write an HTML report here."),
    click.option(
        "--json",
        "json_path",
        type=click.Path(path_type=Path),
        help="Write the result here as JSON.",
    ),
    click.option(
        "--suspects",
        type=click.Path(path_type=Path),
        metavar="FILE.csv",
        help="Write all suspicious labels here as CSV, with the id column of DATA; those that are "
        "estimated to be wrong are marked as listed.",
    ),
    click.option(
        "--text",
        metavar="COLUMN",
        help="Column of text that the report shows with each point; it is not a feature.",
    ),
    click.option(
        "--image",
        metavar="COLUMN",
        help="Column of image paths, relative to the folder of DATA; the report shows the image with each "
        "point. It is not a feature. In an archive, an array of shape (n, height, width).",
    ),
    click.option("--quiet", is_flag=True, help="Do not print notices or progress."),
)


@click.command()
@data_options
@compare_options
@fit_options
@dask_options
@output_options
@traceback
def compare(
    source: DataOptions,
    how: CompareOptions,
    fitting: FitOptions,
    dask: DaskOptions,
    output: OutputOptions,
):
    """Compare methods on DATA: a CSV, TSV, Parquet, Arrow, NPZ or .h5ad file, - for CSV from standard
    input, or a built-in name (iris, wine, digits, breast_cancer).

    Each method is fitted to a random two thirds of the samples and scored on the rest, and again with
    permuted labels. Rows without a target are used by the methods that support them. Ctrl-C stops the
    comparison and shows the results so far.

    With --dask DATA may be larger than memory. The methods that support it are fitted one after the
    other on the workers, without a time limit. The output is a table and --json, but no report.
    """
    from discrimap.tables.output_files import check_outputs

    check_outputs(output.paths(), {"the data": source.data})
    if output.suspects is not None and output.suspects.suffix.lower() != ".csv":
        raise InputError(
            f"--suspects {output.suspects} must end in .csv, because it is written as CSV."
        )
    how.check()
    if dask.dask_address is None and (how.jobs > 1 or how.budget or how.time_limit):
        worker_context()  # workers are prepared while this process imports and reads the data
    methods = how.methods()

    from discrimap.comparison import Protocol

    protocol = Protocol(
        n_components=fitting.components,
        n_repeats=how.repeats,
        n_neighbors=how.neighbors,
        score=how.score,
        scale=not fitting.no_scale,
        impute=source.impute,
        seed=fitting.seed,
    )
    if dask.dask_address is None:
        _compare_in_memory(source, methods, protocol, how, output)
        return
    if any((output.out, output.suspects, source.impute)):
        raise InputError("--out, --suspects and --impute cannot be used with --dask; use --json.")
    source.check_for_dask()
    if how.groups or how.order or how.blocks or how.kernel:
        raise InputError(
            "--groups, --order, --blocks and --kernel cannot be used with --dask; leave them out."
        )
    comparison = on_dask.compare_on_dask(source, methods, protocol, dask, output.quiet)
    _show_without_report(comparison, output)


def _compare_in_memory(
    source: DataOptions, methods, protocol, how: CompareOptions, output: OutputOptions
) -> None:
    """Compare the methods, print the table and write the report and the JSON if asked for."""
    import numpy as np

    from discrimap.comparison import compare as run_comparison
    from discrimap.comparison.compare import ALL_ROUNDS, INTERRUPTED
    from discrimap.comparison.workers import Workers
    from discrimap.inspection import NamedProblem, cautions
    from discrimap.inspection.budget import SHARE_OF_BUDGET
    from discrimap.report import look_closer, summarise, text_table, to_html, to_json
    from discrimap.tables.output_files import write_text

    dataset = source.load(
        groups=how.groups,
        order=how.order,
        kernel=how.kernel,
        text=output.text,
        image=output.image,
    )
    if how.blocks:
        dataset = replace(dataset, order=np.arange(dataset.X.shape[0]))
    show_notices(dataset.notices, output.quiet)
    show_notices(cautions(NamedProblem.from_dataset(dataset), protocol), output.quiet)
    is_report_wanted = any(output.paths().values())
    for_report = SHARE_OF_BUDGET * how.budget if how.budget else SECONDS_OF_REPORT
    if not is_report_wanted:
        for_report = 0.0
    has_clock = how.budget > 0 and how.rounds is None

    def write_interim(comparison) -> None:
        """Write the page with the results so far, which is replaced after each round."""
        if output.out is not None:
            write_text(output.out, to_html(summarise(comparison, dataset)))

    with contextlib.ExitStack() as stack:
        workers = None
        if has_clock or how.time_limit is not None or how.jobs > 1:
            # The inspection uses the same processes.
            workers = stack.enter_context(Workers(how.jobs))
        with ComparisonProgress(quiet=output.quiet) as progress:
            comparison = run_comparison(
                dataset,
                methods=methods,
                protocol=protocol,
                n_jobs=how.jobs,
                budget=how.budget - for_report if has_clock else None,
                rounds=how.rounds if has_clock or how.rounds is not None else ALL_ROUNDS,
                time_limit=how.time_limit,
                workers=workers,
                on_progress=progress.update if progress.is_shown else None,
                on_round=write_interim if output.out is not None else None,
            )
        summary = summarise(comparison, dataset)
        click.echo(text_table(summary))
        is_interrupted = comparison.ending == INTERRUPTED
        if is_report_wanted and not is_interrupted:
            try:
                with status_line(output.quiet) as on_step:
                    summary = look_closer(
                        summary, dataset, seconds=for_report, on_step=on_step, workers=workers
                    )
            except KeyboardInterrupt:
                is_interrupted = True
    if output.json_path is not None:
        _write("Result", output.json_path, to_json(summary))
    if output.out is not None:
        _write("Report", output.out, to_html(summary))
    if output.suspects is not None and not is_interrupted:
        _write_suspects(output.suspects, summary.inspection)
    if is_interrupted:
        raise click.exceptions.Exit(EXIT_INTERRUPTED)


def _write_suspects(path: Path, inspection) -> None:
    """Write the suspicious labels, or raise an error with the reason why there are none."""
    from discrimap.report import suspects_csv

    suspects = "no method was fitted." if inspection is None else inspection.suspects
    if isinstance(suspects, str):
        raise InputError(f"--suspects {path} was not written: {suspects}")
    _write("Suspicious labels", path, suspects_csv(suspects))


def _show_without_report(comparison, output: OutputOptions) -> None:
    """Print the table, and write the values of the comparison as JSON if asked for."""
    import json

    from discrimap.report import comparison_table

    click.echo(comparison_table(comparison))
    if output.json_path is not None:
        _write("Result", output.json_path, json.dumps(comparison.to_dict(), indent=1) + "\n")


def _write(what: str, path: Path, text: str) -> None:
    """Write a file and print where it is."""
    from discrimap.tables.output_files import write_text

    write_text(path, text)
    click.echo(f"{what}: {path.resolve()}")
