"""``discrimap fit``: fit one method to all rows and save the model."""

from __future__ import annotations

from pathlib import Path

import click

from discrimap.cli import on_dask
from discrimap.cli.notices import show_notices
from discrimap.cli.options import (
    DaskOptions,
    DataOptions,
    FitOptions,
    dask_options,
    data_options,
    fit_options,
    quiet,
    traceback,
)
from discrimap.errors import InputError


@click.command()
@data_options
@click.option("--method", "method_name", required=True, help="'discrimap methods' lists them.")
@click.option(
    "--model",
    "model_path",
    type=click.Path(path_type=Path),
    required=True,
    help="Write the model here, for instance model.skops.",
)
@fit_options
@dask_options
@quiet
@traceback
def fit(
    source: DataOptions,
    method_name: str,
    model_path: Path,
    fitting: FitOptions,
    dask: DaskOptions,
    quiet: bool,
):
    """Fit one method to all of DATA (as in 'discrimap compare') and save it.

    With --impute the model stores the medians or means of these rows, and 'discrimap transform' fills
    missing values of new rows with them.
    """
    from discrimap.registry import get_method
    from discrimap.tables.output_files import check_outputs

    check_outputs({"--model": model_path}, {"the data": source.data})
    if ":" in method_name:
        raise InputError(
            f"--method {method_name}: your own estimators can be compared but not saved, because model "
            "files cannot contain code; fit it in Python."
        )
    method = get_method(method_name)
    if dask.dask_address is None:
        model = _fit_in_memory(source, method, fitting, quiet)
    else:
        source.check_for_dask()
        model = on_dask.fit_on_dask(source, method, fitting, dask, quiet)

    from discrimap.models import save_model

    save_model(model_path, model)
    _describe(model, model_path)


def _fit_in_memory(source: DataOptions, method, fitting: FitOptions, quiet: bool):
    from discrimap.models import fit_model

    dataset = source.load()
    show_notices(dataset.notices, quiet)
    return fit_model(
        dataset,
        method,
        n_components=fitting.components,
        scale=not fitting.no_scale,
        impute=source.impute,
        seed=fitting.seed,
    )


def _describe(model, model_path: Path) -> None:
    """Print a summary of the model and the path of its file."""
    target_words = f"{len(model.classes)} classes" if model.classes else "a continuous target"
    click.echo(
        f"{model.label}: {model.n_fitted} samples, {len(model.feature_names)} features, "
        f"{target_words}, {len(model.component_names)} components."
    )
    if model.impute is not None:
        click.echo(
            f"Missing values, also of new samples, are replaced by the {model.impute} of these samples."
        )
    click.echo(f"Model: {model_path.resolve()}")
