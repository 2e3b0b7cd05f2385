"""``discrimap transform``: map rows with a saved model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from discrimap.cli.notices import show_notices
from discrimap.cli.options import option_group, quiet, traceback
from discrimap.errors import InputError


@dataclass(frozen=True)
class RowOptions:
    """The rows to map, and how to read them."""

    data: str
    chunk: int | None
    ids: str | None
    layer: str | None


row_options = option_group(
    "rows",
    RowOptions,
    click.argument("data"),
    click.option(
        "--chunk",
        type=int,
        help="Number of rows to read and map at a time, for files larger than memory.",
    ),
    click.option(
        "--id",
        "ids",
        metavar="COLUMN",
        help="Column of ids to write next to the map. [default: the id column of the training data]",
    ),
    click.option(
        "--layer",
        metavar="NAME",
        help="Matrix in layers or obsm of an .h5ad file to use instead of X.",
    ),
)


@click.command()
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@row_options
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="Write the map here; the extension sets the format: .csv, .tsv, .parquet, .arrow, .feather, or "
    ".h5ad for a copy of an .h5ad file with the map in obsm.",
)
@quiet
@traceback
def transform(model_path: Path, rows: RowOptions, out: Path, quiet: bool):
    """Map the rows of DATA (a file, or - for CSV from standard input) with a saved MODEL.

    Columns are matched by name, in any order. All columns that the model needs must exist; others are
    ignored. Dimensions are named after the method: sda1, sda2.
    """
    from discrimap.tables.anndata_tables import is_h5ad
    from discrimap.tables.output import TableWriter, check_table_path
    from discrimap.tables.output_files import check_outputs

    if not is_h5ad(out):
        check_table_path(out)
    elif not is_h5ad(rows.data):
        raise InputError(
            f"--out {out} is a copy of the data with the map added, so the data must be an .h5ad file too, "
            f"but {rows.data} is not; choose another format for --out, such as .csv."
        )
    check_outputs({"--out": out}, {"the model": model_path, "the data": rows.data})
    if rows.chunk is not None and rows.chunk < 1:
        raise InputError(f"--chunk {rows.chunk} must be at least 1 row.")

    from discrimap.models import load_model

    model = load_model(model_path)
    samples, batches = _open_rows(model, rows)
    if is_h5ad(out):
        n_rows, n_filled = _add_to_copy(out, rows.data, model, samples)
    else:
        n_filled = 0
        with TableWriter(out, model.component_names, samples.id_name) as table:
            for X in batches:
                n_filled += model.count_missing(X)
                table.write(_map(model, X, rows.data, table.n_rows), samples.ids)
        n_rows = table.n_rows
    # The notices of a file that is read in chunks are complete only at the end.
    show_notices(samples.notices, quiet)
    if n_filled:
        filled = (
            f"{n_filled} missing values were replaced by the {model.impute} of the training rows."
        )
        show_notices([filled], quiet)
    click.echo(f"{n_rows} rows in {len(model.component_names)} dimensions: {out.resolve()}")


def _add_to_copy(out: Path, data: str, model, samples) -> tuple[int, int]:
    """Write a copy of an .h5ad file with the map; return the number of rows and of imputed values."""
    from discrimap.tables.h5ad_files import write_map

    Z = _map(model, samples.X, data, 0)
    write_map(out, data, f"X_{model.method}", Z)
    return len(Z), model.count_missing(samples.X)


def _map(model, X, data: str, n_before: int):
    try:
        return model.transform(X, n_before=n_before)
    except InputError as error:
        raise InputError(f"{data}: {error}") from error


def _open_rows(model, rows: RowOptions) -> tuple[Any, Iterable]:
    """Return the reader, which has notices and ids, and the rows as one array or in chunks."""
    from discrimap.tables.new_samples import FeatureBatches, read_features

    how: dict[str, Any] = {
        "columns": model.columns,
        "keep_missing": model.impute is not None,
        "ids": rows.ids or model.id_name,
        "must_have_ids": rows.ids is not None,
    }
    if rows.chunk is None:
        samples = read_features(rows.data, model.feature_names, layer=rows.layer, **how)
        return samples, [samples.X]
    if not model.maps_rows_alone:
        raise InputError(
            f"{model.label} maps all points together, so --chunk cannot be used; leave it out."
        )
    batches = FeatureBatches(rows.data, model.feature_names, rows.chunk, **how)
    return batches, batches
