"""Load the data sets that come with scikit-learn."""

from __future__ import annotations

import numpy as np

from discrimap.tables.dataset import Dataset


def load_builtin(name: str) -> Dataset:
    """Load iris, wine, digits or breast_cancer from scikit-learn, without network access.

    Parameters
    ----------
    name : str
        One of the four names.

    Returns
    -------
    dataset : Dataset
    """
    from sklearn import datasets  # slow to import, and not needed for the catalogue

    bunch = getattr(datasets, f"load_{name}")()
    extras = {"image_shape": np.array([8, 8])} if name == "digits" else {}
    return Dataset(
        name=name,
        X=bunch.data,
        y=bunch.target.astype(np.int64),
        feature_names=[str(feature) for feature in bunch.feature_names],
        target_names=[str(target) for target in bunch.target_names],
        extras=extras,
    )
