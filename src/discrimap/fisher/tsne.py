"""t-SNE of Fisher distances."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from discrimap._sklearn import Interval, StrOptions
from discrimap._typing import Array, MappedSamples, MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.base.iterative_fit import IterativeFit
from discrimap.costs import FISHER_LANDMARK_SAMPLES
from discrimap.fisher.bandwidth import usable_perplexity
from discrimap.fisher.embedding import (
    CALLBACK_EVERY,
    NEW_NEIGHBORS,
    NEW_PERPLEXITY,
    embed,
    joint_affinities,
    place,
)
from discrimap.fisher.first_positions import first_positions
from discrimap.fisher.known_samples import known_places
from discrimap.fisher.landmark_posterior import LandmarkPosterior
from discrimap.fisher.landmark_regression import LandmarkRegression
from discrimap.fisher.map_settings import EXACT, LANDMARKS
from discrimap.fisher.metric import FisherMetric
from discrimap.fisher.placing import PLACING_NEIGHBORS, place_among
from discrimap.fisher.sparse_reduction import fit_sparse_reduction
from discrimap.metrics import knn_error, knn_regression_error
from discrimap.optimisers.monitor import Step
from discrimap.optional import require
from discrimap.samples.validation import (
    FLOAT_TYPES,
    check_n_components,
    resolve_target,
    validate_continuous,
    validate_data,
    validate_labelled,
)

_EARLY_SHARE = 1 / 3  # of the iterations, with early exaggeration
_HELD_OUT_SHARE = 0.25


class FisherTSNE(IterativeFit, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """t-SNE of Fisher distances: a nonlinear map of the variation relevant for the classes.

    The distances of :class:`FisherMetric` replace Euclidean ones in t-SNE [1]_, as computed by
    openTSNE. New points, which need no labels, are placed into the map independently of each other.

    From 200 labelled vectors on, the metric is by default that of a :class:`LandmarkPosterior`,
    cross-fitted and with a Euclidean part. No distance of a sample then depends on its own label:
    training points have about the same error as held-out points, and if the labels cannot be
    predicted, the map is that of plain t-SNE. With m landmarks, C classes and k neighbours it costs
    ``O(n m (p + m) + 25 m^3)`` for the metric, a search for neighbours, O(n k C) for their lengths
    and O(n) for each iteration.

    Fewer vectors, similarities and distances are compared by the exact metric of Parzen windows, in
    ``O(n_steps n^2 m)`` with m centres and without an n x n array; an iteration then costs
    O(n log n). This metric is not cross-fitted, because that costs accuracy with few samples, so
    the map of the training points is optimistic. Use ``held_out_error_``, or pass
    ``metric=FisherMetric("likelihood", cross_fit=True)``.

    In ``transform``, a sample of the training set keeps its position.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map, 1 to 3.
    metric : FisherMetric or None, default=None
        The metric, cloned and fitted. None means, for at least 200 labelled vectors,
        ``FisherMetric(posterior=LandmarkPosterior(), cross_fit=True, regularisation="auto")``, with
        LandmarkRegression for a continuous target of any number of samples. Otherwise it means
        ``FisherMetric("likelihood")`` with this perplexity: that width predicts left-out labels
        best, so new points, which have no label of their own, are placed among training points of
        their class. With the perplexity width a small class may be kept together by the labels of
        its training points only, and its new points are placed elsewhere.
    kernel : {"euclidean", "precomputed", "precomputed_distance"} or None, default=None
        Type of X; None uses the kernel of the metric.
    target : {"auto", "classes", "continuous"}, default="auto"
        Type of y; "auto" means continuous if y holds numbers with a fractional part.
    perplexity : float or "auto", default="auto"
        Effective number of neighbours in the map; "auto" is 10 with a landmark metric, whose
        Euclidean part is a local one, and 30 otherwise. Above ``(n_samples - 1) / 3`` it is lowered to
        that, with a warning.
    init : {"posterior", "random"}, default="posterior"
        First positions: principal components of the square roots of the class posteriors (and of
        the Euclidean part of a landmark metric), which place similar classes next to each other, or
        noise.
    max_iter : int or "auto", default="auto"
        Iterations, the first third of them with early exaggeration; "auto" is 180 with a landmark
        metric (360 above 10,000 samples), whose attraction remains exaggerated by 1.5, and 750
        otherwise.
    n_jobs : int, default=1
        Threads of openTSNE. With more than one, two fits may end in different maps.
    random_state : int, RandomState instance or None, default=None
        For the first positions and for the metric, unless that has its own.
    verbose : int, default=0
        1 prints progress to stderr every fifty iterations, 2 every ten.
    callback : callable or None, default=None
        Called every ten iterations with a :class:`~discrimap.optimisers.Step`, whose gradient is
        not known; a true result stops the descent.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Positions of the training points.
    metric_ : FisherMetric
        The fitted metric.
    classes_ : ndarray of shape (n_classes,)
        The class labels; not with a continuous target.
    target_ : {"classes", "continuous"}
        Type of y.
    perplexity_ : float
        The perplexity used.
    objective_ : float
        Kullback-Leibler divergence of the map.
    loss_curve_ : list of float
        The divergence every ten iterations.
    n_iter_ : int
        Iterations done.
    held_out_error_ : float
        1-NN error of a stratified quarter of the labelled samples, placed by ``transform`` into a
        map of the others; for a continuous target the squared error of five neighbours' mean,
        relative to that of the mean. Computed at the first access, at the cost of another fit.

    References
    ----------
    .. [1] A. Schulz and B. Hammer, "Discriminative dimensionality reduction in kernel space",
       ESANN 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from discrimap import FisherTSNE
    >>> X, y = load_iris(return_X_y=True)
    >>> tsne = FisherTSNE(random_state=0).fit(X, y)
    >>> tsne.transform(X[:5] + 0.01).shape
    (5, 2)
    >>> tsne.held_out_error_ < 0.15
    True
    """

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "metric": [None, FisherMetric],
        "kernel": [None, StrOptions({"euclidean", "precomputed", "precomputed_distance"})],
        "target": [StrOptions({"auto", "classes", "continuous"})],
        "perplexity": [StrOptions({"auto"}), Interval(Real, 1, None, closed="neither")],
        "init": [StrOptions({"posterior", "random"})],
        "max_iter": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "callback": [None, callable],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: FisherMetric | None = None,
        kernel: Literal["euclidean", "precomputed", "precomputed_distance"] | None = None,
        target: Literal["auto", "classes", "continuous"] = "auto",
        perplexity: float | Literal["auto"] = "auto",
        init: Literal["posterior", "random"] = "posterior",
        max_iter: int | Literal["auto"] = "auto",
        n_jobs: int = 1,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: Callable[[Step], object] | None = None,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.kernel = kernel
        self.target = target
        self.perplexity = perplexity
        self.init = init
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Learn the metric and the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Training vectors, or their similarities or distances.
        y : array-like of shape (n_samples,)
            Class labels, -1 for samples without one (with text labels, the number -1 in an array of
            objects), or numbers, NaN for samples without one. Samples without a label take part in
            the map.

        Returns
        -------
        self : FisherTSNE
            The fitted estimator.
        """
        require("openTSNE", "FisherTSNE")
        check_n_components(self.n_components, 3, "the most that Barnes-Hut t-SNE takes")
        X, y, n_labelled = self._validate(X, y)
        random_state = check_random_state(self.random_state)
        self._reduction = fit_sparse_reduction(X, random_state)
        X = self._reduced(X)

        metric = self._make_metric(n_labelled)
        settings = LANDMARKS if metric._has_landmarks else EXACT
        self.perplexity_ = usable_perplexity(_or(self.perplexity, settings.perplexity), len(X))
        if self.metric is None and not metric._has_landmarks:
            metric.set_params(perplexity=self.perplexity_)
        if metric.random_state is None:
            metric.set_params(random_state=random_state.randint(np.iinfo(np.int32).max))
        self.metric_ = metric.fit(X, y)
        n_neighbors = int(np.clip(3 * self.perplexity_, 1, len(X) - 1))
        self._print(f"distances of {len(X)} points to their {n_neighbors} nearest")
        # Neighbours are not kept: they need as much memory as the affinities.
        near = self.metric_.kneighbors(n_neighbors=n_neighbors)
        affinities = joint_affinities(*near, perplexity=self.perplexity_, n_jobs=self.n_jobs)
        del near

        self.loss_curve_: list[float] = []
        max_iter = _or(self.max_iter, settings.iterations(len(X)))
        n_early = int(max_iter * _EARLY_SHARE)
        places = self.metric_._start_coordinates() if self.init == "posterior" else None
        start = first_positions(places, (len(X), self.n_components), random_state)
        positions, self.objective_, self.n_iter_ = embed(
            start,
            affinities,
            n_early=n_early,
            n_iter=max_iter - n_early,
            on_step=functools.partial(self._on_step, self._step_callback(verbose=0)),
            n_jobs=self.n_jobs,
            exaggeration=settings.exaggeration,
            on_grid_above=settings.on_grid_above,
        )

        self.embedding_ = positions.astype(X.dtype, copy=False)
        self._X = X
        self._held_out_error = None
        return self

    def _validate(self, X: Any, y: Any) -> Any:
        """Return samples, target for the metric, and the number of samples that have one."""
        self.target_ = resolve_target(self.target, y)
        accept_sparse = self._kernel == "euclidean"
        self._labels: Any = None
        self._values: Any = None
        if self.target_ == "continuous":
            X, self._values = validate_continuous(self, X, y, accept_sparse=accept_sparse)
            return X, self._values, np.count_nonzero(~np.isnan(self._values[:, 0]))
        samples = validate_labelled(self, X, y, accept_sparse=accept_sparse, unlabelled=True)
        self._labels, self.classes_ = samples.labels, samples.classes
        is_labelled = samples.labels >= 0
        known = self.classes_[np.maximum(samples.labels, 0)]
        if not is_labelled.all():
            is_number = known.dtype.kind in "if"
            known = known if is_number else known.astype(object)
            known[~is_labelled] = -1
        return samples.array, known, np.count_nonzero(is_labelled)

    def _reduced(self, X: Any) -> Any:
        return X if self._reduction is None else self._reduction.apply(X)

    @property
    def _kernel(self) -> Any:
        return self.kernel or (self.metric.kernel if self.metric is not None else "euclidean")

    def _make_metric(self, n_labelled: int) -> Any:
        is_continuous = self.target_ == "continuous"
        if self.metric is not None:
            metric = clone(self.metric)
        elif is_continuous or (
            self._kernel == "euclidean" and n_labelled >= FISHER_LANDMARK_SAMPLES
        ):
            model = LandmarkRegression() if is_continuous else LandmarkPosterior()
            metric = FisherMetric(posterior=model, cross_fit=True, regularisation="auto")
        else:
            metric = FisherMetric("likelihood")
        if is_continuous != metric._is_continuous:
            raise ValueError(
                f"the target is {self.target_}, but metric={metric!r} is not made for it; pass "
                "FisherMetric(posterior=LandmarkRegression()) for numbers only, or target=."
            )
        return metric.set_params(kernel=self._kernel)

    def _max_steps(self) -> Any:
        # The two phases may end within a step.
        return _or(self.max_iter, EXACT.max_iter) // CALLBACK_EVERY + 2

    def _on_step(self, callback: Any, n_iter: int, divergence: Any, positions: Array) -> Any:
        self.loss_curve_.append(divergence)
        if self.verbose > 1 or n_iter % 50 == 0:
            self._print(f"iteration {n_iter}, divergence {divergence:.6g}")
        if callback is None:
            return False
        return callback(Step(n_iter, divergence, np.nan, positions, n_iter))

    def _print(self, message: str) -> None:
        if self.verbose:
            print(f"FisherTSNE: {message}", file=sys.stderr)

    def fit_transform(self, X: MatrixLike, y: ArrayLike) -> MappedSamples:  # type: ignore[override]
        """Learn the map and return the positions of the training points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Training vectors, or their similarities or distances.
        y : array-like of shape (n_samples,)
            Class labels, -1 for samples without one (with text labels, the number -1 in an array of
            objects), or numbers, NaN for samples without one. Samples without a label take part in
            the map.

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
            ``embedding_``.
        """
        return self.fit(X, y).embedding_.copy()

    def transform(self, X: MatrixLike) -> MappedSamples:
        """Place samples into the map; no labels are needed.

        A sample that equals a training sample gets its position. The others are placed
        independently of each other: with a landmark metric where most of their neighbours in the
        metric are, beside the nearest one there; otherwise by openTSNE among their nearest training
        points.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features) or (n_new, n_samples)
            New vectors, or their similarities or distances to the training points.

        Returns
        -------
        embedding : ndarray of shape (n_new, n_components)
        """
        check_is_fitted(self)
        accept_sparse = "csr" if self._kernel == "euclidean" else False
        X = validate_data(self, X, dtype=FLOAT_TYPES, reset=False, accept_sparse=accept_sparse)
        if self._reduction is None and sparse.issparse(X):
            X = X.toarray()  # as dense as the training samples were
        elif self._reduction is not None:
            X = self._reduction.apply(sparse.csr_array(X))
        places = known_places(self._X, X)

        positions = self.embedding_[places].astype(X.dtype)
        new = places < 0
        if new.any():
            positions[new] = self._place(X[new])
        return positions

    def _place(self, X: Any) -> Any:
        positions = self.embedding_.astype(np.float64)
        if self.metric_._has_landmarks:
            n_neighbors = min(PLACING_NEIGHBORS, len(positions))
            near = self.metric_.kneighbors(X, n_neighbors=n_neighbors)
            return place_among(positions, *near, n_jobs=self.n_jobs)
        n_neighbors = min(NEW_NEIGHBORS, len(positions))
        distances, indices = self.metric_.kneighbors(X, n_neighbors=n_neighbors)
        perplexity = min(NEW_PERPLEXITY, n_neighbors / 3)
        return place(positions, distances, indices, perplexity, n_jobs=self.n_jobs)

    @property
    def held_out_error_(self) -> float:
        """1-NN error of held-out samples placed into a map of the others."""
        check_is_fitted(self)
        if self._held_out_error is None:
            self._held_out_error = self._measure_held_out_error()
        return self._held_out_error  # type: ignore[return-value]

    def _measure_held_out_error(self) -> Any:
        is_continuous = self.target_ == "continuous"
        target = self._values if is_continuous else self._labels
        known = np.flatnonzero(~np.isnan(target[:, 0]) if is_continuous else target >= 0)
        is_stratified = not is_continuous and np.bincount(target[known]).min() > 1
        n_least = 2 if is_continuous else len(self.classes_)
        _, test = train_test_split(
            known,
            test_size=max(_HELD_OUT_SHARE, n_least / len(known)),
            stratify=target[known] if is_stratified else None,
            random_state=check_random_state(self.random_state),
        )
        train = np.setdiff1d(np.arange(len(target)), test)
        columns = slice(None) if self.metric_.kernel == "euclidean" else train
        with warnings.catch_warnings():
            # The perplexity may be too large for three quarters of the samples.
            warnings.filterwarnings("ignore", "perplexity=", UserWarning)
            others = clone(self).set_params(callback=None, verbose=0, target=self.target_)
            others.fit(self._X[train][:, columns], target[train])
        placed = others.transform(self._X[test][:, columns])
        is_known = np.isin(train, known)
        seen, seen_target = others.embedding_[is_known], target[train][is_known]
        if is_continuous:
            return knn_regression_error(seen, seen_target, placed, target[test])
        return knn_error(seen, seen_target, placed, target[test], n_neighbors=1)

    @property
    def _n_features_out(self) -> int:
        n_components: int = self.embedding_.shape[1]
        return n_components

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.pairwise = self._kernel != "euclidean"
        tags.input_tags.sparse = self._kernel == "euclidean"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _or(value: Any, default: Any) -> Any:
    return default if isinstance(value, str) else value
