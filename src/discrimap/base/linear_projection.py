"""Base class of the linear methods."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from discrimap._sklearn import CallbackSupportMixin
from discrimap._typing import Array, MappedSamples, MatrixLike
from discrimap.samples.new_samples import map_new_samples
from discrimap.samples.validation import FLOAT_TYPES


class LinearProjection(
    CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Base class of linear methods: ``transform(X) == (X - mean_) @ components_.T``.

    The ``fit`` of a subclass sets ``mean_`` (n_features,) and ``components_`` (n_components,
    n_features) in the dtype of X. A subclass sets ``_accepts_sparse`` if it supports sparse samples.
    """

    mean_: Array
    components_: Array

    _accepts_sparse = False
    _accepts_dask = False

    def transform(self, X: MatrixLike) -> MappedSamples:
        """Project samples onto the components, in O(n p d).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Coordinates in the map.
        """
        check_is_fitted(self)
        return map_new_samples(self, X, self._map, accept_sparse=self._accepts_sparse)

    def _map(self, X: Any) -> Any:
        # Not (X - mean_) @ ..., which would copy a dense X and fill in the zeros of a sparse X.
        return X @ self.components_.T - self.mean_ @ self.components_.T

    def inverse_transform(self, Z: ArrayLike) -> Array:
        """Map coordinates back to samples: of all that project to them, those nearest to the mean.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)
            Coordinates in the map.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            ``transform`` of these samples is Z if the components are linearly independent.
        """
        check_is_fitted(self)
        Z = check_array(Z, dtype=FLOAT_TYPES)
        if Z.shape[1] != len(self.components_):
            raise ValueError(
                f"Z has {Z.shape[1]} columns, but {type(self).__name__} was fitted with "
                f"{len(self.components_)} components; pass the output of transform."
            )
        # Components of outputs that sum to a constant are linearly dependent, up to rounding errors.
        smallest = 1e3 * max(self.components_.shape) * np.finfo(self.components_.dtype).eps
        samples: Array = Z @ linalg.pinv(self.components_.T, rtol=smallest) + self.mean_
        return samples

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = self._accepts_sparse
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
