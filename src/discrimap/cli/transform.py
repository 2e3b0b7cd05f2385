"""``discrimap transform``: rows mapped with a saved model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from discrimap.cli.notices import show_notices
from discrimap.cli.options import quiet, traceback
from discrimap.errors import InputError


@click.command()
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.argument("data")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="Write the map here; the ending says the format: .csv, .tsv, .parquet, .arrow, .feather.",
)
@click.option(
    "--chunk",
    type=int,
    help="Read and map so many rows at a time, for a file larger than memory.",
)
@click.option(
    "--id",
    "ids",
    metavar="COLUMN",
    help="Write this column beside the map. [default: the one that named the rows of the model's data]",
)
@quiet
@traceback
def transform(
    model_path: Path, data: str, out: Path, chunk: int | None, ids: str | None, quiet: bool
):
    """Map the rows of DATA (a file, or - for CSV from standard input) with a saved MODEL; columns are
    matched by name.

    Columns that the model does not know are left out, whatever their order; a column that it needs
    must be there. Dimensions are named after the method: sda1, sda2.
    """
    from discrimap.tables.output import TableWriter, check_table_path
    from discrimap.tables.output_files import check_outputs

    check_table_path(out)
    check_outputs({"--out": out}, {"the model": model_path, "the data": data})
    if chunk is not None and chunk < 1:
        raise InputError(f"--chunk {chunk} must be at least 1 row.")

    from discrimap.models import load_model

    model = load_model(model_path)
    samples, batches = _open_rows(model, data, chunk, ids)
    n_filled = 0
    with TableWriter(out, model.component_names, samples.id_name) as table:
        for X in batches:
            n_filled += model.count_missing(X)
            try:
                table.write(model.transform(X, n_before=table.n_rows), samples.ids)
            except InputError as error:
                raise InputError(f"{data}: {error}") from error
    # The notices of a file that is read in chunks are complete only at the end.
    show_notices(samples.notices, quiet)
    if n_filled:
        filled = (
            f"{n_filled} missing values were filled in by the {model.impute} of the rows the "
            "model was fitted to."
        )
        show_notices([filled], quiet)
    click.echo(f"{table.n_rows} rows in {len(table.names)} dimensions: {out.resolve()}")


def _open_rows(model, data: str, chunk: int | None, ids: str | None) -> tuple[Any, Iterable]:
    """Return the object with the reader's notices and ids, and the rows as one array or in chunks."""
    from discrimap.tables.new_samples import FeatureBatches, read_features

    how: dict[str, Any] = {
        "columns": model.columns,
        "keep_missing": model.impute is not None,
        "ids": ids or model.id_name,
        "must_have_ids": ids is not None,
    }
    if chunk is None:
        samples = read_features(data, model.feature_names, **how)
        return samples, [samples.X]
    if not model.maps_rows_alone:
        raise InputError(
            f"{model.label} places points in groups, so --chunk does not apply to it; leave it out."
        )
    batches = FeatureBatches(data, model.feature_names, chunk, **how)
    return batches, batches
