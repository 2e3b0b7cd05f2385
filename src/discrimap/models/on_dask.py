"""Fit models to tables larger than memory, block by block on Dask."""

from __future__ import annotations

from discrimap.errors import InputError
from discrimap.models.model import Model
from discrimap.registry import METHODS, Method


def fit_collection(
    X,
    y,
    method: Method,
    *,
    n_components: int = 2,
    scale: bool = True,
    seed: int = 0,
    task: str = "auto",
    verbose=0,
) -> Model:
    """Fit one method to a Dask data frame or array.

    Parameters
    ----------
    X : dask dataframe or array of shape (n_samples, n_features)
        The samples.
    y : dask series or array of shape (n_samples,)
        Class labels, or numbers for methods that accept a continuous target.
    method : Method
        An entry of the registry that accepts Dask collections.
    n_components : int
        Number of dimensions of the map, for methods with this parameter.
    scale : bool
        Whether to standardise the features first; means and variances need one pass over the data.
    seed : int
        Seed of all random numbers; the same seed gives the same model.
    task : {"auto", "classification", "regression"}
        Type of the target; "auto" decides by its values.
    verbose : int
        Verbosity of the estimator: 1 prints every tenth iteration to stderr, 2 every iteration.

    Returns
    -------
    model : Model

    Raises
    ------
    InputError
        If the method does not run on Dask, or its fit fails.
    """
    from sklearn.pipeline import make_pipeline

    from discrimap.samples.on_dask.dask_input import samples_array
    from discrimap.samples.on_dask.scaling import fit_scaler, scale_lazily

    if not method.distributed:
        others = ", ".join(other.name for other in METHODS if other.distributed)
        raise InputError(
            f"{method.label} does not run on Dask, because it needs all samples in memory; choose one of "
            f"{others}."
        )
    if task == "regression" and not method.continuous:
        raise InputError(
            f"{method.label} needs class labels; leave out --task regression, or choose a method for "
            "continuous targets, such as spca."
        )
    continuous = None if task == "auto" else task == "regression"
    estimator = method.make(n_components, random_state=seed, continuous=continuous)
    if "verbose" in estimator.get_params():
        estimator.set_params(verbose=verbose)
    try:
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        X = samples_array(X)
        steps = [fit_scaler(X)] if scale else []
        estimator.fit(scale_lazily(X, steps[0]) if scale else X, y)
    except (TypeError, ValueError) as error:
        raise InputError(f"{method.label}: {error}") from error
    return Model(
        pipeline=make_pipeline(*steps, estimator),
        method=method.name,
        feature_names=names or [f"x{j}" for j in range(X.shape[1])],
        classes=[str(name) for name in getattr(estimator, "classes_", ())],
        n_fitted=X.shape[0],
    )
