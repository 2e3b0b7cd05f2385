import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import linalg, sparse
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

from discrimap import StochasticDiscriminantAnalysis
from discrimap.metrics import knn_error
from discrimap.optimisers import METHODS
from discrimap.samples.in_memory import ArraySamples
from discrimap.sda import estimator as sda_module
from discrimap.sda import problem as sda_problem
from discrimap.sda.objective import StochasticDiscriminantObjective, pair_targets


def blobs(rng, n_classes=5, n_features=6, n_each=20, spread=4.0):
    labels = np.repeat(np.arange(n_classes), n_each)
    centres = spread * rng.standard_normal((n_classes, n_features))
    return centres[labels] + rng.standard_normal((len(labels), n_features)), labels


def fitted(X, y, sample_weight=None, **parameters):
    sda = StochasticDiscriminantAnalysis(**{"random_state": 0, **parameters})
    return sda.fit(X, y, sample_weight=sample_weight)


def distances(Z):
    return np.sqrt(((Z[:, None] - Z[None]) ** 2).sum(axis=2))


def test_the_map_separates_real_classes():
    X, y = load_wine(return_X_y=True)
    Z = fitted(scale(X), y).transform(scale(X))
    assert knn_error(Z[::2], y[::2], Z[1::2], y[1::2], n_neighbors=1) < 0.05


def test_many_classes_are_told_apart_better_than_by_lda():
    X, y = load_digits(return_X_y=True)
    train, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)

    def error(estimator):
        estimator.fit(X[train], y[train])
        Z_train, Z_test = estimator.transform(X[train]), estimator.transform(X[test])
        return knn_error(Z_train, y[train], Z_test, y[test], n_neighbors=1)

    sda = StochasticDiscriminantAnalysis(random_state=0)
    assert error(sda) < 0.9 * error(LinearDiscriminantAnalysis(n_components=2))


def test_classes_that_can_be_perfectly_placed_are():
    # Three groups of equal samples: the triangle with sides sqrt(1/eps - 1) = sqrt(8) has q = p.
    X = np.repeat(np.array([[0.0, 0, 1], [5, 1, 0], [2, 7, 3]]), 4, axis=0)
    y = np.repeat([0, 1, 2], 4)
    sda = fitted(X, y, tol=1e-12)
    assert sda.epsilon_ == pytest.approx(1 / 9)
    assert sda.objective_ == pytest.approx(0, abs=1e-9)
    apart = distances(sda.transform(X))
    assert_allclose(apart[y[:, None] != y], np.sqrt(8), rtol=1e-3)


def test_with_room_for_the_simplex_the_plane_is_that_of_lda(rng):
    # Round classes: the scatter within is the same in all directions, so the plane through the
    # three means is best for both methods, up to sampling. The means are equally far apart: were
    # they almost on a line, sampling would decide the second direction.
    y = np.repeat([0, 1, 2], 200)
    X = 12 * np.eye(3, 6)[y] + rng.standard_normal((600, 6))
    ours = fitted(X, y).components_.T
    lda = LinearDiscriminantAnalysis(n_components=2).fit(X, y).scalings_[:, :2]
    assert np.rad2deg(linalg.subspace_angles(ours, lda)).max() < 8


def test_components_are_orthogonal_by_decreasing_norm():
    X, y = load_iris(return_X_y=True)
    components = fitted(X, y, n_components=3).components_
    gram = components @ components.T
    assert_allclose(gram - np.diag(np.diag(gram)), 0, atol=1e-10 * gram.max())
    assert (np.diff(np.diag(gram)) <= 0).all()


@pytest.mark.parametrize("solver", METHODS)
def test_every_solver_reaches_the_same_optimum(solver):
    X, y = load_iris(return_X_y=True)
    best = fitted(scale(X), y, tol=1e-9).objective_
    sda = fitted(scale(X), y, solver=solver, tol=1e-6)
    assert sda.objective_ == pytest.approx(best, rel=5e-3)
    assert len(sda.loss_curve_) == sda.n_iter_ + 1
    assert sda.loss_curve_[-1] == sda.objective_


