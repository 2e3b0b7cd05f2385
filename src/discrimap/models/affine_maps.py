"""Combine the pipeline of a linear method into one matrix and one offset."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class AffineMap:
    """The map ``X @ matrix + offset``, after NaN in X has been replaced by ``fill``."""

    matrix: np.ndarray  # (n_features, n_components)
    offset: np.ndarray  # (n_components,)
    fill: np.ndarray | None  # (n_features,), or None if NaN is not allowed

    def __call__(self, X):
        filled = X if self.fill is None else np.where(np.isnan(X), self.fill, X)
        return filled @ self.matrix + self.offset


def affine_map(pipeline) -> AffineMap:
    """Combine the steps of a fitted pipeline into one affine map.

    Parameters
    ----------
    pipeline : Pipeline
        A fitted pipeline of an imputer, a scaler (both optional) and a linear method.

    Returns
    -------
    affine : AffineMap

    Raises
    ------
    TypeError
        If a step is not linear; the message names it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from discrimap.models.affine_maps import affine_map
    >>> X = load_iris().data
    >>> pipeline = make_pipeline(StandardScaler(), PCA(2)).fit(X)
    >>> np.allclose(affine_map(pipeline)(X), pipeline.transform(X))
    True
    """
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import StandardScaler

    fill, centre, scale = None, 0.0, 1.0
    for _, step in pipeline.steps[:-1]:
        if isinstance(step, SimpleImputer):
            fill = np.asarray(step.statistics_, dtype=np.float64)
        elif isinstance(step, StandardScaler):
            centre = 0.0 if step.mean_ is None else step.mean_
            scale = step.scale_
        else:
            raise TypeError(f"{type(step).__name__} is not an affine step.")
    components, mean = _linear_part(pipeline.steps[-1][1])
    matrix = (components / scale).T
    return AffineMap(
        matrix, -components @ mean - np.broadcast_to(centre, len(matrix)) @ matrix, fill
    )


def _linear_part(estimator) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(components, mean)`` such that ``transform(X) == (X - mean) @ components.T``."""
    from sklearn.cross_decomposition import PLSRegression
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    from discrimap.base.linear_projection import LinearProjection

    if isinstance(estimator, (LinearProjection, PCA)):
        components, mean = estimator.components_, estimator.mean_
    elif isinstance(estimator, LinearDiscriminantAnalysis):
        components, mean = estimator.scalings_.T[: estimator._max_components], estimator.xbar_
    elif isinstance(estimator, PLSRegression):
        components, mean = estimator.x_rotations_.T, estimator._x_mean
    else:
        raise TypeError(f"{type(estimator).__name__} is not a linear method.")
    return np.asarray(components, dtype=np.float64), np.asarray(mean, dtype=np.float64)
