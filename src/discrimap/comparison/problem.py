"""The data of a comparison, checked once for all methods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discrimap._typing import Array, MatrixLike
from discrimap.comparison.designs import Design, Grouped, Independent, Ordered
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.tasks import SCORES, TASKS, Task
from discrimap.comparison.trials import Fit, TrialMaps, fit_split
from discrimap.costs import Shape
from discrimap.errors import InputError
from discrimap.optional import how_to_get, is_installed
from discrimap.registry import Method
from discrimap.samples.targets import encode_classes, is_continuous
from discrimap.tables.pair_matrices import check_kernel, check_matrix
from discrimap.tables.targets import check_classes


@dataclass(frozen=True, eq=False)
class Problem:
    """Samples with a target, which may be missing for some of them."""

    X: Any  # (n_samples, n_features), dense or CSR
    y: np.ndarray  # codes 0, 1, ... or numbers; -1 or NaN for samples without a label
    task_name: str
    class_names: tuple[str, ...] = ()  # empty for regression
    groups: np.ndarray | None = field(default=None, kw_only=True)  # codes of groups
    order: np.ndarray | None = field(
        default=None, kw_only=True
    )  # positions of the samples in the order
    # "precomputed" or "precomputed_distance" if X holds similarities or distances of shape
    # (n_samples, n_samples)
    kernel: str | None = field(default=None, kw_only=True)

    @property
    def design(self) -> Design:
        """Dependence between the samples, which determines what is held out together."""
        if self.groups is not None:
            return Grouped(self.groups)
        return Independent() if self.order is None else Ordered(self.order)

    @property
    def n_classes(self) -> int:
        return len(self.class_names)

    def split(self, protocol: Protocol, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return training and held-out rows, all of which have a label."""
        return self.design.split(self.y, self.labelled_rows, protocol.test_size, seed)

    def fit_split(self, estimator: Any, fit: Fit, protocol: Protocol) -> TrialMaps:
        """Fit an estimator to the training rows of a split."""
        return fit_split(estimator, fit, self, protocol)

    @property
    def task(self) -> Task:
        return TASKS[self.task_name]

    @property
    def is_continuous(self) -> bool:
        return self.task_name == "regression"

    @property
    def labelled_rows(self) -> np.ndarray:
        return self.task.labelled_rows(self.y)

    @property
    def unlabelled_rows(self) -> np.ndarray:
        return np.flatnonzero(~self.task.is_labelled(self.y))

    @property
    def n_unlabelled(self) -> int:
        return len(self.unlabelled_rows)

    def notice(self, protocol: Protocol) -> str:
        """Return a notice on the points used for the errors, empty if all points are used."""
        return ""

    def class_counts(self) -> dict[str, int]:
        counts = np.bincount(self.y[self.labelled_rows]) if not self.is_continuous else ()
        return {name: int(count) for name, count in zip(self.class_names, counts, strict=True)}

    def shape_of_fit(self, method: Method, protocol: Protocol) -> Shape:
        """Return the size of one fit: training rows, plus unlabelled rows if they are used."""
        n_train = n_training(len(self.labelled_rows), protocol)
        if method.unlabelled:
            n_train += len(self.unlabelled_rows)
        n_classes = 1 if self.is_continuous else self.n_classes
        n_features = self.X.shape[1] if self.kernel is None else n_train
        return Shape(n_train, n_features, n_classes, protocol.n_components)

    def samples(self, rows: np.ndarray, fitted: np.ndarray) -> Any:
        """Return rows of X; for similarities or distances, only the columns of the fitted rows."""
        return self.X[rows] if self.kernel is None else self.X[np.ix_(rows, fitted)]

    def is_for(self, method: Method) -> bool:
        """Return whether a method supports this type of samples and target."""
        takes_samples = method.vectors if self.kernel is None else method.kernel
        return takes_samples and (method.continuous if self.is_continuous else method.classes)

    def reasons_against(self, method: Method) -> Iterator[str]:
        """Yield the reasons, other than size, why a method cannot be fitted to this data."""
        from scipy import sparse

        if self.is_continuous and not method.continuous:
            yield f"{method.label} needs class labels, but the target is continuous"
        if not self.is_continuous and not method.classes:
            yield f"{method.label} needs a continuous target, but the target is classes"
        if self.kernel is not None and not method.kernel:
            yield f"{method.label} needs features, not similarities or distances between samples"
        if self.kernel is None and not method.vectors:
            yield f"{method.label} is for similarities and distances; for features there is PCA"
        if sparse.issparse(self.X) and not method.sparse:
            yield f"{method.label} needs dense data, but X is sparse"
        if method.needs is not None and not is_installed(method.needs):
            yield f"{method.label} needs {how_to_get(method.needs)}"


