"""The Fisher information metric as an estimator."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from discrimap._sklearn import HasMethods, Interval, StrOptions
from discrimap._typing import Array, MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.fisher.arc_length import arc_lengths
from discrimap.fisher.assembly import Assembly, ClassifierFields, ParzenFields
from discrimap.fisher.bandwidth import choose_bandwidth
from discrimap.fisher.centres import choose_centres
from discrimap.fisher.classifier import check_classifier, check_landmarks
from discrimap.fisher.curves import ClassCurve, NumberLine
from discrimap.fisher.folds import cross_fit_folds
from discrimap.fisher.geometry import make_geometry
from discrimap.fisher.graph_path import GraphPaths
from discrimap.fisher.landmark_fields import (
    LandmarkFields,
    LogitField,
    MeanField,
    straight_lengths,
)
from discrimap.fisher.landmark_model import LandmarkModel
from discrimap.fisher.landmark_regression import LandmarkRegression
from discrimap.fisher.left_endpoint import symmetric_left_endpoint_lengths
from discrimap.fisher.metric_queries import MetricQueries
from discrimap.fisher.near_pairs import NearPairs
from discrimap.fisher.plain_part import fit_plain_part
from discrimap.fisher.regularisation import (
    choose_regularisation,
    class_losses,
    number_losses,
)
from discrimap.fisher.spectrum import CORRECTIONS
from discrimap.samples.validation import validate_continuous, validate_labelled

_RULES = {"arc": arc_lengths, "left": symmetric_left_endpoint_lengths}


class FisherMetric(MetricQueries, BaseEstimator):
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

    For many vectors pass ``posterior=LandmarkPosterior()``. Segments are then straight in the
    feature space of the landmarks' Gaussians, where logits are linear: a length of C classes costs
    O(n_steps C), and :meth:`kneighbors` computes those of likely neighbours only. With
    ``posterior=LandmarkRegression()`` the metric is that of a continuous target.

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
    posterior : LandmarkPosterior, LandmarkRegression, classifier or None, default=None
        Model that replaces the Parzen estimate, for vectors. A landmark model is cloned and fitted
        here, with its own folds. A classifier with ``predict_proba`` must be fitted, is not fitted
        again and is kept when the metric is cloned; segments then cost one prediction for each
        pair and node.
    regularisation : float or "auto", default=0.0
        Weight lambda of the Euclidean part in ``d^2 = d_F^2 + lambda d_E^2``, for vectors. d_E is
        the distance of the first 50 principal components in units of that to the fifteenth
        neighbour, so that with ``lambda=1`` neighbours are about as far apart as two points whose
        posteriors differ by a Fisher length of 1. Without it, all samples whose class is certain are
        at one point. "auto", which needs ``cross_fit``, is the largest of 0.01, 0.03, 0.1, 0.3, 1 and
        3 for which the five nearest neighbours predict training samples as well as for the best
        value, up to one standard error.
    perplexity : float, default=30
        Effective number of neighbours of the bandwidth rule. Above ``(n_samples - 1) / 3`` it is
        lowered to that, with a warning.
    correction : {"none", "clip", "flip", "shift"}, default="none"
        Correction of negative eigenvalues of a matrix.
    rule : {"arc", "left"}, default="arc"
        Arcs, or the mean over both directions of the paper's left-endpoint sum, for comparison.
    n_folds : int, default=5
        Folds of ``cross_fit`` with the Parzen estimate. With more folds, segments that share an end
        depend on more of the same labels, and the labels of two neighbours leak through third
        samples: the training points of permuted labels are then predicted better than by chance.
        With five folds they are not (docs/fisher.md).
    n_neighbors : int, default=10
        Neighbours in the original space for ``path="graph"``.
    random_state : int, RandomState instance or None, default=None
        Determines the folds, the initial clusters and the samples of a bandwidth rule.

    Attributes
    ----------
    bandwidth_ : float
        The width used; None without Parzen windows.
    perplexity_bandwidth_ : float
        The width of the perplexity rule; None without Parzen windows.
    posterior_ : LandmarkPosterior or LandmarkRegression
        The fitted landmark model, if there is one.
    regularisation_ : float
        The weight used.
    classes_ : ndarray of shape (n_classes,)
        The class labels, in the order of the posterior; not with a continuous target.
    folds_ : ndarray of shape (n_samples,) or None
        Fold of each sample under ``cross_fit``.
    n_centres_ : int
        Number of Parzen centres; 0 without Parzen windows.
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
        "posterior": [None, HasMethods("predict_proba"), LandmarkRegression],
        "regularisation": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
        "perplexity": [Interval(Real, 1, None, closed="neither")],
        "correction": [StrOptions(set(CORRECTIONS))],
        "rule": [StrOptions(set(_RULES))],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    folds_: Array | None
    bandwidth_: float | None
    perplexity_bandwidth_: float | None

    def __init__(
        self,
        bandwidth: float | Literal["perplexity", "likelihood"] = "perplexity",
        *,
        kernel: Literal["euclidean", "precomputed", "precomputed_distance"] = "euclidean",
        n_steps: int = 8,
        path: Literal["straight", "graph"] = "straight",
        n_centres: int | None = None,
        cross_fit: bool = False,
        posterior: Any = None,
        regularisation: float | Literal["auto"] = 0.0,
        perplexity: float = 30,
        correction: Literal["none", "clip", "flip", "shift"] = "none",
        rule: Literal["arc", "left"] = "arc",
        n_folds: int = 5,
        n_neighbors: int = 10,
        random_state: RandomState = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.n_steps = n_steps
        self.path = path
        self.n_centres = n_centres
        self.cross_fit = cross_fit
        self.posterior = posterior
        self.regularisation = regularisation
        self.perplexity = perplexity
        self.correction = correction
        self.rule = rule
        self.n_folds = n_folds
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def __sklearn_clone__(self) -> Self:
        # The classifier is given fitted; a clone must use the same one.
        parameters = self.get_params(deep=False)
        classifier = parameters.pop("posterior")
        copied = {name: clone(value, safe=False) for name, value in parameters.items()}
        return type(self)(posterior=classifier, **copied)

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Learn the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Training vectors, or their similarities or distances; float32 is processed in float32.
        y : array-like of shape (n_samples,)
            Class labels, -1 for samples without one (with text labels, the number -1 in an array of
            objects); with LandmarkRegression numbers, NaN for samples without one.

        Returns
        -------
        self : FisherMetric
            The fitted metric.
        """
        self._refuse_infinite_numbers()
        self._refuse_contradictions()
        X, target = self._validate_target(X, y)
        random_state = check_random_state(self.random_state)
        self._geometry = make_geometry(self.kernel, self.correction)
        points = self._geometry.fit(X)

        self.folds_ = self.bandwidth_ = self.perplexity_bandwidth_ = None
        self.n_centres_ = 0
        if self._has_landmarks:
            fields = self._landmark_fields(points, target, random_state)
        elif self.posterior is None:
            fields = self._parzen_fields(points, target, random_state)
        else:
            fields = ClassifierFields(self.posterior)
            self.classes_ = self.posterior.classes_

        self._assemble(fields, points)
        self._regularise(target, random_state)
        return self

    @property
    def _has_landmarks(self) -> bool:
        return isinstance(self.posterior, LandmarkModel)

    @property
    def _is_continuous(self) -> bool:
        return isinstance(self.posterior, LandmarkRegression)

    def _validate_target(self, X: Any, y: Any) -> Any:
        """Return samples and class indices (-1 unlabelled), or samples and numbers (NaN)."""
        if self._is_continuous:
            return validate_continuous(self, X, y)
        samples = validate_labelled(self, X, y, unlabelled=True)
        self.classes_ = samples.classes
        return samples.array, samples.labels

    def _landmark_fields(
        self, points: Array, target: Array, random_state: np.random.RandomState
    ) -> Any:
        model = clone(self.posterior)
        if model.random_state is None:
            model.set_params(random_state=random_state.randint(np.iinfo(np.int32).max))
        if self._is_continuous:
            model._fit_values(points, target)
        else:
            model._fit_labels(points, target, self.classes_)
        return self._fields_of(model)

    def _fields_of(self, model: Any) -> Any:
        self.posterior_ = model
        self.folds_ = model.folds_ if self.cross_fit else None
        if self._is_continuous:
            return LandmarkFields(model, MeanField())
        return LandmarkFields(model, LogitField(len(model.classes_)))

    def _assemble(self, fields: Any, points: Array) -> None:
        rule = straight_lengths if self._is_continuous else _RULES[self.rule]
        self._assembly = Assembly(fields, points, self.folds_, rule, self.n_steps)

    def _regularise(self, target: Array, random_state: np.random.RandomState) -> None:
        """Choose the weight of the Euclidean part, and complete lengths and neighbours by it."""
        points, weight = self._assembly.points, self.regularisation
        plain: Any = None
        coordinates: Any = None
        if self._has_landmarks or weight != 0:
            plain = fit_plain_part(points, random_state)
            coordinates = plain.coordinates(points)
        predictions = self._training_predictions()
        if isinstance(weight, str):
            rows = np.flatnonzero(~np.isnan(target[:, 0]) if self._is_continuous else target >= 0)
            losses = number_losses if self._is_continuous else class_losses
            weight = choose_regularisation(
                self._training_places(predictions)[rows],
                coordinates[rows],
                losses(target[rows]),
                random_state,
            )
        self._complete(plain, coordinates, float(weight), predictions)

    def _training_predictions(self) -> Any:
        """Predictions of a landmark model for training points: (n_samples, n_folds, n_targets)."""
        if not self._has_landmarks:
            return None
        if self.cross_fit:
            return self.posterior_._training_predictions(self._assembly.points)
        return self.posterior_._predictions_without(self._assembly.points)[:, None]

    def _training_places(self, predictions: Array) -> Any:
        """Points on the sphere of posteriors, or whitened means, without the own folds."""
        if predictions is None:
            return 2 * np.sqrt(self._assembly.posterior_among())
        own = 0 if self.folds_ is None else self.folds_
        return self._curve.places(predictions[np.arange(len(predictions)), own])

    def _start_coordinates(self) -> Any:
        """Coordinates of training points whose principal components begin a map."""
        if self._near is not None:
            return self._near.search_coordinates.astype(np.float64)
        return np.sqrt(self._assembly.posterior_among().astype(np.float64))

    @property
    def _curve(self) -> Any:
        return NumberLine() if self._is_continuous else ClassCurve(self.n_steps)

    def _complete(self, plain: Any, coordinates: Any, weight: Any, predictions: Array) -> None:
        self.regularisation_, self._plain = weight, plain
        self._assembly = replace(self._assembly, plain=plain, regularisation=weight)
        self._near = None
        if self._has_landmarks:
            folds = np.zeros(len(predictions), np.intp) if self.folds_ is None else self.folds_
            self._near = NearPairs(self._curve, predictions, folds, self._weighted(coordinates))
        self._lengths = self._assembly
        if self.path == "graph":
            self._lengths = GraphPaths(self._assembly, self._geometry, self.n_neighbors)

    def _weighted(self, coordinates: Array) -> Array:
        weighted: Array = coordinates * coordinates.dtype.type(np.sqrt(self.regularisation_))
        return weighted

    def _restore(
        self,
        X: Any,
        classes: Any,
        fields: Any,
        *,
        folds: Any,
        plain: Any,
        regularisation: Any,
        widths: Any = (None, None),
    ) -> None:
        """Restore the result of ``fit`` without its searches, for models read from files.

        ``fields`` are the centres of a Parzen estimate or a fitted landmark model.
        """
        self.n_features_in_, self.folds_ = X.shape[1], folds
        if classes is not None:
            self.classes_ = classes
        self.bandwidth_, self.perplexity_bandwidth_ = widths
        self._geometry = make_geometry(self.kernel, self.correction)
        points = self._geometry.fit(X)
        self.n_centres_ = 0
        if self._has_landmarks:
            self._assemble(self._fields_of(fields), points)
        else:
            self.n_centres_ = len(fields.labels)
            self._assemble(ParzenFields(self._geometry, fields, len(classes), widths[0]), points)
        coordinates = plain.coordinates(points) if self._has_landmarks else None
        self._complete(plain, coordinates, regularisation, self._training_predictions())

    def _refuse_infinite_numbers(self) -> None:
        for name in ("bandwidth", "perplexity", "regularisation"):
            value = getattr(self, name)
            if not isinstance(value, str) and not np.isfinite(value):
                raise ValueError(f"{name}={value} must be a finite number.")

    def _refuse_contradictions(self) -> None:
        needs_parzen = self.n_centres is not None or self.rule == "left"
        if self._has_landmarks:
            check_landmarks(self.posterior, self.kernel, needs_parzen)
        elif self.posterior is not None:
            check_classifier(self.posterior, self.kernel, self.cross_fit or needs_parzen)
        if self.regularisation == 0:
            return
        if self.kernel != "euclidean":
            raise ValueError(
                f"regularisation={self.regularisation!r} adds distances of feature vectors; pass "
                f"kernel='euclidean' instead of {self.kernel!r}, or regularisation=0."
            )
        if isinstance(self.regularisation, str) and not self.cross_fit:
            raise ValueError(
                "regularisation='auto' judges predictions of training samples, which own labels "
                "would make perfect; pass cross_fit=True, or a number."
            )

    def _parzen_fields(
        self, points: Array, labels: Array, random_state: np.random.RandomState
    ) -> Any:
        known = np.flatnonzero(labels >= 0)
        folds = np.zeros(len(labels), dtype=np.intp)
        if self.cross_fit:
            self.folds_ = folds = cross_fit_folds(labels, self.n_folds, random_state)

        everyone = self._geometry.at(points, known)
        self.bandwidth_, self.perplexity_bandwidth_ = choose_bandwidth(
            self.bandwidth,
            lambda rows: self._geometry.squared(points[known[rows]], everyone),
            labels[known],
            len(self.classes_),
            self.perplexity,
            random_state,
        )

        centres = choose_centres(
            self._geometry, points, labels, folds, self.n_centres, random_state
        )
        self.n_centres_ = len(centres.labels)
        return ParzenFields(self._geometry, centres, len(self.classes_), self.bandwidth_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.pairwise = self.kernel != "euclidean"
        return tags
