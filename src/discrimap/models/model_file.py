"""Save and load models; loading a file cannot run code.

A model file is a zip archive with one JSON document and arrays (:mod:`discrimap.models.archive`). It
contains the name of the method in the registry, parameters and fitted arrays, but no name of a module
or class. Only the classes listed in :mod:`discrimap.models.attributes` can be built from it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from discrimap._version import __version__
from discrimap.errors import InputError
from discrimap.models.archive import DamagedError, member_names, pack, unpack
from discrimap.models.attributes import IMPUTER, SCALER, method_class, method_part
from discrimap.models.fields import Reader, Writer
from discrimap.models.model import Model
from discrimap.models.parts import load_step, save_step
from discrimap.registry import Method, get_method
from discrimap.tables.output_files import write_bytes

FORMAT = "discrimap model 4"
PREPARING = {"imputer": IMPUTER, "scaler": SCALER}
# Keys of the description of a column, by its kind.
_NUMBERS = {"name", "kind", "decimal", "group", "unit"}
COLUMN_OF_KIND = {"number": _NUMBERS, "truth": _NUMBERS, "text": {"name", "kind", "categories"}}


def save_model(path: str | os.PathLike[str], model: Model) -> None:
    """Save a model; the file is written completely or not at all.

    Parameters
    ----------
    path : str or path
        The file, by convention ``*.skops``.
    model : Model
        A model of a method of the registry, with parameters that are numbers, text or arrays.

    Raises
    ------
    InputError
        If the pipeline has other steps than an imputer, a scaler and the method, or a parameter that
        could run code, such as a callable or another estimator.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from discrimap.datasets import load
    >>> from discrimap.models import fit_model, load_model, save_model
    >>> wine = load("wine")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(Path(folder) / "wine.skops", fit_model(wine, "lda"))
    ...     model = load_model(Path(folder) / "wine.skops")
    >>> model.transform(wine.X).shape
    (178, 2)
    """
    method = get_method(model.method)
    writer = Writer()
    *before, estimator = _steps(model, method)
    document = {
        "format": FORMAT,
        "method": method.name,
        "feature_names": model.feature_names,
        "classes": model.classes,
        "n_fitted": int(model.n_fitted),
        "impute": model.impute,
        "versions": model.versions,
        "columns": model.columns,
        "id_name": model.id_name,
        **{
            name: None if step is None else save_step(name, step, PREPARING[name], writer)
            for name, step in zip(PREPARING, before, strict=True)
        },
        "estimator": save_step("estimator", estimator, method_part(method), writer),
    }
    write_bytes(Path(path), pack(document, writer.arrays))


def load_model(path: str | os.PathLike[str]) -> Model:
    """Load a model; nothing in the file can run code.

    Parameters
    ----------
    path : str or path
        A file that :func:`save_model` wrote.

    Returns
    -------
    model : Model

    Raises
    ------
    InputError
        If the file does not exist, is not a model, or is damaged.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from discrimap.datasets import load
    >>> from discrimap.models import fit_model, load_model, save_model
    >>> wine = load("wine")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(Path(folder) / "wine.skops", fit_model(wine, "lda"))
    ...     model = load_model(Path(folder) / "wine.skops")
    >>> model.transform(wine.X).shape
    (178, 2)
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a model file, which 'discrimap fit' writes.")
    if not path.is_file():
        raise InputError(f"the model file {path} does not exist; 'discrimap fit' writes one.")
    if not path.stat().st_size:
        raise InputError(f"{path} is empty (0 bytes), so not a model; 'discrimap fit' writes one.")
    if "schema.json" in member_names(path):
        raise InputError(
            f"{path} is a skops file of discrimap 0.1.0, which is not opened, because such files can "
            "run code; fit the model again with 'discrimap fit'."
        )
    try:
        return _read_model(*unpack(path))
    except DamagedError as error:
        raise InputError(
            f"{path} is not a model file of discrimap, or is damaged ({error}); write it again with "
            "'discrimap fit'."
        ) from error


