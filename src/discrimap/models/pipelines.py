"""The way from a table's columns to a method: fill in, standardise, map."""

from __future__ import annotations


def make_method_pipeline(estimator, *, scale: bool, impute: str | None, is_sparse: bool):
    """Put before an estimator what the command line does to the features.

    All of it is fitted on the rows that the estimator is fitted on: medians, means and scales are
    those of the training rows.

    Parameters
    ----------
    estimator : transformer
        The method, not fitted.
    scale : bool
        Standardise the features.
    impute : {"median", "mean"} or None
        How to fill in missing values (NaN); None passes them on, and the method refuses them.
    is_sparse : bool
        A sparse matrix keeps its zeros: it is scaled, not centred.

    Returns
    -------
    pipeline : Pipeline
    """
    from sklearn.pipeline import make_pipeline

    return make_pipeline(
        *preparing_steps(scale=scale, impute=impute, is_sparse=is_sparse), estimator
    )


def preparing_steps(*, scale: bool, impute: str | None, is_sparse: bool) -> list:
    """Return what comes before the method, not fitted; the arguments are those of the pipeline."""
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import StandardScaler

    steps: list = []
    if impute is not None:
        # A feature without any value in the training rows becomes a constant, not another shape.
        steps.append(SimpleImputer(strategy=impute, keep_empty_features=True))
    if scale:
        steps.append(StandardScaler(with_mean=not is_sparse))
    return steps
