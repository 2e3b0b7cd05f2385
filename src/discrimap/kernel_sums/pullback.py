"""Functions of pair sums at projected samples, differentiated in the projection."""

from functools import singledispatch

import numpy as np


@singledispatch
def value_and_pullback(sums, X, W, function):
    """Value of a function of the totals at the points ``X W``, and its gradient in W.

    Parameters
    ----------
    sums : engine
        Of :func:`~discrimap.kernel_sums.make_engine`.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The samples; products are taken in their type.
    W : ndarray of shape (n_features, n_components)
        The projection.
    function : callable
        Of the totals (n_terms,); returns a value and its derivatives in the totals. It may be
        called on other machines, so it must be something that can be sent there.

    Returns
    -------
    value : float
    gradient : ndarray of shape (n_features, n_components)
        In float64.
    """
    # W follows X in type: the other way round, X would be copied in float64.
    evaluation = sums.evaluate(X @ W.astype(X.dtype, copy=False))
    value, slopes = function(evaluation.totals)
    gradient = evaluation.gradient(slopes).astype(X.dtype, copy=False)
    return value, np.asarray(X.T @ gradient, dtype=np.float64)