def n_held_out(n_labelled: int, protocol: Protocol) -> int:
    """Return the number of labelled samples held out in a split, rounded as in scikit-learn."""
    return int(np.ceil(protocol.test_size * n_labelled))


def n_training(n_labelled: int, protocol: Protocol) -> int:
    """Return the number of labelled training samples in a split."""
    return n_labelled - n_held_out(n_labelled, protocol)


def check_problem(
    X: MatrixLike,
    y: Any,
    is_labelled: ArrayLike | None,
    task: str,
    protocol: Protocol,
    groups: ArrayLike | None = None,
    order: ArrayLike | None = None,
    kernel: str | None = None,
) -> Problem:
    """Check the data of a comparison and encode the target."""
    check_protocol(protocol)
    X = _check_samples(X, protocol)
    check_kernel(kernel)
    if kernel is not None:
        X, _, _ = check_matrix("X", X, kernel)
    y, is_labelled = _check_target(y, is_labelled, X.shape[0])
    check_n_components(protocol, X.shape[1])
    if task == "auto":
        is_number = is_continuous(y[is_labelled], count_values=True)
        task = "regression" if is_number else "classification"
    if task not in TASKS:
        raise InputError(f"task={task!r} is not known; pass one of auto, {', '.join(TASKS)}.")
    problem = (_numbers if task == "regression" else _classes)(X, y, is_labelled, protocol)
    n_train = n_training(len(problem.labelled_rows), protocol)
    if n_train <= protocol.n_neighbors or protocol.n_neighbors < 1:
        raise InputError(
            f"n_neighbors={protocol.n_neighbors} must be from 1 to {n_train - 1}, one "
            f"less than the {n_train} training samples of a split."
        )
    return replace(_with_design(problem, protocol, groups, order), kernel=kernel)


def check_protocol(protocol: Protocol) -> None:
    """Raise an error for values of the protocol that are out of range."""
    if protocol.n_components < 1:
        raise InputError(f"n_components={protocol.n_components} must be at least 1.")
    if protocol.n_repeats < 1:
        raise InputError(f"n_repeats={protocol.n_repeats} must be at least 1.")
    if not 0 < protocol.test_size < 1:
        raise InputError(f"test_size={protocol.test_size} must lie between 0 and 1.")
    if protocol.score not in SCORES:
        raise InputError(f"score={protocol.score!r} is not known; pass one of {', '.join(SCORES)}.")
    if protocol.seed < 0:
        raise InputError(f"seed={protocol.seed} must be 0 or more.")


def check_n_components(protocol: Protocol, n_features: int) -> None:
    """Raise an error if there are more components than features."""
    if protocol.n_components > n_features:
        raise InputError(
            f"n_components={protocol.n_components} exceeds the {n_features} features of X; "
            f"pass at most {n_features}."
        )


def _check_samples(X: Any, protocol: Protocol) -> Any:
    from sklearn.utils import check_array

    try:
        return check_array(
            X,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            input_name="X",
            ensure_all_finite=True if protocol.impute is None else "allow-nan",
        )
    except ValueError as error:
        raise InputError(str(error).splitlines()[0]) from error


