"""A loaded model equals the saved model to the last digit."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.pipeline import make_pipeline

from discrimap import (
    CategorySpace,
    DiscriminativeComponents,
    FisherMetric,
    FisherTSNE,
    KernelDiscriminantAnalysis,
    KernelSupervisedPCA,
    LandmarkPosterior,
    LeastSquaresLDA,
    StochasticDiscriminantAnalysis,
)
from discrimap.datasets import Dataset
from discrimap.models import Model, fit_model, load_model, save_model
from discrimap.registry import METHODS

# What an estimator has beside its map.
PREDICTIONS = ("predict", "predict_proba", "predict_log_proba", "decision_function")


@pytest.fixture
def data(rng):
    y = np.arange(98) % 3
    return rng.standard_normal((98, 4)) + 2 * np.eye(4)[y], y


def check_round_trip(model, new, path, **tolerances):
    save_model(path, model)
    loaded = load_model(path)
    before, after = model.pipeline[-1], loaded.pipeline[-1]
    assert set(vars(before)) == set(vars(after))
    np.testing.assert_allclose(
        loaded.transform(new), model.transform(new), **{"rtol": 0, **tolerances}
    )
    for name in PREDICTIONS:
        # A pipeline has the method where its last step does.
        if hasattr(model.pipeline, name):
            expected = getattr(model.pipeline, name)(new)
            assert_array_equal(getattr(loaded.pipeline, name)(new), expected)
    assert loaded.component_names == model.component_names
    return loaded


CASES = [
    (method, kind)
    for method in METHODS
    for kind in ("classes", "continuous", "sparse")
    if (kind == "sparse" and method.sparse and method.classes)
    or (kind != "sparse" and getattr(method, kind))
]


@pytest.mark.parametrize(
    ("method", "kind"), CASES, ids=[f"{method.name}-{kind}" for method, kind in CASES]
)
def test_every_method_maps_and_predicts_as_before(method, kind, data, tmp_path):
    X, y = data
    target = y + X[:, 3] if kind == "continuous" else y
    if kind == "sparse":
        X = sparse.csr_array(np.where(X > 0.5, X, 0.0))
    n_components = 1 if kind == "continuous" else 2
    dataset = Dataset("made", X[:93], target[:93])
    model = fit_model(dataset, method, n_components=n_components)
    # Products depend on the strides of a matrix in the last digit, and sparse PCA returns a view.
    tolerances = {"rtol": 1e-12, "atol": 1e-12} if kind == "sparse" else {}
    loaded = check_round_trip(model, X[88:], tmp_path / "model.skops", **tolerances)
    assert (loaded.classes, loaded.n_fitted) == (model.classes, 93)


def precomputed(X):
    return X @ X.T


SETTINGS = {
    "searched regularisation": (StochasticDiscriminantAnalysis(2, alpha="cv"), "sda", None),
    "rows": (StochasticDiscriminantAnalysis(2, normalisation="rows"), "sda", None),
    "mixture": (
        DiscriminativeComponents(1, estimator="mixture", bandwidth=1.0, tol=1e-3),
        "dc",
        None,
    ),
    "class weights": (CategorySpace(class_weight={0: 1.0, 1: 2.0, 2: 1.0}), "category", None),
    "weights by text": (CategorySpace(class_weight="balanced"), "category", None),
    "absolute axes": (CategorySpace(objective="absolute"), "category", None),
    "landmarks": (KernelSupervisedPCA(2, n_landmarks=20, random_state=0), "kspca", None),
    "polynomial": (KernelDiscriminantAnalysis(2, kernel="poly", degree=2), "kda", None),
    "precomputed": (KernelDiscriminantAnalysis(2, kernel="precomputed"), "kda", precomputed),
    "precomputed, landmarks": (
        KernelDiscriminantAnalysis(2, kernel="precomputed", n_landmarks=20, random_state=0),
        "kda",
        precomputed,
    ),
    "cross-fitted metric": (
        FisherTSNE(metric=FisherMetric(cross_fit=True, n_centres=30, perplexity=10)),
        "fisher-tsne",
        None,
    ),
    "landmarks of a metric": (
        FisherTSNE(
            metric=FisherMetric(
                posterior=LandmarkPosterior(n_landmarks=20), cross_fit=True, regularisation="auto"
            )
        ),
        "fisher-tsne",
        None,
    ),
    "landmarks of a metric, one model": (
        FisherTSNE(metric=FisherMetric(posterior=LandmarkPosterior(n_landmarks=20))),
        "fisher-tsne",
        None,
    ),
    "paths of a graph": (
        FisherTSNE(metric=FisherMetric(path="graph", perplexity=10)),
        "fisher-tsne",
        None,
    ),
    "similarities": (FisherTSNE(kernel="precomputed"), "fisher-tsne", precomputed),
}


@pytest.mark.parametrize("case", SETTINGS)
def test_settings_that_are_not_the_defaults(case, data, tmp_path):
    estimator, name, kernel = SETTINGS[case]
    X, y = data
    if name == "fisher-tsne":
        estimator.set_params(perplexity=10, max_iter=40, random_state=0, init="random")
    if kernel is not None:
        # Similarities to the training samples are the features.
        X = kernel(X)[:, :93]
    estimator.fit(X[:93], y[:93])
    names = [f"x{j}" for j in range(X.shape[1])]
    model = Model(make_pipeline(estimator), name, names, ["0", "1", "2"], 93)
    check_round_trip(model, X[88:], tmp_path / "model.skops")


def test_batches_go_on_after_loading(data, tmp_path):
    X, y = data
    estimator = LeastSquaresLDA(2).fit(X[:50], y[:50])
    save_model(tmp_path / "m.skops", Model(make_pipeline(estimator), "lslda", ["a"] * 4, ["0"]))
    loaded = load_model(tmp_path / "m.skops").pipeline[-1]
    loaded.partial_fit(X[50:], y[50:])
    estimator.partial_fit(X[50:], y[50:])
    assert_array_equal(loaded.transform(X), estimator.transform(X))


def test_single_precision_stays(data, tmp_path):
    X, y = data
    model = fit_model(Dataset("made", X.astype(np.float32), y), METHODS[0])
    loaded = check_round_trip(model, X[:5].astype(np.float32), tmp_path / "m.skops")
    assert loaded.transform(X[:5].astype(np.float32)).dtype == np.float32
