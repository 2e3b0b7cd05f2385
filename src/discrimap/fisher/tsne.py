"""t-SNE of Fisher distances."""

import functools
import sys
import warnings
from numbers import Integral, Real

import numpy as np
from scipy import linalg
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
from discrimap.base.fit_context import fit_context
from discrimap.base.iterative_fit import IterativeFit
from discrimap.fisher.bandwidth import usable_perplexity
from discrimap.fisher.embedding import (
    CALLBACK_EVERY,
    NEW_NEIGHBORS,
    NEW_PERPLEXITY,
    embed,
    place,
)
from discrimap.fisher.metric import FisherMetric
from discrimap.linalg.signs import sign_of_columns
from discrimap.metrics import knn_error
from discrimap.optimisers.monitor import Step
from discrimap.optional import require
from discrimap.samples.validation import (
    FLOAT_TYPES,
    check_n_components,
    validate_data,
    validate_labelled,
)

_EARLY_SHARE = 1 / 3  # of the iterations, with early exaggeration
_START_SPREAD = 1e-4
_START_DECIMALS = 4  # of positions of unit spread
_HELD_OUT_SHARE = 0.25


class FisherTSNE(IterativeFit, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """t-SNE of Fisher distances: a nonlinear map of the variation relevant for the classes.

    The distances of :class:`FisherMetric` replace Euclidean ones in t-SNE [1]_, as computed by
    openTSNE. New points, which need no labels, are placed into the map one by one. Finding
    neighbours costs ``O(n_steps n^2 m)`` with m centres and never stores n x n numbers; an
    iteration then costs O(n log n).

    The map of the training points is optimistic, because the distances depend on each point's own
    label. ``held_out_error_`` is not affected; with ``FisherMetric(cross_fit=True)`` neither is the
    map of the training points.

    In ``transform``, a sample of the training set keeps its position.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map, 1 to 3.
    metric : FisherMetric or None, default=None
        The metric, cloned and fitted; None means ``FisherMetric("likelihood")`` with this
        perplexity. That width predicts left-out labels best, so new points, which have no label of
        their own, are placed among training points of their class. With the perplexity width a
        small class may be kept together by the labels of its training points only, and its new
        points are placed elsewhere.
    kernel : {"euclidean", "precomputed", "precomputed_distance"} or None, default=None
        Type of X; None uses the kernel of the metric.
    perplexity : float, default=30
        Effective number of neighbours in the map. Above ``(n_samples - 1) / 3`` it is lowered to
        that, with a warning.
    init : {"posterior", "random"}, default="posterior"
        First positions: principal components of the square roots of the class posteriors, which
        place similar classes next to each other, or noise.
    max_iter : int, default=750
        Iterations, the first third of them with early exaggeration.
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
        The class labels.
    perplexity_ : float
        The perplexity used.
    objective_ : float
        Kullback-Leibler divergence of the map.
    loss_curve_ : list of float
        The divergence every ten iterations.
    n_iter_ : int
        Iterations done.
    held_out_error_ : float
        1-NN error of a stratified quarter of the samples, placed by ``transform`` into a map of the
        others. Computed at the first access, at the cost of another fit.

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

    _compares_all_samples = True

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "metric": [None, FisherMetric],
        "kernel": [None, StrOptions({"euclidean", "precomputed", "precomputed_distance"})],
        "perplexity": [Interval(Real, 1, None, closed="neither")],
        "init": [StrOptions({"posterior", "random"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "callback": [None, callable],
    }

    def __init__(
        self,
        n_components=2,
        *,
        metric=None,
        kernel=None,
        perplexity=30,
        init="posterior",
        max_iter=750,
        n_jobs=1,
        random_state=None,
        verbose=0,
        callback=None,
    ):
        self.n_components = n_components
        self.metric = metric
        self.kernel = kernel
        self.perplexity = perplexity
        self.init = init
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn the metric and the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Training vectors, or their similarities or distances.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : FisherTSNE
            The fitted estimator.
        """
        require("openTSNE", "FisherTSNE")
        check_n_components(self.n_components, 3, "the most that Barnes-Hut t-SNE takes")
        samples = validate_labelled(self, X, y)
        X, labels, self.classes_ = samples.array, samples.labels, samples.classes
        random_state = check_random_state(self.random_state)
        self.perplexity_ = usable_perplexity(self.perplexity, len(X))

        self.metric_ = self._make_metric(random_state).fit(X, self.classes_[labels])
        n_neighbors = int(np.clip(3 * self.perplexity_, 1, len(X) - 1))
        self._print(f"distances of {len(X)} points to their {n_neighbors} nearest")
        distances, indices = self.metric_.kneighbors(n_neighbors=n_neighbors)

        self.loss_curve_ = []
        n_early = int(self.max_iter * _EARLY_SHARE)
        positions, self.objective_, self.n_iter_ = embed(
            self._first_positions(random_state),
            distances,
            indices,
            self.perplexity_,
            n_early=n_early,
            n_iter=self.max_iter - n_early,
            on_step=functools.partial(self._on_step, self._step_callback(verbose=0)),
            n_jobs=self.n_jobs,
        )

        self.embedding_ = positions.astype(X.dtype, copy=False)
        self._X, self._labels = X, labels
        self._held_out_error = None
        return self

    def _make_metric(self, random_state):
        if self.metric is None:
            metric = FisherMetric("likelihood", perplexity=self.perplexity_)
        else:
            metric = clone(self.metric)
        if self.kernel is not None:
            metric.set_params(kernel=self.kernel)
        if metric.random_state is None:
            metric.set_params(random_state=random_state.randint(np.iinfo(np.int32).max))
        return metric

    def _first_positions(self, random_state):
        roots = np.sqrt(self.metric_.posterior_at().astype(np.float64))
        noise = random_state.standard_normal((len(roots), self.n_components))
        if self.init == "random":
            return _START_SPREAD * noise
        left, values, _ = linalg.svd(roots - roots.mean(axis=0), full_matrices=False)
        principal = np.zeros_like(noise)
        n_known = min(self.n_components, len(values))
        left = left[:, :n_known] * sign_of_columns(left[:, :n_known])
        principal[:, :n_known] = left * values[:n_known]
        spread = principal[:, 0].std()
        start = principal / spread if spread > 0 else principal
        # Rounded, so that the descent has the same start on every processor (see embed). The noise
        # is the same on all, and separates points with the same posterior.
        return _START_SPREAD * (np.round(start, _START_DECIMALS) + 0.01 * noise)

    def _max_steps(self):
        return self.max_iter // CALLBACK_EVERY + 2  # the two phases may end within a step

    def _on_step(self, callback, n_iter, divergence, positions):
        self.loss_curve_.append(divergence)
        if self.verbose > 1 or n_iter % 50 == 0:
            self._print(f"iteration {n_iter}, divergence {divergence:.6g}")
        if callback is None:
            return False
        return callback(Step(n_iter, divergence, np.nan, positions, n_iter))

    def _print(self, message):
        if self.verbose:
            print(f"FisherTSNE: {message}", file=sys.stderr)

    def fit_transform(self, X, y):
        """Learn the map and return the positions of the training points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Training vectors, or their similarities or distances.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
            ``embedding_``.
        """
        return self.fit(X, y).embedding_.copy()

    def transform(self, X):
        """Place samples into the map; no labels are needed.

        A sample that equals a training sample gets its position. The others are placed by openTSNE
        among their nearest training points, independently of each other.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features) or (n_new, n_samples)
            New vectors, or their similarities or distances to the training points.

        Returns
        -------
        embedding : ndarray of shape (n_new, n_components)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOAT_TYPES, reset=False)
        known = {row.tobytes(): k for k, row in reversed(list(enumerate(self._X)))}
        same_type = np.ascontiguousarray(X, dtype=self._X.dtype)
        places = np.array([known.get(row.tobytes(), -1) for row in same_type])

        positions = self.embedding_[places].astype(X.dtype)
        new = places < 0
        if new.any():
            n_neighbors = min(NEW_NEIGHBORS, len(self.embedding_))
            distances, indices = self.metric_.kneighbors(X[new], n_neighbors=n_neighbors)
            positions[new] = place(
                self.embedding_.astype(np.float64),
                distances,
                indices,
                min(NEW_PERPLEXITY, n_neighbors / 3),
                n_jobs=self.n_jobs,
            )
        return positions

    @property
    def held_out_error_(self):
        """1-NN error of held-out samples placed into a map of the others."""
        check_is_fitted(self)
        if self._held_out_error is None:
            self._held_out_error = self._measure_held_out_error()
        return self._held_out_error

    def _measure_held_out_error(self):
        labels = self._labels
        stratify = labels if np.bincount(labels).min() > 1 else None
        train, test = train_test_split(
            np.arange(len(labels)),
            test_size=max(_HELD_OUT_SHARE, len(self.classes_) / len(labels)),
            stratify=stratify,
            random_state=check_random_state(self.random_state),
        )
        columns = slice(None) if self.metric_.kernel == "euclidean" else train
        with warnings.catch_warnings():
            # The perplexity may be too large for three quarters of the samples.
            warnings.filterwarnings("ignore", "perplexity=", UserWarning)
            others = clone(self).set_params(callback=None, verbose=0)
            others.fit(self._X[train][:, columns], labels[train])
        placed = others.transform(self._X[test][:, columns])
        return knn_error(others.embedding_, labels[train], placed, labels[test], n_neighbors=1)

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        kernel = self.kernel or (self.metric.kernel if self.metric is not None else "euclidean")
        tags.target_tags.required = True
        tags.input_tags.pairwise = kernel != "euclidean"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