def _check_target(y: Any, is_labelled: Any, n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.utils import column_or_1d

    try:
        y = column_or_1d(y)
    except ValueError as error:
        raise InputError(str(error).splitlines()[0]) from error
    if len(y) != n_samples:
        raise InputError(
            f"y has {len(y)} labels for the {n_samples} samples of X; both need the same number."
        )
    if is_labelled is None:
        is_labelled = ~np.isnan(y) if y.dtype.kind == "f" else np.ones(len(y), dtype=bool)
    is_labelled = np.asarray(is_labelled)
    if is_labelled.shape != y.shape or is_labelled.dtype != bool:
        raise InputError(
            f"is_labelled must be {len(y)} true/false values, one for each sample; it has shape "
            f"{is_labelled.shape} and type {is_labelled.dtype}."
        )
    if not is_labelled.any():
        raise InputError("no sample has a label; at least some must.")
    return y, is_labelled


def _with_design(problem: Problem, protocol: Protocol, groups: Any, order: Any) -> Problem:
    """Add groups or an order, after checking that some of the samples can be held out."""
    if groups is not None and order is not None:
        raise InputError("groups and order exclude each other; pass the one that fits the samples.")
    rows, n_samples = problem.labelled_rows, problem.X.shape[0]
    if groups is not None:
        codes = encode_groups(groups, n_samples)
        Grouped(codes).check(problem.y, rows, problem.class_names)
        return replace(problem, groups=codes)
    if order is not None:
        places = encode_order(order, n_samples)
        Ordered(places).check(problem.y, rows, problem.class_names, protocol.test_size)
        return replace(problem, order=places)
    return problem


def encode_groups(groups: Any, n_samples: int) -> np.ndarray:
    """Return groups as codes 0, 1, ..."""
    return np.unique(_one_per_sample(groups, "groups", n_samples), return_inverse=True)[1]


def encode_order(order: Any, n_samples: int) -> np.ndarray:
    """Return the position of each sample in an order given by numbers or dates."""
    values = _one_per_sample(order, "order", n_samples)
    if values.dtype.kind not in "biufMm":
        raise InputError(f"order holds {values.dtype}; pass numbers or dates, one per sample.")
    return np.argsort(np.argsort(values, kind="stable"))


def _one_per_sample(values: Any, name: str, n_samples: int) -> np.ndarray:
    values = np.asarray(values)
    if values.shape != (n_samples,):
        raise InputError(
            f"{name} must have one value for each of the {n_samples} samples; its shape is "
            f"{values.shape}."
        )
    is_missing = values != values  # NaN and NaT
    if values.dtype.kind == "O":
        is_missing = np.array([value is None or value != value for value in values])
        values = values.astype(str)
    if np.any(is_missing):
        raise InputError(f"{name} is missing for {np.count_nonzero(is_missing)} samples.")
    return values


def _classes(X: Any, y: Any, is_labelled: Array, protocol: Protocol) -> Problem:
    known = y[is_labelled]
    if is_continuous(known):
        # Classification was requested, so each number is the name of a class.
        known = known.astype(str)
    # One sample of each class for training and one to hold out.
    check_classes(known, min_per_class=2)
    names, codes = encode_classes(known)
    n_test = n_held_out(len(known), protocol)
    if n_test < len(names) or len(known) - n_test < len(names):
        raise InputError(
            f"{len(known)} samples are too few to split for {len(names)} classes with "
            f"test_size={protocol.test_size:.3g}: every class must be in both parts."
        )
    coded = np.full(len(y), -1, dtype=np.int64)
    coded[is_labelled] = codes
    return Problem(X, coded, "classification", tuple(names))


def _numbers(X: Any, y: Any, is_labelled: Array, protocol: Protocol) -> Problem:
    if y.dtype.kind not in "biuf":
        raise InputError(
            f"the target holds {y.dtype}, but regression needs numbers; leave out the task, or pass "
            "classification."
        )
    numbers = np.full(len(y), np.nan)
    numbers[is_labelled] = y[is_labelled]
    known = numbers[is_labelled]
    if not np.isfinite(known).all():
        raise InputError("the target holds NaN or infinite values; mark those samples unlabelled.")
    if np.ptp(known) == 0:
        raise InputError(
            f"the target is {known[0]:g} in all {len(known)} samples; it needs distinct values."
        )
    return Problem(X, numbers, "regression")
