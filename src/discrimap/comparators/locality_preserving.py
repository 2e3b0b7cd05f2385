"""Locality preserving projections."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, Self

import numpy as np

from discrimap._sklearn import Interval, StrOptions
from discrimap._typing import MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.base.graph_based import (
    GRAPH_CONSTRAINTS,
    NOT_NEGATIVE,
    build_graph,
    mean_of_rows,
    total_variance,
)
from discrimap.base.linear_projection import LinearProjection
from discrimap.linalg.centring import without_offset
from discrimap.linalg.eigenpairs import dense_eigenpairs
from discrimap.linalg.graphs import degrees, laplacian
from discrimap.linalg.reductions import reduce_features
from discrimap.linalg.sample_forms import diagonal_form, pairs_form
from discrimap.linalg.signs import sign_of_columns
from discrimap.samples.in_memory import value_range
from discrimap.samples.validation import (
    FLOAT_TYPES,
    check_n_components,
    check_scale,
    validate_data,
)


class LocalityPreservingProjections(LinearProjection):
    """Unsupervised linear map that keeps neighbours together.

    Minimises ``a'X'LXa`` subject to ``a'X'DXa = 1`` about the D-weighted mean, where L is the Laplacian
    and D the degrees of a neighbour graph [1]_: linear Laplacian eigenmaps. A ridge penalty on a makes
    the problem well posed with more features than samples. Costs at most O(n^2 p) for the graph and
    O(n p^2 + p^3) for the solution; with more features than samples, O(n^2 p + n^3) for the solution.

    Parameters
    ----------
    n_components : int, default=2
        Number of components, at most n_features.
    ridge : float, default=1e-3
        Weight of ``|a|^2``, which is added to ``a'X'LXa``, in units of the sum of the weights times
        the total variance of X.
    solver : {"auto", "dense", "svd"}, default="auto"
        "dense" solves exactly, "svd" reduces X to its leading 300 singular directions first (or 3
        per component, if more). "auto" is "svd" for sparse X with more features than samples,
        otherwise "dense".
    n_neighbors : int or "auto", default="auto"
        Number of neighbours of each sample in the graph; "auto" is 10, or n_samples - 1 if smaller.
    connect : {"union", "mutual"}, default="union"
        Join two samples if either is a neighbour of the other, or only if both are.
    width : float or "median", default="median"
        Width of the weights ``exp(-(distance / width)^2)``; "median" is the median distance of
        neighbours.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distance for the graph; "cosine" for text.
    random_state : int, RandomState or None, default=None
        Seed of the neighbour search above 20,000 samples, and of the randomised SVD.
    n_jobs : int or None, default=None
        Number of threads of the neighbour search.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions, the smoothest along the graph first.
    eigenvalues_ : ndarray of shape (n_components,)
        ``a'(X'LX + ridge)a / a'X'DXa`` of each direction.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.

    References
    ----------
    .. [1] X. He and P. Niyogi, "Locality preserving projections", NIPS 16 (2003).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from discrimap import LocalityPreservingProjections
    >>> X, _ = load_iris(return_X_y=True)
    >>> LocalityPreservingProjections(n_components=2).fit_transform(X).shape
    (150, 2)
    """

    _accepts_sparse = True

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "ridge": [NOT_NEGATIVE],
        "solver": [StrOptions({"auto", "dense", "svd"})],
        **GRAPH_CONSTRAINTS,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        ridge: float = 1e-3,
        solver: Literal["auto", "dense", "svd"] = "auto",
        n_neighbors: int | Literal["auto"] = "auto",
        connect: Literal["union", "mutual"] = "union",
        width: float | Literal["median"] = "median",
        metric: Literal["euclidean", "cosine"] = "euclidean",
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.solver = solver
        self.n_neighbors = n_neighbors
        self.connect = connect
        self.width = width
        self.metric = metric
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Find the components.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : object, default=None
            Ignored; present for API consistency.

        Returns
        -------
        self : LocalityPreservingProjections
            The fitted estimator.
        """
        X = validate_data(self, X, dtype=FLOAT_TYPES, accept_sparse="csr", ensure_min_samples=2)
        check_scale(value_range(X), X.dtype)
        check_n_components(self.n_components, X.shape[1])

        weights, samples = build_graph(self, X), without_offset(X)[0]
        ridge = self.ridge * weights.sum() * total_variance(samples)
        reduction = reduce_features(samples, self.solver, self.n_components, self.random_state)
        coordinates = reduction.coordinates
        scatter = diagonal_form(degrees(weights)).matrix(coordinates)
        roughness = pairs_form(laplacian(weights)).matrix(coordinates)

        ratios, vectors = dense_eigenpairs(
            scatter, roughness + ridge * np.eye(len(roughness)), self.n_components
        )
        # Along directions without variance the ratio is 0 up to rounding errors.
        rank = np.sum(ratios > 1e-11 * ratios.max(initial=0.0))
        check_n_components(self.n_components, rank, "the rank of X")

        # Rescale from a'(X'LX + ridge)a = 1 to a'X'DXa = 1.
        directions = reduction.lift(vectors / np.sqrt(ratios))
        directions *= sign_of_columns(directions)
        self.components_ = np.ascontiguousarray(directions.T, dtype=X.dtype)
        self.eigenvalues_ = 1.0 / ratios
        self.mean_ = mean_of_rows(X, slice(None))
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags
