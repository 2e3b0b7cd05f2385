"""The command line: arguments, one library call, an exit code.

Everything heavy is imported inside the commands, so that ``discrimap --help`` answers at once.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click

from discrimap._version import __version__
from discrimap.errors import InputError
from discrimap.registry import METHODS

EXIT_INPUT = 2  # something the user can mend
EXIT_BUG = 70  # something we must mend
EXIT_INTERRUPTED = 130


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code; expected errors are one line on stderr."""
    arguments = sys.argv[1:] if argv is None else argv
    try:
        return cli.main(arguments, prog_name="discrimap", standalone_mode=False) or 0
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted; nothing was written.", EXIT_INTERRUPTED)
    except click.UsageError as error:
        where = f" (see '{error.ctx.command_path} --help')" if error.ctx else ""
        return _fail(f"{_one_line(error.format_message())}{where}", EXIT_INPUT)
    except (click.ClickException, InputError, OSError) as error:
        return _fail(_one_line(str(error)), EXIT_INPUT)
    except Exception as error:
        if "--traceback" in arguments:
            raise
        return _fail(
            f"unexpected {type(error).__name__}: {_one_line(str(error))} "
            "(a fault of discrimap's; run again with --traceback for the details)",
            EXIT_BUG,
        )


def _fail(message: str, code: int) -> int:
    click.echo(f"discrimap: {message}", err=True)
    return code


def _one_line(message: str) -> str:
    return " ".join(message.split())


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="discrimap %(version)s")
def cli():
    """See your classes, find the few directions that tell them apart, and know whether to trust
    the picture.
    """


@cli.command()
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
    _show_notices(dataset, quiet)
    protocol = Protocol(
        n_components=components,
        n_repeats=repeats,
        n_neighbors=neighbors,
        scale=not no_scale,
        seed=seed,
    )
    with _Progress(names or [method.name for method in METHODS], quiet) as progress:
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

    from discrimap.report import text_table

    click.echo(text_table(comparison))
    if json_path is not None:
        write_text(json_path, json.dumps(comparison.to_dict(), indent=2) + "\n")
        click.echo(f"Result: {json_path.resolve()}")
    if out is not None:
        from discrimap.report import summarise, to_html

        write_text(out, to_html(summarise(comparison, dataset.class_labels, dataset.notices)))
        click.echo(f"Report: {out.resolve()}")


def _show_notices(dataset, quiet: bool) -> None:
    if not quiet:
        for notice in dataset.notices:
            click.echo(f"note: {notice}", err=True)


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


class _Progress:
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


@cli.command()
@click.argument("data")
@click.option("--target", help="Column that holds the classes; built-in sets need none.")
@click.option("--method", "method_name", required=True, help="'discrimap methods' lists them.")
@click.option(
    "--model",
    "model_path",
    type=click.Path(path_type=Path),
    required=True,
    help="Write the model here, for instance model.skops.",
)
@click.option("--components", default=2, show_default=True, help="Dimensions of the map.")
@click.option("--seed", default=0, show_default=True, help="Determines the result.")
@click.option("--no-scale", is_flag=True, help="Do not standardise the features.")
@click.option(
    "--impute",
    type=click.Choice(["median", "mean"]),
    help="Fill missing values, instead of refusing them.",
)
@click.option("--quiet", is_flag=True, help="No notices.")
@click.option("--traceback", is_flag=True, help="Show the details of an unexpected error.")
def fit(
    data,
    target,
    method_name,
    model_path,
    components,
    seed,
    no_scale,
    impute,
    quiet,
    traceback,
):
    """Fit one method to all of DATA and save it."""
    from discrimap.files import check_writable
    from discrimap.registry import get_method

    check_writable(model_path)
    method = get_method(method_name)

    from discrimap.datasets import open_source
    from discrimap.models import fit_model, save_model

    dataset = open_source(data, target=target, impute=impute)
    _show_notices(dataset, quiet)
    model = fit_model(dataset, method, n_components=components, scale=not no_scale, seed=seed)
    save_model(model_path, model)
    click.echo(
        f"{method.label}: {dataset.X.shape[0]} samples, {dataset.X.shape[1]} features, "
        f"{len(model.classes)} classes, {len(model.component_names)} components."
    )
    click.echo(f"Model: {model_path.resolve()}")


@cli.command()
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("data")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="Write the map here; the ending says the format: .csv, .tsv, .parquet, .arrow, .feather.",
)
@click.option("--traceback", is_flag=True, help="Show the details of an unexpected error.")
def transform(model_path, data, out, traceback):
    """Map the rows of DATA with a saved MODEL; columns are matched by name."""
    from discrimap.datasets import check_table_path, read_features, write_table

    check_table_path(out)

    from discrimap.models import load_model

    model = load_model(model_path)
    samples = read_features(data, model.feature_names)
    Z = model.transform(samples.X)
    write_table(out, Z, model.component_names)
    click.echo(f"{len(Z)} rows in {Z.shape[1]} dimensions: {out.resolve()}")


@cli.command()
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


@cli.command()
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


if __name__ == "__main__":
    sys.exit(main())