@pytest.mark.parametrize("n_components", [1, 2])
def test_engines_find_the_same_map(n_components, rng):
    X, y = blobs(rng)
    exact = fitted(X, y, n_components=n_components, engine="exact")
    fourier = fitted(X, y, n_components=n_components, engine="fourier")
    assert fourier.objective_ == pytest.approx(exact.objective_, rel=1e-4)


@pytest.mark.parametrize("init", ["pca", "lda", "random"])
def test_named_starts_lead_to_a_good_map(init, rng):
    X, y = blobs(rng, n_classes=3)
    assert fitted(X, y, init=init).objective_ == pytest.approx(fitted(X, y).objective_, rel=1e-2)


def test_an_array_is_the_start_itself(rng):
    X, y = blobs(rng)
    best = fitted(X, y, tol=1e-9)
    again = fitted(X, y, init=best.components_, epsilon=best.epsilon_, tol=1e-9)
    assert again.loss_curve_[0] == pytest.approx(best.objective_, rel=1e-9)
    assert_allclose(again.components_, best.components_, rtol=1e-2, atol=1e-3)


def test_several_starts_are_never_worse_than_one():
    X, y = load_digits(return_X_y=True)
    one, several = (fitted(X, y, n_init=n_init, epsilon="paper").objective_ for n_init in (1, 30))
    assert several < 0.995 * one


def test_the_default_is_within_one_percent_of_ten_random_starts(rng):
    X, y = blobs(rng, n_classes=8, n_features=10)
    default = fitted(X, y, epsilon="paper").objective_
    best = min(
        fitted(X, y, init="random", n_init=1, random_state=seed).objective_ for seed in range(10)
    )
    assert default <= 1.01 * best


def test_rank_reduction_loses_nothing(rng, monkeypatch):
    X, y = blobs(rng, n_features=200, n_each=8)
    # Some descents take more than the usual number of iterations to this tolerance.
    parameters = {"alpha": 0.01, "n_init": 1, "tol": 1e-13, "max_iter": 10_000}
    reduced = fitted(X, y, **parameters)
    monkeypatch.setattr(sda_problem, "MAX_REDUCED_SAMPLES", 0)
    full = fitted(X, y, **parameters)
    assert reduced.objective_ == pytest.approx(full.objective_, rel=1e-6)
    assert_allclose(distances(reduced.transform(X)), distances(full.transform(X)), atol=0.02)
    # The rows of the map lie in the span of the samples.
    inside = linalg.lstsq((X - X.mean(axis=0)).T, reduced.components_.T)[0]
    assert_allclose((X - X.mean(axis=0)).T @ inside, reduced.components_.T, atol=1e-10)


def test_large_problems_without_scatter_matrices_reach_the_same(rng, monkeypatch):
    X, y = blobs(rng, n_classes=3)
    small = fitted(X, y, n_init=1, tol=1e-9)
    monkeypatch.setattr(sda_problem, "MAX_SCATTER_FEATURES", 0)
    large = fitted(X, y, n_init=1, tol=1e-9)
    assert large.objective_ == pytest.approx(small.objective_, rel=1e-3)
    with pytest.raises(ValueError, match="solver='sd' needs a square matrix"):
        fitted(X, y, solver="sd")
    with pytest.raises(ValueError, match="init='lda' needs square"):
        fitted(X, y, init="lda")


@pytest.mark.parametrize("factor", [1e-8, 1e8])
@pytest.mark.parametrize("shape", ["tall", "wide"])
def test_units_do_not_change_the_map(factor, shape, rng):
    X, y = blobs(rng, n_features=6 if shape == "tall" else 150)
    plain, scaled = fitted(X, y), fitted(factor * X, y)
    # With room to spare many maps are equally good: which is found must not be up to rounding. Such maps
    # differ by 3e-4 of the objective. The same one differs by up to 3e-6, and its distances by up to 5e-4
    # of the largest, because the default tol ends a search early and its steps increase the rounding.
    assert scaled.objective_ == pytest.approx(plain.objective_, rel=1e-5)
    before, after = distances(plain.transform(X)), distances(scaled.transform(factor * X))
    assert_allclose(after, before, atol=2e-3 * before.max())


def test_an_offset_does_not_change_the_map(rng):
    X, y = blobs(rng)
    plain, moved = fitted(X, y), fitted(X + 1e4, y)
    assert_allclose(moved.transform(X + 1e4), plain.transform(X), atol=1e-4)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6))
def test_rotations_order_and_names_do_not_change_the_distances(seed):
    rng = np.random.default_rng(seed)
    X, y = blobs(rng, n_classes=3, n_features=4, n_each=10)
    plain = fitted(X, y, tol=1e-9)
    rotation = linalg.qr(rng.standard_normal((4, 4)))[0]
    order = rng.permutation(len(y))
    other = fitted((X @ rotation)[order], np.array([9, 4, 7])[y[order]], tol=1e-9)
    assert other.objective_ == pytest.approx(plain.objective_, rel=1e-4)
    assert_allclose(
        distances(other.transform(X @ rotation)), distances(plain.transform(X)), atol=0.05
    )


@pytest.mark.parametrize(
    ("n_each", "parameters"),
    [
        (20, {}),
        (80, {}),  # above 300 samples, starts are compared on a random part of them
        (20, {"alpha": "cv"}),
        (20, {"epsilon": "cv"}),
    ],
)
def test_weights_equal_repetition(n_each, parameters, rng):
    X, y = blobs(rng, n_each=n_each)
    weights = rng.integers(0, 4, len(y))
    weighted = fitted(X, y, sample_weight=weights, **parameters)
    repeated = fitted(np.repeat(X, weights, axis=0), np.repeat(y, weights), **parameters)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-8)
    assert_allclose(weighted.components_, repeated.components_, atol=1e-6)
    assert_allclose(weighted.mean_, repeated.mean_)


def test_sparse_data_give_the_dense_map(rng):
    X, y = blobs(rng)
    X = np.where(np.abs(X) > 2, X, 0.0)
    for n_features in (6, 150):
        wide = np.tile(X, (1, 25))[:, :n_features]
        # At the default tol a change of X by 1e-13 moves where the descent stops by up to 5e-5.
        dense, csr = (
            fitted(data, y, alpha=0.01, tol=1e-9) for data in (wide, sparse.csr_matrix(wide))
        )
        assert_allclose(csr.components_, dense.components_, atol=1e-6)
        assert_allclose(csr.transform(sparse.csr_matrix(wide)), dense.transform(wide), atol=1e-6)


def test_the_penalty_shrinks_the_map(rng):
    X, y = blobs(rng)
    norms = [linalg.norm(fitted(X, y, alpha=alpha).components_) for alpha in (0.0, 0.1, 1.0, 1e6)]
    assert (np.diff(norms) < 0).all()
    assert norms[-1] < 1e-3


def test_the_alpha_search_keeps_what_it_tried(rng):
    X, y = blobs(rng, n_features=100, n_each=8)
    sda = fitted(X, y, alpha="cv")
    assert len(sda.alphas_) == len(sda.cv_errors_) == 10
    assert (np.diff(sda.alphas_) > 0).all()
    assert sda.cv_errors_[sda.alphas_ == sda.alpha_] == sda.cv_errors_.min()


@pytest.mark.parametrize("n_constant", [0, 7])
@pytest.mark.parametrize("factor", [1e-3, 255.0])
def test_the_alpha_search_is_the_same_in_other_units(factor, n_constant, rng):
    X, y = blobs(rng, n_features=30, n_each=8)
    constant = np.full((len(X), n_constant), 5.0)
    sda = fitted(np.hstack([factor * X, constant]), y, alpha="cv", n_init=2)
    # The paper's six values for features of unit variance, and four more between them.
    expected = factor**2 * X.var(axis=0).mean() * np.logspace(-8, 2, 6)
    distances_to_tried = np.abs(np.log10(sda.alphas_ / expected[:, None])).min(axis=1)
    assert_allclose(distances_to_tried, 0, atol=1e-6)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_the_variance_of_weighted_samples_is_that_of_repeated_ones(container, rng):
    X, counts = rng.standard_normal((50, 4)), rng.integers(1, 4, 50)
    y = np.arange(50) % 2
    weighted = ArraySamples(container(X), y, np.arange(2), counts.astype(float))
    assert_allclose(weighted.feature_variances(), np.repeat(X, counts, axis=0).var(axis=0))


