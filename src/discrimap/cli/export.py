"""``discrimap export``: convert a saved model to a format for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from discrimap.cli.options import traceback


@click.command()
@click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
@click.option(
    "--onnx",
    "onnx_path",
    type=click.Path(path_type=Path),
    required=True,
    help="Write the model here in the ONNX format, for instance model.onnx.",
)
@traceback
def export(model_path: Path, onnx_path: Path):
    """Write a saved linear MODEL in the ONNX format, for programs in any language.

    The ONNX model takes the features as double-precision numbers, in the order of its metadata
    'feature_names', and returns coordinates in the map.
    """
    from discrimap.tables.output_files import check_outputs, write_bytes

    check_outputs({"--onnx": onnx_path}, {"the model": model_path})

    from discrimap.models import load_model
    from discrimap.models.onnx_export import to_onnx

    model = load_model(model_path)
    write_bytes(onnx_path, to_onnx(model))
    click.echo(
        f"{model.label}: {len(model.feature_names)} features to {len(model.component_names)} "
        f"components: {onnx_path.resolve()}"
    )
