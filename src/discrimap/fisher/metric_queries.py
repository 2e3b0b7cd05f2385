"""Methods of a fitted Fisher metric: distances, neighbours, information and posteriors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from discrimap._typing import Array, MatrixLike
from discrimap.samples.validation import FLOAT_TYPES, validate_data

if TYPE_CHECKING:
    from discrimap.fisher.assembly import Assembly
    from discrimap.fisher.graph_path import GraphPaths
    from discrimap.fisher.near_pairs import NearPairs


class MetricQueries:
    """Methods of a fitted :class:`~discrimap.FisherMetric`, which has these attributes."""

    kernel: str
    path: str
    cross_fit: bool
    posterior_: Any
    _assembly: Assembly  # lengths of straight segments
    _lengths: Assembly | GraphPaths  # the same, or paths through neighbours
    _near: NearPairs | None  # candidates, with a landmark model
    _geometry: Any
    _plain: Any
    _is_continuous: Any
    _weighted: Callable[[Array], Array]

    def distances(self) -> Array:
        """Distances among the training points.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_samples)
            Symmetric, zero on the diagonal.
        """
        check_is_fitted(self)
        return self._lengths.among()

    def distances_to(self, X: MatrixLike) -> Array:
        """Distances from new points to the training points; no labels are needed.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features) or (n_new, n_samples)
            New vectors, or their similarities or distances to the training points.

        Returns
        -------
        distances : ndarray of shape (n_new, n_samples)
        """
        return self._lengths.to(self._new_points(X))

    def distances_among(self, X: MatrixLike) -> Array:
        """Straight distances among new or training points; no labels are needed.

        Unlike in :meth:`distances`, nothing is cross-fitted: every centre is used for every point.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features) or (n_points, n_samples)
            Vectors, or their similarities or distances to the training points.

        Returns
        -------
        distances : ndarray of shape (n_points, n_points)
        """
        return replace(self._assembly, points=self._new_points(X), folds=None).among()

    def kneighbors(self, X: MatrixLike | None = None, n_neighbors: int = 30) -> tuple[Array, Array]:
        """Nearest training points by Fisher distance, without an n x n array.

        Parameters
        ----------
        X : array-like or None, default=None
            New points as in :meth:`distances_to`; None means the training points, which are not
            their own neighbours.
        n_neighbors : int, default=30
            Number of neighbours.

        Returns
        -------
        distances : ndarray of shape (n_points, n_neighbors)
            Ascending in each row.
        indices : ndarray of shape (n_points, n_neighbors)
            Training points.
        """
        check_is_fitted(self)
        limit = len(self._assembly.points) - (X is None)
        if not 1 <= n_neighbors <= limit:
            raise ValueError(
                f"n_neighbors={n_neighbors} must lie between 1 and {limit}, the number of "
                "training points to choose from."
            )
        if self._near is not None and self.path == "straight":
            return self._nearest_of_candidates(X, n_neighbors)
        if X is None:
            return self._lengths.nearest_among(n_neighbors)
        return self._lengths.nearest_to(self._new_points(X), n_neighbors)

    def _nearest_of_candidates(self, X: Any, n_neighbors: int) -> tuple[Array, Array]:
        assert self._near is not None
        if X is None:
            return self._near.nearest_among(n_neighbors)
        points, model = self._new_points(X), self.posterior_
        if self.cross_fit:
            predictions = model._new_predictions(points)
        else:
            predictions = model._predictions_without(points)[:, None]
        plain = self._weighted(self._plain.coordinates(points))
        return self._near.nearest_to(predictions, plain, n_neighbors)

    def information(self, x: ArrayLike) -> Array:
        """Fisher information matrix J at points of a vector space.

        Parameters
        ----------
        x : array-like of shape (n_features,) or (n_points, n_features)
            A point, or several.

        Returns
        -------
        information : ndarray of shape (n_features, n_features) or (n_points, ...)
            Symmetric and positive semidefinite, of rank below the number of classes.
        """
        check_is_fitted(self)
        if self.kernel != "euclidean":
            raise ValueError(
                f"information needs feature vectors, but the metric was fitted with "
                f"kernel={self.kernel!r}; use distances instead."
            )
        is_single = np.ndim(x) == 1
        points = self._new_points(np.asarray(x)[None] if is_single else x)
        information = self._assembly.fields.information(points)
        return information[0] if is_single else information

    def posterior_at(self, X: MatrixLike | None = None) -> Array:
        """Class posteriors, in the order of ``classes_``.

        Parameters
        ----------
        X : array-like or None, default=None
            New points as in :meth:`distances_to`; None means the training points, cross-fitted if
            the metric is.

        Returns
        -------
        posterior : ndarray of shape (n_points, n_classes)
        """
        check_is_fitted(self)
        if self._is_continuous:
            raise ValueError(
                "posterior_at gives class posteriors, but the target is continuous; use "
                "posterior_.predict(X) for its mean."
            )
        if X is None:
            return self._assembly.posterior_among()
        return self._assembly.posterior_at(self._new_points(X))

    @property
    def negative_share_(self) -> float:
        """Sum of negative eigenvalues over the sum of absolute ones, before correction; O(n^3)."""
        check_is_fitted(self)
        return 0.0 if self.kernel == "euclidean" else self._geometry.negative_share()

    def _new_points(self, X: Any) -> Any:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOAT_TYPES, reset=False)
        return self._geometry.new(X).astype(self._assembly.points.dtype, copy=False)
