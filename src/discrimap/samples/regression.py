"""Samples with classes or a continuous target, for supervised PCA."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discrimap.linalg.centring import centre
from discrimap.samples.on_dask.dask_input import is_dask
from discrimap.samples.response import (
    check_response_kernel,
    response_factor,
    validate_response,
)
from discrimap.samples.validation import resolve_target, validate_labelled

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from discrimap._typing import MatrixLike


def validate_regression(estimator: Any, X: MatrixLike, y: ArrayLike) -> Any:
    """Check X and a target of the type ``estimator.target``.

    Sets ``classes_`` for classes; otherwise removes it if an earlier fit has set it.

    Returns
    -------
    samples : ClassRegression, ArrayRegression or its counterpart on Dask
    """
    if is_dask(X) or is_dask(y):
        from discrimap.samples.on_dask.regression import validate_regression_on_dask

        return validate_regression_on_dask(estimator, X, y)
    if resolve_target(estimator.target, y) == "classes":
        samples = validate_labelled(estimator, X, y)
        estimator.classes_ = samples.classes
        return ClassRegression(samples)
    return ArrayRegression(*validate_response(estimator, X, y))


class ClassRegression:
    """Samples with classes, in memory or on Dask.

    Parameters
    ----------
    samples : Samples
        The samples.
    """

    def __init__(self, samples):
        self.samples = samples
        self.shape, self.dtype = samples.shape, samples.dtype

    def centred_with_factor(self, kernel, sigma, random_state):
        """See :meth:`ArrayRegression.centred_with_factor`; the factor is one-hot labels."""
        check_response_kernel(True, kernel, sigma)
        return self.samples.centred_with_codes()[:3]


class ArrayRegression:
    """Samples in memory with continuous targets.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples.
    response : Response
        The targets.
    """

    def __init__(self, X, response):
        self.X, self.response = X, response
        self.shape, self.dtype = X.shape, X.dtype

    def centred_with_factor(self, kernel, sigma, random_state):
        """Return rows with the same products as all centred samples and a factor of the target kernel.

        Parameters
        ----------
        kernel, sigma, random_state
            As in :func:`~discrimap.samples.response.response_factor`.

        Returns
        -------
        centred : ndarray of shape (n_rows, n_features), float64
            In memory, one row for each sample.
        factor : ndarray of shape (n_rows, rank)
        mean : ndarray of shape (n_features,)
        """
        factor = response_factor(self.response, kernel, sigma, random_state)
        centred, mean = centre(self.X)
        return centred, factor, mean