def _steps(model: Model, method: Method) -> tuple[Any, Any, Any]:
    """Return the imputer and the scaler, each of which may be None, and the estimator."""
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    steps = (
        [step for _, step in model.pipeline.steps]
        if isinstance(model.pipeline, Pipeline)
        else [model.pipeline]
    )
    found: list[Any] = [None, None]
    for k, kind in enumerate((SimpleImputer, StandardScaler)):
        if type(steps[0]) is kind:
            found[k] = steps.pop(0)
    if [type(step) for step in steps] != [method_class(method)]:
        names = ", ".join(type(step).__name__ for step in steps)
        raise InputError(
            f"the model cannot be saved: the pipeline of the method {method.name!r} must be an imputer and "
            f"a scaler, both optional, and a {method.class_name}, but has the steps {names}."
        )
    return found[0], found[1], steps[0]


def _read_model(document: dict[str, Any], arrays: dict[str, np.ndarray]) -> Model:
    _check_format(document)
    names = _texts("feature_names", document["feature_names"])
    if not names:
        raise DamagedError("feature_names is empty")
    n_fitted, versions = document["n_fitted"], document["versions"]
    if isinstance(n_fitted, bool) or not isinstance(n_fitted, int) or n_fitted < 0:
        raise DamagedError("n_fitted must be a whole number")
    if not isinstance(versions, dict):
        raise DamagedError("versions must be an object of texts")
    _texts("versions", list(versions.values()))
    if document["id_name"] is not None:
        _texts("id_name", [document["id_name"]])
    method = _method(document["method"])
    return Model(
        pipeline=_read_pipeline(document, method, Reader(arrays, {"features": len(names)})),
        method=method.name,
        feature_names=names,
        classes=_texts("classes", document["classes"]),
        n_fitted=n_fitted,
        impute=document["impute"],
        versions=versions,
        columns=[_column(number, one) for number, one in enumerate(_list(document["columns"]))],
        id_name=document["id_name"],
    )


def _check_format(document: dict[str, Any]) -> None:
    """Raise an error for another format, and for missing or unknown keys of the document."""
    found = document.get("format")
    if found != FORMAT:
        is_newer = isinstance(found, str) and found.startswith(FORMAT.rstrip("0123456789"))
        raise DamagedError(
            f"it has the format {found!r}, which this version, {__version__}, cannot read"
            if is_newer
            else "it has no format"
        )
    expected = {"format", *Model.__dataclass_fields__, *PREPARING, "estimator"} - {"pipeline"}
    if set(document) != expected:
        name = min(set(document) ^ expected)
        raise DamagedError(f"{name!r} is {'unknown' if name in document else 'missing'}")


def _read_pipeline(document: dict[str, Any], method: Method, reader: Reader) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    steps = [
        load_step(name, make, document[name], PREPARING[name], reader)
        for name, make in zip(PREPARING, (SimpleImputer, StandardScaler), strict=True)
        if document[name] is not None
    ]
    impute = document["impute"]
    strategy = steps[0].strategy if document["imputer"] is not None else None
    if impute != strategy or strategy not in (None, "median", "mean"):
        raise DamagedError(f"impute is {impute!r}, but the imputer uses {strategy!r}")
    estimator = load_step(
        "estimator", method_class(method), document["estimator"], method_part(method), reader
    )
    return make_pipeline(*steps, estimator)


def _method(name: Any) -> Method:
    if not isinstance(name, str):
        raise DamagedError("method must be a name")
    try:
        return get_method(name)
    except InputError as error:
        raise DamagedError(str(error)) from error


def _list(content: Any) -> list[Any]:
    if not isinstance(content, list):
        raise DamagedError("columns must be a list")
    return content


def _column(number: int, content: Any) -> dict[str, Any]:
    """Check the description of a column; see :class:`~discrimap.datasets.Dataset`."""
    where = f"columns[{number}]"
    if not isinstance(content, dict) or not isinstance(content.get("kind"), str):
        raise DamagedError(f"{where} must have a valid kind")
    expected = COLUMN_OF_KIND.get(content["kind"])
    if expected is None or set(content) != expected:
        raise DamagedError(f"{where} is not a valid description of a column")
    texts = [value for key, value in content.items() if key != "categories"]
    _texts(where, texts + _list(content.get("categories", [])))
    return content


def _texts(where: str, content: Any) -> list[str]:
    if not isinstance(content, list) or not all(isinstance(text, str) for text in content):
        raise DamagedError(f"{where} must be a list of texts")
    return content