def test_the_last_fit_starts_from_the_solution_that_generalised_best(rng, monkeypatch):
    # Classes far enough apart, and similar enough to each other, that no penalty wins whose map is a
    # line, which is no start.
    X, y = blobs(rng, n_classes=6, n_features=12, n_each=12, spread=1.5)
    parts = []

    class Recorded(sda_module.HeldOut):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            parts.append(self)

    monkeypatch.setattr(sda_module, "HeldOut", Recorded)
    # Other starts would be compared with it.
    sda = fitted(X, y, alpha="cv", n_init=1, epsilon="paper")
    choice = sda.epsilon_, sda.alpha_
    assert len({part.errors[choice] for part in parts}) > 1
    best = min(parts, key=lambda part: part.errors[choice])
    objective = StochasticDiscriminantObjective(
        ArraySamples(X, y), pair_targets(6, sda.epsilon_), n_components=2, alpha=sda.alpha_
    )
    value, _ = objective.value_and_grad(best.solution(*choice))
    assert sda.loss_curve_[0] == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("alpha", [0.0, "cv"])
def test_the_epsilon_search_keeps_what_it_tried(alpha, rng):
    X, y = blobs(rng, n_classes=6, n_features=12, n_each=12, spread=1.0)
    sda = fitted(X, y, epsilon="cv", alpha=alpha)
    assert_allclose(sda.epsilons_, [1 / 6, 1 / 60, 1 / 600])
    best = sda.epsilon_errors_.argmin()
    assert sda.epsilon_ == sda.epsilons_[best]
    again = fitted(X, y, epsilon=sda.epsilon_, alpha=sda.alpha_, init=sda.components_)
    assert_allclose(again.objective_, sda.objective_, rtol=1e-3)
    if alpha == "cv":
        assert sda.cv_errors_.min() == sda.epsilon_errors_[best]
    else:
        assert not hasattr(sda, "alphas_")


def test_a_fit_without_a_search_forgets_the_last_one(rng):
    y = np.repeat([0, 1, 2], 20)
    X = rng.standard_normal((60, 4)) + 3 * np.eye(3, 4)[y]
    sda = fitted(X, y, alpha="cv", epsilon="cv")
    sda.set_params(alpha=0.1, epsilon="auto").fit(X, y)
    for name in ("alphas_", "cv_errors_", "epsilons_", "epsilon_errors_"):
        assert not hasattr(sda, name)


def test_a_large_epsilon_uses_the_rim_of_the_map():
    # Sec. 3.3: with a large epsilon (HSE) the middle of the map stays empty.
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(8), 5)
    X = np.eye(8)[y] + 1e-3 * rng.standard_normal((40, 8))

    def emptiness(epsilon):
        Z = fitted(X, y, epsilon=epsilon).transform(X)
        radius = linalg.norm(Z - Z.mean(axis=0), axis=1)
        return radius.min() / radius.max()

    assert emptiness(0.5) > 0.6 > emptiness(0.05)


def test_knowing_the_label_noise_keeps_classes_apart(rng):
    X, y = blobs(rng, n_classes=3, n_each=60, spread=6.0)
    noisy = np.where(rng.uniform(size=len(y)) < 0.2, rng.integers(0, 3, len(y)), y)

    def separation(label_noise):
        Z = fitted(X, noisy, label_noise=label_noise).transform(X)
        centres = np.array([Z[y == c].mean(axis=0) for c in range(3)])
        return distances(centres)[np.triu_indices(3, 1)].min()

    assert separation(0.0) > 0
    matrix = np.full((3, 3), 0.2 / 3) + 0.8 * np.eye(3)
    assert separation(matrix) == pytest.approx(separation(2 * 0.2 / 3), rel=1e-3)


