"""``discrimap transform``: new rows through a saved model."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
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
