"""Read samples and labels from a table or an archive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discrimap.errors import InputError
from discrimap.tables.anndata_tables import is_anndata, is_h5ad, read_anndata
from discrimap.tables.dataset import Dataset
from discrimap.tables.frames import NAME_OF_A_FRAME, frame_as_table, is_frame
from discrimap.tables.labelled_tables import TableOptions, dataset_from_table
from discrimap.tables.missing import check_impute
from discrimap.tables.npz_tables import read_npz
from discrimap.tables.pair_matrices import check_kernel
from discrimap.tables.sample_columns import take_from_extras
from discrimap.tables.shown_columns import resolve_pictures, take_shown_arrays
from discrimap.tables.table_files import read_frame
from discrimap.tables.targets import check_task, check_unlabelled
from discrimap.tables.text_files import NAME_OF_STANDARD_INPUT, STANDARD_INPUT


def read_table(
    path: Any,
    target: str | None = None,
    *,
    drop: Sequence[str] = (),
    impute: str | None = None,
    keep_missing: bool = False,
    unlabelled: str = "error",
    task: str | None = None,
    groups: str | None = None,
    order: str | None = None,
    ids: str | None = None,
    kernel: str | None = None,
    layer: str | None = None,
    text: str | None = None,
    image: str | None = None,
) -> Dataset:
    r"""Read samples and labels from a file or a data frame, which is never modified.

    Parameters
    ----------
    path : str, path, AnnData, or table of pandas, polars or Arrow
        A table with named columns in CSV, TSV, Parquet or Arrow (Feather 2) format, or a NumPy
        archive (NPZ) with X and y; the extension sets the format. Patterns in the name are not
        expanded. The string "-" means CSV from standard input. A data frame is treated as a file with
        the same columns. Of an AnnData object or file (.h5ad) the target is a column of ``obs``, the
        features are X or a layer, and the names of the samples are the ids.
    target : str, default=None
        The column with the classes, or with numbers; required for tables. In an archive, the array with
        the labels, by default "y". If the archive has arrays ``feature_names`` and ``target_names``,
        these are used as names; its other arrays are in ``extras``.
    drop : sequence of str, default=()
        Columns to leave out; not for archives.
    impute : {"median", "mean"} or None, default=None
        How to fill in missing numbers. The median or mean is computed from all rows, before any split,
        so that held-out rows have a small influence on training rows. Missing text becomes the most
        frequent category. With None, missing values raise an error.
    keep_missing : bool, default=False
        Keep missing numbers as NaN instead, for an imputer that is fitted on training rows only.
        Missing text is then 0 in the column of each category.
    unlabelled : {"error", "keep", "drop"}, default="error"
        What to do with rows whose target is missing. "keep" encodes classes as 0..C-1 with their names
        in ``target_names``, and -1 for rows without a class; a continuous target is NaN there. With
        "keep" and "drop", -1 among the integers of an archive means that the row has no label.
    task : {"auto", "classification", "regression"} or None, default=None
        The kind of target. Unless it is None, ``y`` holds floating-point numbers if and only if the
        target is continuous; "auto" decides by the values. None keeps the values unchanged.
    groups : str, default=None
        The column of groups, such as patients, to which several rows can belong. It becomes ``groups``
        of the data set and is not a feature. In an archive, the array.
    order : str, default=None
        The column of numbers or dates that orders the rows. It becomes ``order`` and is not a feature.
        In an archive, the array.
    ids : str, default=None
        The column that identifies the rows. It becomes ``ids`` and is not a feature. By default it is
        recognised by its name and by its values, which differ in every row; otherwise the index of a
        pandas data frame is used. In an archive, the array.
    kernel : {"precomputed", "precomputed_distance"} or None, default=None
        Set this if the file holds similarities or distances between the samples instead of features: in
        an archive an array S or D of shape (n_samples, n_samples), in a table one numeric column for
        each row.
    layer : str, default=None
        For AnnData, the matrix in ``layers`` or ``obsm`` to be used instead of X. With ``kernel``, the
        array of an archive that holds the matrix.
    text : str, default=None
        The column with text that the report shows with each point. It becomes ``texts`` and is not a
        feature. In an archive, the array.
    image : str, default=None
        The column with image paths, relative to the folder of the file. The report shows the image with
        each point. It becomes ``images`` and is not a feature. In an archive, an array of shape
        (n_samples, height, width), or X if there is an array ``image_shape``.

    Returns
    -------
    dataset : Dataset
        ``y`` holds the values of the target: text, integers or other numbers; true/false is 1/0.
        :func:`~.encoding.encode_features` describes how columns become features. ``notices`` lists
        what was converted or dropped, and what looks unusual.

    Raises
    ------
    InputError
        If the file or the table cannot be used; the message states the reason and a remedy.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from discrimap.datasets import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("legs,fur,pet\n4,long,cat\n2,none,bird\n4,none,cat\n")
    ...     pets = read_table(path, target="pet")
    >>> pets
    Dataset('pets', X 3 x 3 float64, y 3 <U4)
    >>> pets.feature_names
    ['legs', 'fur=long', 'fur=none']
    """
    check_impute(impute)
    check_unlabelled(unlabelled)
    check_task(task)
    check_kernel(kernel)
    if impute is not None and keep_missing:
        raise InputError(
            f"impute={impute!r} and keep_missing=True exclude each other; pass one of them."
        )
    if not (target is None or isinstance(target, str)):
        raise TypeError(f"target must be the name of a column, but is {type(target).__name__}.")
    options = TableOptions(
        target=target,
        drop=(drop,) if isinstance(drop, str) else tuple(drop),
        missing="keep" if keep_missing else impute,
        unlabelled=unlabelled,
        task=task,
        groups=groups,
        order=order,
        ids=ids,
        kernel=kernel,
        text=text,
        image=image,
    )
    if is_anndata(path) or is_h5ad(path):
        if kernel is not None:
            raise InputError(f"kernel={kernel!r} is for archives and tables, not for AnnData.")
        folder = Path() if is_anndata(path) else Path(path).parent
        return resolve_pictures(read_anndata(path, options, layer), image, folder)
    if layer is not None and kernel is None:
        raise InputError(
            f"layer={layer!r} is for .h5ad files, and for archives if kernel is given; leave it out here "
            "(--layer)."
        )
    if is_frame(path):
        dataset = dataset_from_table(NAME_OF_A_FRAME, "data", frame_as_table(path), options)
        return resolve_pictures(dataset, image, Path())
    if path == STANDARD_INPUT:
        dataset = dataset_from_table(NAME_OF_STANDARD_INPUT, "stdin", read_frame(path), options)
        return resolve_pictures(dataset, image, Path())
    path = Path(path)
    if path.suffix.lower() != ".npz":
        dataset = dataset_from_table(path, path.stem, read_frame(path), options)
        return resolve_pictures(dataset, image, path.parent)
    if options.drop:
        raise InputError(
            f"drop={list(drop)} needs named columns, but {path} is an archive; leave it out."
        )
    dataset = read_npz(
        path, "y" if target is None else target, options.missing, unlabelled, task, kernel, layer
    )
    dataset = take_shown_arrays(dataset, text=text, image=image)
    return take_from_extras(dataset, groups=groups, order=order, ids=ids)
