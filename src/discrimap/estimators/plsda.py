"""Partial least squares on one-hot labels."""

from numbers import Integral, Real

import numpy as np
from sklearn.cross_decomposition import PLSRegression

from discrimap._sklearn import Interval, fit_context
from discrimap.estimators.base import LinearProjection, check_n_components, validate_labelled


class PLSDA(LinearProjection):
    """Partial least squares discriminant analysis: directions of most covariance with the classes.

    scikit-learn's :class:`~sklearn.cross_decomposition.PLSRegression` on one-hot labels, without
    its scaling of the variables. Costs O(n p C) per component and inner iteration.

    Parameters
    ----------
    n_components : int, default=2
        Number of components, at most ``min(n_samples, n_features)``.
    max_iter : int, default=500
        Limit of the inner power iterations of one component.
    tol : float, default=1e-6
        Squared change of the weights at which an inner iteration stops.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The x-rotations.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Most inner iterations that one component took.

    References
    ----------
    .. [1] M. Barker and W. Rayens, "Partial least squares for discrimination", Journal of
       Chemometrics 17 (2003), 166-173.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from discrimap import PLSDA
    >>> X, y = load_wine(return_X_y=True)
    >>> PLSDA(n_components=2).fit_transform(scale(X), y).shape
    (178, 2)
    """

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, n_components=2, *, max_iter=500, tol=1e-6):
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Find the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : PLSDA
            The fitted estimator.
        """
        X, labels, self.classes_ = validate_labelled(self, X, y)
        check_n_components(self.n_components, X.shape[1])
        check_n_components(self.n_components, X.shape[0], "n_samples")
        onehot = np.eye(len(self.classes_), dtype=X.dtype)[labels]

        pls = PLSRegression(
            self.n_components, scale=False, max_iter=self.max_iter, tol=self.tol, copy=True
        ).fit(X, onehot)

        self.mean_ = X.mean(axis=0)
        self.components_ = np.ascontiguousarray(pls.x_rotations_.T, dtype=X.dtype)
        self.n_iter_ = max(pls.n_iter_)
        return self