def test_the_callback_and_the_printer_see_the_descent(capsys, rng):
    X, y = blobs(rng)
    steps = []

    def stop_at_two(step):
        steps.append(step)
        return step.n_iter == 2

    sda = fitted(X, y, callback=stop_at_two, verbose=2)
    assert sda.n_iter_ == len(steps) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("StochasticDiscriminantAnalysis: iteration 1")
    assert captured.out == ""


def test_too_few_iterations_warn_with_a_remedy(rng):
    X, y = blobs(rng)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 iterations.*Increase max_iter"):
        fitted(X, y, max_iter=1)


def test_the_seed_decides_and_the_arrays_stay(rng):
    X, y = blobs(rng, n_features=60)
    kept = X.copy()
    first, second = (fitted(X, y, alpha="cv", random_state=3) for _ in range(2))
    assert_allclose(first.components_, second.components_, rtol=0)
    assert_allclose(X, kept, rtol=0)


def odd_data(kind, rng):
    X, y = blobs(rng, n_classes=3)
    if kind == "singleton":
        y[0] = 7
    elif kind == "two classes":
        y = (y > 0).astype(int)
    elif kind == "duplicates":
        X[10:30] = X[10]
    elif kind == "constant column":
        X[:, 2] = 5.0
    elif kind == "collinear":
        X[:, 3] = X[:, 0] - X[:, 1]
    elif kind == "one value per class":
        X = np.eye(3)[y]
    elif kind == "integers":
        X = (10 * X).astype(np.int32)
    elif kind == "half precision":
        X = X.astype(np.float16)
    elif kind == "outlier":
        X[0] = 1e6
    elif kind == "one feature varies":
        X[:, 1:] = 0.0
    return X, y


@pytest.mark.parametrize("alpha", [0.0, 1e-3, "cv"])
@pytest.mark.parametrize(
    "kind",
    [
        "singleton",
        "two classes",
        "duplicates",
        "constant column",
        "collinear",
        "one value per class",
        "integers",
        "half precision",
        "outlier",
        "one feature varies",
    ],
)
def test_odd_data_give_a_finite_map(kind, alpha, rng):
    X, y = odd_data(kind, rng)
    sda = fitted(X, y, alpha=alpha)
    assert np.isfinite(sda.components_).all()
    assert np.isfinite(sda.transform(X)).all()
    assert np.abs(sda.components_).max() > 0


def test_equal_samples_are_refused():
    with pytest.raises(ValueError, match="X has no variance: its 6 samples are equal"):
        fitted(np.ones((6, 3)), [0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": 1.5}, "epsilon"),
        ({"epsilon": np.nan}, "epsilon"),
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": np.nan}, "alpha"),
        ({"alpha": np.inf}, "alpha"),
        ({"tol": np.nan}, "tol"),
        ({"label_noise": np.nan}, "label_noise"),
        ({"label_noise": [[1.0]]}, r"label_noise has shape \(1, 1\)"),
        ({"init": np.zeros((2, 3))}, r"init has shape \(2, 3\).*\(2, 4\)"),
        ({"init": np.full((2, 4), np.nan)}, "init"),
        ({"solver": "newton"}, "solver"),
        ({"engine": "magic"}, "engine"),
        ({"engine": "fourier", "n_components": 4}, "n_components|dimensions"),
        ({"n_components": 5}, "n_components=5 exceeds n_features=4"),
    ],
)
def test_bad_parameters_are_refused_by_name(parameters, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        fitted(X, y, **parameters)


def test_a_search_needs_samples_to_hold_out():
    with pytest.raises(ValueError, match="no class has more than 2 samples"):
        fitted(np.eye(4), [0, 0, 1, 1], alpha="cv")


def test_weights_that_leave_one_class_are_refused(rng):
    X, y = blobs(rng, n_classes=2)
    with pytest.raises(ValueError, match="sample_weight leaves one class only"):
        fitted(X, y, sample_weight=(y == 0).astype(float))
