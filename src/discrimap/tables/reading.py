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
        archive (NPZ) with X and y; the ending of the name says which. The name is taken literally,
        without patterns. The string "-" is standard input, from which CSV is read. A data frame is
        treated as the file that holds it. Of an AnnData object or file (.h5ad) the target is a column
        of ``obs``, the features are X or a layer, and the names of the samples are the ids.
    target : str
        The column with the classes, or with numbers. In an archive, the array with the labels,
        "y" if not given; ``feature_names`` and ``target_names`` are used where the archive has
        them, and its further arrays are in ``extras``.
    drop : sequence of str
        Columns to leave out; not for archives.
    impute : {"median", "mean"} or None
        How to fill in missing numbers, from all rows (before any split, so that held-out rows have
        a small influence). Missing text becomes the most frequent category. None refuses missing
        values.
    keep_missing : bool
        Instead leave missing numbers as NaN, for an imputer that is fitted on training rows only;
        missing text is then 0 in the column of each category.
    unlabelled : {"error", "keep", "drop"}
        What to do with rows whose target is missing. "keep" codes classes 0..C-1 with their names
        in ``target_names``, so that -1 can mark the rows without one; numbers are NaN there. With
        "keep" and "drop", -1 among the whole numbers of an archive marks a row without a label.
    task : {"auto", "classification", "regression"} or None
        What the target is. With one of the first three, ``y`` holds floating-point numbers if and
        only if the target is continuous; "auto" judges by the values. None keeps the values.
    groups : str, optional
        The column that names what several rows belong to, such as a patient. It becomes ``groups`` of
        the data set and is no feature. In an archive, the array.
    order : str, optional
        The column of numbers or dates that orders the rows; it becomes ``order`` and is no feature.
    ids : str, optional
        The column that names the rows; it becomes ``ids`` and is no feature. By default it is
        recognised by its name and its values, which differ in every row, else it is the index of a
        pandas frame. In an archive, the array.
    kernel : {"precomputed", "precomputed_distance"} or None
        The file holds similarities or distances between the samples instead of features: in an archive
        an array S or D of shape (n_samples, n_samples), in a table one column of numbers for each row.
    layer : str, optional
        Of an AnnData, a matrix of ``layers`` or ``obsm`` instead of X. With kernel, the array of an
        archive that holds the matrix, if there are several.
    text : str, optional
        The column with text that the report shows with each point; it becomes ``texts`` and is no
        feature. In an archive, the array.
    image : str, optional
        The column with paths of pictures that the report shows with each point, from the folder of the
        file on; it becomes ``images`` and is no feature. In an archive, an array of shape
        (n_samples, height, width), or X with an array ``image_shape``.

    Returns
    -------
    dataset : Dataset
        ``y`` holds the target's values: text, whole numbers, or other numbers; true/false is 1/0.
        How columns become features is described in :func:`~.encoding.encode_features`; all that
        was changed or looks odd is in ``notices``.

    Raises
    ------
    InputError
        If the file or the table cannot be used; the message says why and what to do.

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
        raise InputError(f"impute={impute!r} leaves no missing values to keep; pass one of both.")
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
        if text is not None or image is not None:
            raise InputError("--text and --image are for tables and archives, not for AnnData.")
        return read_anndata(path, options, layer)
    if layer is not None and kernel is None:
        raise InputError(
            f"layer={layer!r} names a matrix of an .h5ad file, or with kernel that of an archive; leave it out "
            "here (--layer)."
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
        raise InputError(f"drop={list(drop)} needs named columns, which {path} has not.")
    dataset = read_npz(
        path, "y" if target is None else target, options.missing, unlabelled, task, kernel, layer
    )
    dataset = take_shown_arrays(dataset, text=text, image=image)
    return take_from_extras(dataset, groups=groups, order=order, ids=ids)
