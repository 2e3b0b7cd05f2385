"""Shared parts of both category spaces: axes, angle classifier and certificate."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from discrimap._sklearn import Interval, StrOptions
from discrimap._typing import Array, MatrixLike, RandomState
from discrimap.base.iterative_fit import IterativeFit
from discrimap.category.certificate import Certificate, certify_axes
from discrimap.category.objective import AbsoluteAxes
from discrimap.category.start import greedy_axes
from discrimap.linalg.signs import sign_of_columns
from discrimap.optimisers import warn_unless_converged
from discrimap.optimisers.orthonormal import maximise_orthonormal, nearest_orthonormal
from discrimap.samples.new_samples import map_in_memory

# Number of starts of the absolute objective if n_init="auto". It has more local maxima than the square one.
ABSOLUTE_STARTS = 10
# Limits of the extent: fourth powers, which occur in the norm of the gradient, are finite and positive.
SMALLEST, LARGEST = 1e-70, 1e70
# Multiples of the final smoothing with which the absolute objective is maximised first.
SMOOTHING_STAGES = (10.0, 3.0)


class CategoryAxesMixin(IterativeFit, ClassifierMixin):
    """Search for one orthonormal axis per class, and methods that use the axes.

    A subclass chooses coordinates, calls ``_search`` in ``fit`` with the samples of each class
    relative to their origin, and defines ``transform``.
    """

    objective: Literal["square", "absolute"]
    origin: Literal["class", "global", "zero"]
    class_weight: dict[Any, float] | Literal["balanced"] | None
    init: Literal["greedy", "random"] | ArrayLike
    n_init: int | Literal["auto"]
    smoothing: float
    tol: float
    random_state: RandomState
    classes_: Array

    _axes_constraints = {
        "objective": [StrOptions({"square", "absolute"})],
        "origin": [StrOptions({"class", "global", "zero"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "init": [StrOptions({"greedy", "random"}), "array-like"],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "callback": [callable, None],
    }

    def angles(self, X: MatrixLike) -> Array:
        """Compute the angle between each sample and the axis of each class, within the category space.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        angles : ndarray of shape (n_samples, n_classes)
            Radians between 0 (along the axis, in either direction) and pi/2. The angles of a sample
            that projects onto the origin are pi/2 for every class.
        """
        angles: Array = np.arccos(np.minimum(self._cosines(X), 1.0))
        return angles

    def predict(self, X: MatrixLike) -> Array:
        """Predict the class whose axis makes the smallest angle with the sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        check_is_fitted(self)
        labels: Array = self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return labels

    def predict_proba(self, X: MatrixLike) -> Array:
        """Compute the softmax of the absolute cosines, which are not calibrated probabilities.

        Cosines are between 0 and 1, so no class gets more than ``e / (e + C - 1)``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Scores; each row sums to one.
        """
        votes = np.exp(self._cosines(X))
        probabilities: Array = votes / votes.sum(axis=1, keepdims=True)
        return probabilities

    def certify(self, *, tol: float = 1e-7) -> Certificate:
        """Search for a proof that no other orthonormal axes have a larger objective.

        Costs O(C p^3), where p is the number of features, or the rank of the training samples if
        smaller.

        Parameters
        ----------
        tol : float, default=1e-7
            Relative gap up to which the axes count as globally optimal.

        Returns
        -------
        certificate : Certificate
            Whether the axes are ``certified``, the remaining ``gap``, the paper's condition, and the
            dual point, which can be checked independently of the search.
        """
        check_is_fitted(self)
        if self._scatter_factors is None:
            raise ValueError(
                "certify needs objective='square', because the absolute objective has no such dual; got "
                f"objective={self.objective!r}. Fit again with objective='square'."
            )
        scatters = self._scatter_factors
        if isinstance(scatters, list):
            scatters = np.stack([factor.T @ factor for factor in scatters])
        return certify_axes(scatters, self._axes, tol=tol)

    def _cosines(self, X: MatrixLike) -> Array:
        # With set_output, transform may return a data frame.
        Z = np.abs(map_in_memory(self, X))
        norms = np.linalg.norm(Z, axis=1, keepdims=True)
        cosines: Array = Z / np.where(norms > 0, norms, 1.0)
        return cosines

    def _class_weights(self, counts: Any) -> Any:
        if self.class_weight is None:
            return np.ones(len(self.classes_))
        if self.class_weight == "balanced":
            return counts.sum() / (len(counts) * counts)
        weights = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_)
        if not (np.isfinite(weights).all() and (weights > 0).all()):
            raise ValueError(
                f"class_weight must be positive and finite for every class; got "
                f"{dict(zip(self.classes_.tolist(), weights.tolist(), strict=True))}."
            )
        return weights

    def _n_starts(self) -> Any:
        if self.n_init == "auto":
            return ABSOLUTE_STARTS if self.objective == "absolute" else 1
        return self.n_init

    def _max_steps(self) -> Any:
        return self._n_starts() * self.max_iter

    def _search(self, blocks: Any, weights: Array, square: Any, start: Array | None = None) -> Any:
        """Return the axes (n_dimensions, n_classes), and store the other results of the search.

        Parameters
        ----------
        blocks : list of ndarray or None
            Samples of each class minus their origin; only the absolute objective needs them.
        weights : ndarray of shape (n_classes,)
            Weights of the classes.
        square : SquareAxes
            The square objective, which also defines the greedy start.
        start : ndarray of shape (n_dimensions, n_classes), default=None
            The start given by the user.
        """
        random_state = check_random_state(self.random_state)
        callback = self._step_callback()
        n_init = self._n_starts()

        def maximise(
            objective: Any, axes: Any, tol: float = self.tol, callback: Any = callback
        ) -> Any:
            return maximise_orthonormal(
                objective, axes, max_iter=self.max_iter, tol=tol, callback=callback
            )

        def random_start() -> Any:
            shape = (square.n_features, square.n_classes)
            return nearest_orthonormal(random_state.standard_normal(shape))

        if start is not None:
            first = start
        elif self.init == "random":
            first = random_start()
        else:
            first = greedy_axes(square)
        objective = square
        if self.objective == "absolute":
            n_samples = sum(len(block) for block in blocks)
            scale = np.sqrt(sum(np.vdot(block, block) for block in blocks) / n_samples)
            free_origin = self.origin == "class"

            def at(smoothing: Any) -> Any:
                return AbsoluteAxes(blocks, weights, smoothing * scale, free_origin)

            objective = at(self.smoothing)
            if start is None and self.init == "greedy":
                # With a wide smoothing the objective is the square objective up to a constant. Its
                # solution is the start, and the smoothing is then reduced in stages.
                first = maximise(square, first, tol=1e-4, callback=None).params
                for stage in SMOOTHING_STAGES:
                    first = maximise(
                        at(stage * self.smoothing), first, tol=1e-4, callback=None
                    ).params
        best = maximise(objective, first)
        for _ in range(n_init - 1):
            other = maximise(objective, random_start())
            if other.value > best.value:
                best = other
        warn_unless_converged(best, type(self).__name__)

        self.objective_, self.n_iter_ = best.value, best.n_iter
        self.stopping_reason_ = best.message
        self.loss_curve_ = best.loss_curve
        self._scatter_factors = None
        if self.objective == "square":
            held = square.scatters if square.scatters is not None else square.factors
            self._scatter_factors, self._axes = held, best.params
        return best.params


