"""The Fisher information metric as an estimator."""

from dataclasses import replace
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from discrimap._sklearn import HasMethods, Interval, StrOptions
from discrimap.base.fit_context import fit_context
from discrimap.fisher.arc_length import arc_lengths
from discrimap.fisher.assembly import Assembly, ClassifierFields, ParzenFields
from discrimap.fisher.bandwidth import choose_bandwidth
from discrimap.fisher.centres import choose_centres
from discrimap.fisher.classifier import check_classifier
from discrimap.fisher.folds import cross_fit_folds
from discrimap.fisher.geometry import make_geometry
from discrimap.fisher.graph_path import GraphPaths
from discrimap.fisher.left_endpoint import symmetric_left_endpoint_lengths
from discrimap.fisher.spectrum import CORRECTIONS
from discrimap.samples.validation import FLOAT_TYPES, validate_data, validate_labelled

_RULES = {"arc": arc_lengths, "left": symmetric_left_endpoint_lengths}


class FisherMetric(BaseEstimator):
    """Fisher information metric: distances that measure changes of the class distribution.

    Locally a step dx has squared length ``dx' J(x) dx`` with the Fisher information of the class
    posterior, ``J = sum_c p_c grad(log p_c) grad(log p_c)'`` (Eq. 1 of [1]_); a distance is the
    length of the straight segment (or of a path through neighbours). The posterior is a Parzen
    estimate, which only needs squared distances to its centres, so the input may be vectors,
    similarities or distances, even indefinite ones.

    We differ from the paper in the sum along a segment: the length is that of the curve
    ``2 sqrt(p(c | x(t)))`` on a sphere, and arcs between ``n_steps + 1`` nodes replace the
    left-endpoint sum of Eq. (3). This is symmetric, much closer to the limit with equal steps, and
    needs one matrix product per class and node. Distances among n samples with m centres cost
    ``(n_steps - 1) n^2 m`` flops and the memory of the result.

    Distances among training points depend on the labels of both points, which leaks these labels.
    Report errors for held-out points (:meth:`distances_to`) or use ``cross_fit=True``.

    Parameters
    ----------
    bandwidth : {"perplexity", "likelihood"} or float, default="perplexity"
        Width sigma of the windows ``exp(-d^2 / (2 sigma^2))``: the mean of the widths calibrated to
        a perplexity (the paper's rule), the maximum of the leave-one-out likelihood of the labels
        up to twice the perplexity width, or a number. A number above that, where held-out quality
        falls, gives a warning. Above 2,000 samples the rules use a random 2,000, with distances to
        all.
    kernel : {"euclidean", "precomputed", "precomputed_distance"}, default="euclidean"
        Type of X: feature vectors, a similarity matrix S, or a distance matrix D.
    n_steps : int, default=8
        Pieces of each segment.
    path : {"straight", "graph"}, default="straight"
        Straight segments, or shortest paths of straight segments between neighbouring samples,
        closer to the infimum in Eq. (2) of [1]_. The latter stores an n x n array.
    n_centres : int or None, default=None
        Number of Parzen centres that represent the samples: k-means centres of each class, or
        k-medoids for matrices. None uses every sample.
    cross_fit : bool, default=False
        Whether to leave both samples' folds out of the posterior on their segment, so that
        distances of a sample do not depend on its own label.
    posterior : classifier or None, default=None
        A fitted classifier with ``predict_proba`` in place of the Parzen estimate, for vectors. It
        is not fitted again and is kept when the metric is cloned. Segments cost one prediction for
        each pair and node.
    perplexity : float, default=30
        Effective number of neighbours of the bandwidth rule. Above ``(n_samples - 1) / 3`` it is
        lowered to that, with a warning.
    correction : {"none", "clip", "flip", "shift"}, default="none"
        Correction of negative eigenvalues of a matrix.
    rule : {"arc", "left"}, default="arc"
        Arcs, or the mean over both directions of the paper's left-endpoint sum, for comparison.
    n_folds : int, default=5
        Folds of ``cross_fit``. With more folds, segments that share an end depend on more of the
        same labels, and the labels of two neighbours leak through third samples: a map of permuted
        labels then looks better than chance. With five folds it does not (docs/fisher.md).
    n_neighbors : int, default=10
        Neighbours in the original space for ``path="graph"``.
    random_state : int, RandomState instance or None, default=None
        Determines the folds, the initial clusters and the samples of a bandwidth rule.

    Attributes
    ----------
    bandwidth_ : float
        The width used; None with a classifier.
    perplexity_bandwidth_ : float
        The width of the perplexity rule; None with a classifier.
    classes_ : ndarray of shape (n_classes,)
        The class labels, in the order of the posterior.
    folds_ : ndarray of shape (n_samples,) or None
        Fold of each sample under ``cross_fit``.
    n_centres_ : int
        Number of Parzen centres; 0 with a classifier.
    n_features_in_ : int
        Number of columns of X.

    References
    ----------
    .. [1] A. Schulz and B. Hammer, "Discriminative dimensionality reduction in kernel space",
       ESANN 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from discrimap import FisherMetric
    >>> X, y = load_iris(return_X_y=True)
    >>> metric = FisherMetric(perplexity=20).fit(X[::2], y[::2])
    >>> knn = KNeighborsClassifier(1, metric="precomputed").fit(metric.distances(), y[::2])
    >>> float(knn.score(metric.distances_to(X[1::2]), y[1::2])) > 0.9
    True
    """

    _compares_all_samples = True

    _parameter_constraints = {
        "bandwidth": [
            StrOptions({"perplexity", "likelihood"}),
            Interval(Real, 0, None, closed="neither"),
        ],
        "kernel": [StrOptions({"euclidean", "precomputed", "precomputed_distance"})],
        "n_steps": [Interval(Integral, 1, None, closed="left")],
        "path": [StrOptions({"straight", "graph"})],
        "n_centres": [None, Interval(Integral, 1, None, closed="left")],
        "cross_fit": ["boolean"],
        "posterior": [None, HasMethods("predict_proba")],
        "perplexity": [Interval(Real, 1, None, closed="neither")],
        "correction": [StrOptions(set(CORRECTIONS))],
        "rule": [StrOptions(set(_RULES))],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        bandwidth="perplexity",
        *,
        kernel="euclidean",
        n_steps=8,
        path="straight",
        n_centres=None,
        cross_fit=False,
        posterior=None,
        perplexity=30,
        correction="none",
        rule="arc",
        n_folds=5,
        n_neighbors=10,
        random_state=None,
    ):
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.n_steps = n_steps
        self.path = path
        self.n_centres = n_centres
        self.cross_fit = cross_fit
        self.posterior = posterior
        self.perplexity = perplexity
        self.correction = correction
        self.rule = rule
        self.n_folds = n_folds
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def __sklearn_clone__(self):
        # The classifier is given fitted; a clone must use the same one.
        parameters = self.get_params(deep=False)
        classifier = parameters.pop("posterior")
        copied = {name: clone(value, safe=False) for name, value in parameters.items()}
        return type(self)(posterior=classifier, **copied)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Training vectors, or their similarities or distances; float32 is processed in float32.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : FisherMetric
            The fitted metric.
        """
        classifier = self.posterior
        self._refuse_endless_numbers()
        if classifier is not None:
            needs_parzen = self.cross_fit or self.n_centres is not None or self.rule == "left"
            check_classifier(classifier, self.kernel, needs_parzen)
        samples = validate_labelled(self, X, y)
        X, labels, self.classes_ = samples.array, samples.labels, samples.classes
        random_state = check_random_state(self.random_state)
        self._geometry = make_geometry(self.kernel, self.correction)
        points = self._geometry.fit(X)

        self.folds_ = None
        if classifier is None:
            fields = self._parzen_fields(points, labels, random_state)
        else:
            fields = ClassifierFields(classifier)
            self.classes_ = classifier.classes_
            self.bandwidth_ = self.perplexity_bandwidth_ = None
            self.n_centres_ = 0

        self._assemble(fields, points)
        return self

    def _assemble(self, fields, points):
        self._assembly = Assembly(fields, points, self.folds_, _RULES[self.rule], self.n_steps)
        self._lengths: Assembly | GraphPaths = self._assembly
        if self.path == "graph":
            self._lengths = GraphPaths(self._assembly, self._geometry, self.n_neighbors)

    def _restore(self, X, classes, centres, *, folds, bandwidth, perplexity_bandwidth):
        """Restore the result of ``fit`` without its searches, for models read from files."""
        self.n_features_in_, self.classes_, self.folds_ = X.shape[1], classes, folds
        self.bandwidth_, self.perplexity_bandwidth_ = bandwidth, perplexity_bandwidth
        self.n_centres_ = len(centres.labels)
        self._geometry = make_geometry(self.kernel, self.correction)
        points = self._geometry.fit(X)
        fields = ParzenFields(self._geometry, centres, len(classes), bandwidth)
        self._assemble(fields, points)

    def _refuse_endless_numbers(self):
        for name, value in (("bandwidth", self.bandwidth), ("perplexity", self.perplexity)):
            if not isinstance(value, str) and not np.isfinite(value):
                raise ValueError(f"{name}={value} must be a finite number.")

    def _parzen_fields(self, points, labels, random_state):
        n_samples = len(labels)
        folds = np.zeros(n_samples, dtype=np.intp)
        if self.cross_fit:
            self.folds_ = folds = cross_fit_folds(labels, self.n_folds, random_state)

        everyone = self._geometry.at(points, np.arange(n_samples))
        self.bandwidth_, self.perplexity_bandwidth_ = choose_bandwidth(
            self.bandwidth,
            lambda rows: self._geometry.squared(points[rows], everyone),
            labels,
            len(self.classes_),
            self.perplexity,
            random_state,
        )

        centres = choose_centres(
            self._geometry, points, labels, folds, self.n_centres, random_state
        )
        self.n_centres_ = len(centres.labels)
        return ParzenFields(self._geometry, centres, len(self.classes_), self.bandwidth_)

    def distances(self):
        """Distances among the training points.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_samples)
            Symmetric, zero on the diagonal.
        """
        check_is_fitted(self)
        return self._lengths.among()

    def distances_to(self, X):
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

    def distances_among(self, X):
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

    def kneighbors(self, X=None, n_neighbors=30):
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
        if X is None:
            return self._lengths.nearest_among(n_neighbors)
        return self._lengths.nearest_to(self._new_points(X), n_neighbors)

    def information(self, x):
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

    def posterior_at(self, X=None):
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
        if X is None:
            return self._assembly.posterior_among()
        return self._assembly.posterior_at(self._new_points(X))

    @property
    def negative_share_(self):
        """Sum of negative eigenvalues over the sum of absolute ones, before correction; O(n^3)."""
        check_is_fitted(self)
        return 0.0 if self.kernel == "euclidean" else self._geometry.negative_share()

    def _new_points(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOAT_TYPES, reset=False)
        return self._geometry.new(X).astype(self._assembly.points.dtype, copy=False)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.pairwise = self.kernel != "euclidean"
        return tags
