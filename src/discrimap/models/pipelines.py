"""Build the pipeline of a method: impute, standardise, map."""

from __future__ import annotations

import numpy as np


def make_method_pipeline(
    estimator, *, scale: bool, impute: str | None, is_sparse: bool, kernel: str | None = None
):
    """Return a pipeline that imputes and standardises the features before an estimator.

    All steps are fitted to the same rows as the estimator, so that medians, means and scales are
    computed from training rows only.

    Parameters
    ----------
    estimator : transformer
        The method, not fitted.
    scale : bool
        Whether to standardise the features.
    impute : {"median", "mean"} or None
        How to fill in missing values (NaN). With None they are kept, and the method raises an error.
    is_sparse : bool
        Whether X is sparse. A sparse matrix is scaled, but not centred, to keep its zeros.
    kernel : {"precomputed", "precomputed_distance"} or None
        Whether X holds similarities or distances between samples, which are neither imputed nor
        standardised. Distances are converted to similarities if the estimator does not accept them.

    Returns
    -------
    pipeline : Pipeline
    """
    from sklearn.pipeline import make_pipeline

    if kernel is not None:
        is_converted = kernel != getattr(estimator, "kernel", kernel)
        return make_pipeline(*(_distances_to_similarities() if is_converted else []), estimator)
    return make_pipeline(
        *preparing_steps(scale=scale, impute=impute, is_sparse=is_sparse), estimator
    )


def _distances_to_similarities() -> list:
    """Return the steps of Gower's formula ``-1/2 (I - 11'/n) D^2 (I - 11'/n)``.

    The means are computed from training rows.
    """
    from sklearn.preprocessing import FunctionTransformer, KernelCenterer

    return [FunctionTransformer(_negative_half_squares), KernelCenterer()]


def _negative_half_squares(distances):
    return -0.5 * np.asarray(distances, dtype=np.float64) ** 2


def preparing_steps(*, scale: bool, impute: str | None, is_sparse: bool) -> list:
    """Return the steps before the method, not fitted; see :func:`make_method_pipeline`."""
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import StandardScaler

    steps: list = []
    if impute is not None:
        # A feature that is missing in all training rows becomes constant instead of being removed.
        steps.append(SimpleImputer(strategy=impute, keep_empty_features=True))
    if scale:
        steps.append(StandardScaler(with_mean=not is_sparse))
    return steps
