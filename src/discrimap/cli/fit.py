"""``discrimap fit``: one method on all rows, saved."""

from __future__ import annotations

from pathlib import Path

import click

from discrimap.cli.notices import show_notices


@click.command()
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
    show_notices(dataset, quiet)
    model = fit_model(dataset, method, n_components=components, scale=not no_scale, seed=seed)
    save_model(model_path, model)
    click.echo(
        f"{method.label}: {dataset.X.shape[0]} samples, {dataset.X.shape[1]} features, "
        f"{len(model.classes)} classes, {len(model.component_names)} components."
    )
    click.echo(f"Model: {model_path.resolve()}")
