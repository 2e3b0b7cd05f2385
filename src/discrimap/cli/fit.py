"""``discrimap fit``: one method on all rows, saved."""

from __future__ import annotations

from pathlib import Path

import click

from discrimap.cli import on_dask, options
from discrimap.cli.notices import show_notices
from discrimap.errors import InputError


@click.command()
@click.argument("data")
@options.target
@options.task
@click.option("--method", "method_name", required=True, help="'discrimap methods' lists them.")
@click.option(
    "--model",
    "model_path",
    type=click.Path(path_type=Path),
    required=True,
    help="Write the model here, for instance model.skops.",
)
@options.components
@options.seed
@options.no_scale
@options.impute
@on_dask.option
@on_dask.workers
@on_dask.memory
@click.option("--quiet", is_flag=True, help="No notices.")
@options.traceback
def fit(
    data,
    target,
    task,
    method_name,
    model_path,
    components,
    seed,
    no_scale,
    impute,
    dask_address,
    workers,
    memory,
    quiet,
    traceback,
):
    """Fit one method to all of DATA (as in 'discrimap compare') and save it.

    With --impute the model keeps the medians or means of its rows, and 'discrimap transform' fills
    missing values of other rows with them.
    """
    from discrimap.registry import get_method
    from discrimap.tables.output_files import check_outputs

    check_outputs({"--model": model_path}, {"the data": data})
    method = get_method(method_name)

    if dask_address is not None:
        if impute is not None:
            raise InputError("--impute does not go with --dask: fill in missing values first.")
        from discrimap.models import save_model

        model = on_dask.fit_on_dask(
            data,
            target,
            method,
            components=components,
            seed=seed,
            scale=not no_scale,
            address=dask_address,
            workers=workers,
            memory=memory,
            quiet=quiet,
        )
        return _report(method, model, model_path, save_model)

    from discrimap.datasets import open_source
    from discrimap.models import fit_model, save_model

    dataset = open_source(
        data, target=target, keep_missing=impute is not None, unlabelled="keep", task=task
    )
    show_notices(dataset, quiet)
    model = fit_model(
        dataset, method, n_components=components, scale=not no_scale, impute=impute, seed=seed
    )
    return _report(method, model, model_path, save_model)


def _report(method, model, model_path, save_model):
    save_model(model_path, model)
    target_words = f"{len(model.classes)} classes" if model.classes else "a continuous target"
    click.echo(
        f"{method.label}: {model.n_fitted} samples, {len(model.feature_names)} features, "
        f"{target_words}, {len(model.component_names)} components."
    )
    if model.impute is not None:
        click.echo(
            f"Missing values are filled in by the {model.impute} of these samples, here and later."
        )
    click.echo(f"Model: {model_path.resolve()}")
