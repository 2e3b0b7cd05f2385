import zipfile

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_wine
from sklearn.preprocessing import StandardScaler

from discrimap import PLSDA, __version__
from discrimap.datasets import Dataset, load, read_table
from discrimap.errors import InputError
from discrimap.models import Model, fit_model, load_model, save_model
from discrimap.registry import METHODS, get_method


@pytest.mark.parametrize(
    "method", [method for method in METHODS if method.classes], ids=lambda method: method.name
)
def test_a_loaded_model_maps_as_the_saved_one(method, tmp_path):
    iris = load("iris")
    model = fit_model(iris, method)
    save_model(tmp_path / "model.skops", model)
    loaded = load_model(tmp_path / "model.skops")
    assert_allclose(loaded.transform(iris.X[:9]), model.transform(iris.X[:9]), rtol=1e-6)
    assert loaded.feature_names == iris.feature_names
    assert loaded.classes == ["setosa", "versicolor", "virginica"]
    assert (loaded.method, loaded.versions) == (method.name, model.versions)


def test_paths_and_methods_are_named_by_text(tmp_path):
    iris = load("iris")
    model = fit_model(iris, "lda")
    save_model(str(tmp_path / "model.skops"), model)
    loaded = load_model(str(tmp_path / "model.skops"))
    assert_allclose(loaded.transform(iris.X), fit_model(iris, get_method("lda")).transform(iris.X))


def test_a_model_is_the_scaled_method_on_all_samples():
    X, y = load_wine(return_X_y=True)
    expected = PLSDA().fit_transform(StandardScaler().fit_transform(X), y)
    assert_allclose(fit_model(load("wine"), get_method("plsda")).transform(X), expected)
    raw = fit_model(load("wine"), get_method("plsda"), scale=False)
    assert_allclose(raw.transform(X), PLSDA().fit_transform(X, y))


def test_a_file_that_is_no_model_is_refused(tmp_path):
    path = tmp_path / "m.skops"
    with pytest.raises(InputError, match=r"the model file .* does not exist"):
        load_model(path)
    path.write_bytes(b"not a zip")
    with pytest.raises(InputError, match="not a model file"):
        load_model(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", "{}")
    with pytest.raises(InputError, match="it has no format"):
        load_model(path)


def test_a_model_by_hand_has_its_versions():
    model = Model(StandardScaler().fit(np.eye(2)), "none", ["a", "b"], ["x", "y"])
    assert model.versions["discrimap"] == __version__
    assert set(model.versions) > {"python", "numpy", "scikit-learn"}


@pytest.mark.parametrize(
    "method", [method for method in METHODS if method.continuous], ids=lambda method: method.name
)
def test_a_continuous_target_in_whole_numbers(method, tmp_path):
    X, y = load_diabetes(return_X_y=True)
    assert (y == np.floor(y)).all()
    diabetes = Dataset("diabetes", X[:150], y[:150])
    model = fit_model(diabetes, method, n_components=1)
    save_model(tmp_path / "model.skops", model)
    loaded = load_model(tmp_path / "model.skops")
    assert_allclose(loaded.transform(X[:9]), model.transform(X[:9]), rtol=1e-6)
    assert (loaded.classes, loaded.n_fitted) == ([], 150)


def test_a_target_that_the_method_does_not_take_is_refused():
    numbers = Dataset("numbers", np.eye(4), np.array([0.5, 1.5, 2.5, 3.5]))
    with pytest.raises(InputError, match="LDA needs class labels, but the target of numbers"):
        fit_model(numbers, get_method("lda"))
    with pytest.raises(InputError, match="PLS needs a continuous target"):
        fit_model(load("iris"), get_method("pls"))
    with pytest.raises(InputError, match="has no labels"):
        fit_model(Dataset("bare", np.eye(4)), get_method("lda"))


def partly_labelled(n_unlabelled):
    iris = load("iris")
    is_labelled = np.arange(150) % 3 != 0 if n_unlabelled else np.ones(150, dtype=bool)
    y = np.where(is_labelled, iris.y, -1)
    return Dataset(
        "iris", iris.X, y, target_names=["setosa", "versi", "virgi"], is_labelled=is_labelled
    )


def test_rows_without_a_label_go_to_the_methods_that_use_them():
    iris = partly_labelled(50)
    assert fit_model(iris, get_method("dp")).n_fitted == 150
    lda = fit_model(iris, get_method("lda"))
    assert (lda.n_fitted, lda.classes) == (100, ["setosa", "versi", "virgi"])
    rows = iris.is_labelled
    alone = fit_model(Dataset("iris", iris.X[rows], iris.y[rows]), get_method("lda"))
    assert_allclose(lda.transform(iris.X), alone.transform(iris.X))


@pytest.mark.parametrize("gap", ["", "1"], ids=["unlabelled rows", "all labelled"])
@pytest.mark.parametrize("method", ["lda", "dp"])
def test_classes_named_by_whole_numbers_are_ordered_by_value(method, gap, tmp_path, rng):
    """The names of the model are in the order of its classes."""
    labels = ["10", "2", "1"] * 20
    X = rng.standard_normal((60, 2)) + 5 * np.array([int(label) for label in labels])[:, None]
    rows = [f"{a},{b},{label}" for (a, b), label in zip(X, [gap, *labels[1:]], strict=True)]
    path = tmp_path / "numbered.csv"
    path.write_text("\n".join(["a,b,kind", *rows]))
    table = read_table(path, "kind", unlabelled="keep", task="auto")
    model = fit_model(table, get_method(method), n_components=1)
    assert model.classes == ["1", "2", "10"]
    is_coded = gap == "" and method == "dp"
    assert model.pipeline[-1].classes_.tolist() == ([0, 1, 2] if is_coded else [1, 2, 10])


def test_missing_values_are_filled_by_what_the_training_rows_had(rng):
    X = rng.standard_normal((60, 3)) + np.array([0, 0, 5])
    y = np.arange(60) % 2
    X[::7, 2] = np.nan
    model = fit_model(Dataset("gaps", X, y), get_method("lda"), n_components=1, impute="median")
    new = np.array([[1.0, 2.0, np.nan]])
    median = np.nanmedian(X[:, 2])
    assert_allclose(model.transform(new), model.transform(np.array([[1.0, 2.0, median]])))
    assert (model.impute, model.count_missing(new)) == ("median", 1)