class ClassScatter:
    """The samples of each class relative to their origin.

    Parameters
    ----------
    samples : Samples
        Samples, or rows of a kernel matrix, which represent them linearly.
    origin : {"class", "global", "zero"}
        The origin that is subtracted.
    only_products : bool
        Whether only products of the samples are needed, as in the square objective.

    Attributes
    ----------
    rows : list of ndarray, each of shape (n_rows_k, n_features)
        Rows in float64 with the same products as the samples of each class minus their origin; the
        samples themselves, unless ``only_products`` is set or they are on Dask.
    overall : ndarray of shape (n_features,)
        The origin of new samples: the mean of all samples for "global", otherwise zero, as in the
        paper, which uses the means of the classes only in the search.
    """

    def __init__(
        self,
        samples: Any,
        origin: Literal["class", "global", "zero"],
        only_products: bool = False,
    ) -> None:
        counts, self.means = samples.class_means()
        self.counts, self.is_about_class = counts, origin == "class"
        self.overall = np.zeros(samples.shape[1])
        if origin == "global":
            self.overall = counts @ self.means / counts.sum()
        self.rows = []
        for k, name in enumerate(samples.classes.tolist()):
            about = self.means[k] if self.is_about_class else self.overall
            rows = samples.class_rows(k, about, only_products)
            extent = np.sqrt(np.einsum("ij,ij->j", rows, rows).max() / counts[k])
            size = max(np.abs(self.means[k]).max(), np.abs(self.overall).max())
            if extent <= 10 * np.finfo(samples.dtype).eps * size:
                refuse_class_at_its_origin(name, int(counts[k]), origin)
            refuse_extreme_extent(name, extent)
            self.rows.append(rows)

    def signs_of(self, axes: Array) -> Any:
        """Return the signs of the axes for which the mean of each class is on the positive side.

        Parameters
        ----------
        axes : ndarray of shape (n_classes, n_features)
            One row per class. If the mean of a class is zero up to rounding errors, the largest entry
            becomes positive.

        Returns
        -------
        signs : ndarray of shape (n_classes, 1)
        """
        signs = sign_of_columns(axes.T)
        for k, axis in enumerate(axes):
            mean = (self.means[k] - self.overall) @ axis
            square = np.sum((self.rows[k] @ axis) ** 2) / self.counts[k]
            square += mean**2 if self.is_about_class else 0.0
            if abs(mean) > 1e-10 * np.sqrt(square):
                signs[k] = np.sign(mean)
        return signs[:, None]


def refuse_extreme_extent(name: str, extent: Any) -> None:
    if not SMALLEST < extent < LARGEST:
        raise ValueError(
            f"the samples of class {name!r} have distances of up to {extent:.3g} from their origin, but "
            f"between {SMALLEST:g} and {LARGEST:g} is needed; rescale X."
        )


def refuse_class_at_its_origin(name: str, n_samples: int, origin: Any) -> None:
    if origin == "class":
        what = "one sample" if n_samples == 1 else f"{n_samples} identical samples"
        others = "origin='global' or origin='zero'"
    else:
        what = f"{n_samples} sample{'s' if n_samples > 1 else ''} at the {origin} origin itself"
        others = "origin='zero'" if origin == "global" else "origin='global'"
    raise ValueError(
        f"class {name!r} has {what}, so with origin={origin!r} it has no direction; pass {others}, "
        "or leave the class out."
    )


def refuse_more_classes_than(
    limit: Any,
    limit_name: Any,
    n_classes: int,
    remedy: Any = "more features, or use KernelCategorySpace",
) -> None:
    """Raise an error if there are more classes than orthogonal directions."""
    if n_classes > limit:
        raise ValueError(
            f"{n_classes} classes need {n_classes} orthogonal axes, but {limit_name}={limit}; "
            f"pass at most {limit} classes, or {remedy}."
        )
