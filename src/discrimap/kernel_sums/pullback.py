"""Functions of pair sums at projected samples, differentiated in the projection."""

from functools import singledispatch

from discrimap.linalg.products import project, pull_back


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
    evaluation = sums.evaluate(project(X, W))
    value, slopes = function(evaluation.totals)
    return value, pull_back(X, evaluation.gradient(slopes))
