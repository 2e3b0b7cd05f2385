"""What may change about the samples without changing the map: one list over the registry.

Every method has an entry that says how its maps are compared and which of the changes below leave
them as they are. A change that a method's mathematics does not survive is listed with the reason,
and must really show: an entry that has become wrong is an error, as is a method without one.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from discrimap.registry import METHODS

OURS = {method.name: method for method in METHODS if method.is_ours}


@dataclass(frozen=True)
class Problem:
    """Samples with a target, and where the samples of the plain problem are among them."""

    X: np.ndarray
    y: np.ndarray
    rows: np.ndarray  # rows[i] is the row that holds plain sample i
    unit: float = 1.0  # how many times larger the samples are


def in_another_order(X, y, rng):
    order = rng.permutation(len(X))
    return Problem(X[order], y[order], np.argsort(order))


def with_other_names(X, y, rng):
    # The names sort in another order than the numbers.
    return Problem(X, np.array(["b", "c", "a"])[y], np.arange(len(X)))


def with_offset(offset):
    def change(X, y, rng):
        # A different offset for each feature, so that the first class is not at the origin either.
        return Problem(X + offset * (1 + np.arange(X.shape[1])), y, np.arange(len(X)))

    return change


def rescaled(factor):
    def change(X, y, rng):
        return Problem(factor * X, y, np.arange(len(X)), unit=factor)

    return change


def with_constant_feature(X, y, rng):
    # The mean of many numbers 0.1 is not 0.1.
    return Problem(np.column_stack([X, np.full(len(X), 0.1)]), y, np.arange(len(X)))


def with_repeated_rows(X, y, rng):
    order = rng.permutation(np.repeat(np.arange(len(X)), 2))
    first = np.array([np.flatnonzero(order == i)[0] for i in range(len(X))])
    return Problem(X[order], y[order], first)


# The mildest first: it is the one that shows where a method lacks an invariance.
CHANGES: dict[str, list[Callable]] = {
    "order": [in_another_order],
    "names": [with_other_names],
    "offset": [with_offset(1e4), with_offset(1e8)],
    "scale": [rescaled(1e3), rescaled(1e-3), rescaled(1e60), rescaled(1e-60)],
    "constant": [with_constant_feature],
    "weights": [with_repeated_rows],
}


def distances_in_the_map(fitted, problem):
    return pdist(fitted.transform(problem.X)[problem.rows])


def distances_of_the_metric(fitted, problem):
    return fitted.metric_.distances()[np.ix_(problem.rows, problem.rows)].ravel()


def objective(fitted, problem):
    return np.atleast_1d(fitted.objective_)


@dataclass(frozen=True)
class Entry:
    """How a method is compared, and what it lacks.

    ``lacks`` gives the reason for each change that does change the map, ``lacks_with_numbers`` for
    those that do with a continuous target only. ``unit`` is the power of
    the unit of the samples that the compared numbers carry: 1 where components are orthonormal, 0
    where a map has a scale of its own.
    """

    unit: int = 0
    compare: Callable = distances_in_the_map
    options: dict = field(default_factory=dict)
    tol: float = 1e-6  # of changes that leave the digits of X alone
    lacks: dict[str, str] = field(default_factory=dict)
    lacks_with_numbers: dict[str, str] = field(default_factory=dict)
    up_to_scale: tuple[str, ...] = ()


NEIGHBOURS = {"weights": "repeated samples take each other's places among the neighbours"}
LEFT_OUT = {"weights": "a repeated sample is a class mate of itself, which is otherwise left out"}
FREEDOM = {"weights": "variances within classes are divided by n - C, not by n"}
# One start at a given width: which of several optima is found is not what is compared here.
ONE_START = {"bandwidth": 2.0, "n_init": 1, "tol": 1e-9}

ENTRIES = {
    "plsda": Entry(unit=1, options={"tol": 1e-14}),
    "category": Entry(unit=1),
    "kernel-category": Entry(
        lacks={
            "scale": "without sigma the width is fixed, 1 / n_features for gamma",
            "constant": "so is the width, by the number of features",
        }
    ),
    "dp": Entry(lacks=NEIGHBOURS),
    "lpp": Entry(lacks=NEIGHBOURS),
    "manifold-regularization": Entry(lacks=NEIGHBOURS),
    # t-SNE ends in another optimum after any change of a last digit: its metric is compared.
    "fisher-tsne": Entry(
        compare=distances_of_the_metric,
        options={"perplexity": 8, "max_iter": 1},
        tol=1e-3,  # to which the search for the width of most likelihood is accurate
        lacks={"weights": "the perplexity counts neighbours, and the likelihood leaves one out"},
        lacks_with_numbers={"order": "folds and landmarks are drawn by the number of a row"},
    ),
    # A long valley: maps at its floor differ more than their objectives do.
    "sda": Entry(compare=objective, options={"tol": 1e-8}, tol=1e-4),
    "nca": Entry(compare=objective, options={"tol": 1e-8}, tol=1e-4, lacks=LEFT_OUT),
    "spca": Entry(unit=1),
    "kspca": Entry(),
    "save": Entry(lacks={"weights": "covariances within slices are divided by n - 1"}),
    "sir": Entry(),
    "lslda": Entry(),
    "kda": Entry(lacks=FREEDOM, up_to_scale=("weights",)),
    "gkdr": Entry(unit=1),
    "dc": Entry(compare=objective, options=ONE_START, tol=1e-4, lacks=LEFT_OUT),
    "mrmi": Entry(compare=objective, options=ONE_START, tol=1e-4),
}
# Digits that an offset of 1e8 takes from samples of size 1, times what their loss may grow to.
OFFSET_TOL = 1e-4


def plain_samples(rng):
    """Three classes that overlap, in four features of different spread."""
    y = np.arange(60) % 3
    X = rng.standard_normal((60, 4)) * [1.0, 0.7, 1.5, 0.4]
    centres = np.array([[0.0, 0, 0, 0], [2.0, 1, 0, 0], [0.5, 2, 1, 0]])
    return X + centres[y], y


def fitted_to(name, problem, is_continuous):
    method, entry = OURS[name], ENTRIES[name]
    estimator = method.make(2, random_state=0, continuous=is_continuous)
    options = dict(entry.options)
    if "bandwidth" in options:
        options["bandwidth"] *= problem.unit
    return estimator.set_params(**options).fit(problem.X, problem.y)


def difference(name, plain, changed, is_continuous, is_up_to_scale=False):
    """Relative difference of what is compared, in the unit of the plain samples."""
    compare = ENTRIES[name].compare
    before = compare(fitted_to(name, plain, is_continuous), plain)
    after = compare(fitted_to(name, changed, is_continuous), changed)
    after = after / changed.unit ** ENTRIES[name].unit
    if is_up_to_scale:
        after = after * (np.vdot(after, before) / np.vdot(after, after))
    return np.linalg.norm(after - before) / np.linalg.norm(before)


TARGETS = {"classes": lambda method: method.classes, "numbers": lambda method: method.continuous}
CASES = [
    pytest.param(name, target, change, id=f"{name}-{target}-{change}")
    for name, method in OURS.items()
    for target, is_taken in TARGETS.items()
    for change in CHANGES
    if is_taken(method) and not (change == "names" and target == "numbers")
]


def target_of(X, y, target, rng):
    # Half of the number is the class, so that it has to do with the samples.
    return y if target == "classes" else y + X[:, 0] + 0.3 * rng.standard_normal(len(y))


def test_every_method_has_its_entry():
    assert set(ENTRIES) == set(OURS)
    assert all(set(entry.lacks) <= set(CHANGES) for entry in ENTRIES.values())


@pytest.mark.parametrize("factor", [1e-150, 1e-75, 1e75, 1e150])
@pytest.mark.parametrize("name", OURS)
def test_scales_without_room_for_squares_are_refused_with_what_to_do(name, factor, rng):
    X, y = plain_samples(rng)
    estimator = OURS[name].make(2, random_state=0)
    with pytest.raises(ValueError, match="rescale it, for example with sklearn"):
        estimator.fit(
            factor * X, target_of(X, y, "classes" if OURS[name].classes else "numbers", rng)
        )


@pytest.mark.parametrize(("name", "target", "change"), CASES)
def test_the_map_changes_only_where_the_method_says_so(name, target, change, rng):
    X, y = plain_samples(rng)
    y = target_of(X, y, target, rng)
    entry, is_continuous = ENTRIES[name], target == "numbers"
    plain = Problem(X, y, np.arange(len(X)))
    lacks = entry.lacks | (entry.lacks_with_numbers if is_continuous else {})
    if change in lacks:
        changed = CHANGES[change][0](X, y, rng)
        found = difference(name, plain, changed, is_continuous)
        assert found > 1e-3, f"it does not show that {lacks[change]}"
        if change in entry.up_to_scale:
            assert difference(name, plain, changed, is_continuous, True) <= entry.tol
        return
    tol = max(entry.tol, OFFSET_TOL if change == "offset" else 0.0)
    for make in CHANGES[change]:
        assert difference(name, plain, make(X, y, rng), is_continuous) <= tol


def test_weights_of_sda_are_repeated_samples(rng):
    X, y = plain_samples(rng)
    counts = 1 + np.arange(len(X)) % 3
    options = {"tol": 1e-8, "random_state": 0}
    method = OURS["sda"]
    weighted = method.make(2).set_params(**options).fit(X, y, sample_weight=counts)
    repeated = method.make(2).set_params(**options)
    repeated.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    np.testing.assert_allclose(weighted.objective_, repeated.objective_, rtol=1e-4)
