"""Transformers of the user's own stand in the table under the same protocol."""

import json
import pickle
import threading

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA, FastICA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.manifold import TSNE
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from discrimap import cli
from discrimap.comparison import Protocol, compare
from discrimap.comparison.own_methods import choose_methods, own_method
from discrimap.errors import InputError
from discrimap.registry import METHODS

FAST = Protocol(n_repeats=2)


class Drawn(TransformerMixin, BaseEstimator):
    """Project onto random directions; remember the seeds it was given."""

    def __init__(self, n_components=2, random_state=None):
        self.n_components, self.random_state = n_components, random_state

    def fit(self, X, y):
        rng = np.random.default_rng(self.random_state)
        self.components_ = rng.standard_normal((X.shape[1], self.n_components))
        return self

    def transform(self, X):
        return X @ self.components_


class Plain:
    """No scikit-learn estimator, and a map of which nobody knows the width before."""

    def fit(self, X, y):
        self.mean = X.mean(axis=0)
        return self

    def transform(self, X):
        return (X - self.mean)[:, :3]


class Flat(Plain):
    def transform(self, X):
        return X[:, 0]


class WithoutTarget(Plain):
    def fit(self, X):
        return self


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def by_label(comparison):
    return {result.label: result for result in comparison.results}


def test_an_estimator_of_ones_own_has_the_figures_of_the_same_method_in_the_registry(wine):
    own = [("my LDA", LinearDiscriminantAnalysis()), ("my PCA", PCA())]
    results = by_label(compare(*wine, ["lda", "pca", *own], protocol=FAST))
    for label in ("LDA", "PCA"):
        assert results[f"my {label}"].test_errors == results[label].test_errors
        assert results[f"my {label}"].train_errors == results[label].train_errors
        assert results[f"my {label}"].n_components_in_full == 2
    # A method of which nothing is known is fitted to permuted labels, which PCA need not be.
    assert results["my LDA"].permuted_errors == results["LDA"].permuted_errors
    assert len(results["my PCA"].permuted_errors) == 2


def test_the_seed_follows_the_split_in_every_step_and_the_estimator_is_left_alone(wine):
    estimator = make_pipeline(Drawn(n_components=4), Drawn())
    first = compare(*wine, [("drawn", estimator)], protocol=FAST).results[0]
    again = compare(*wine, [("drawn", estimator)], protocol=FAST).results[0]
    other = compare(*wine, [("drawn", estimator)], protocol=Protocol(n_repeats=2, seed=5)).results[
        0
    ]
    assert first.test_errors == again.test_errors
    assert first.test_errors != other.test_errors
    assert estimator.get_params()["drawn-1__random_state"] is None
    method = own_method("drawn", estimator)
    made = method.make(2, 17)
    assert [step.random_state for _, step in made.steps] == [17, 17]
    assert [step.n_components for _, step in made.steps] == [4, 2]


@pytest.mark.parametrize(
    ("estimator", "in_full"), [(PCA(5), 5), (Plain(), 3), (PCA(1), 1)], ids=["5", "unknown", "1"]
)
def test_a_map_of_other_width_is_shown_by_its_best_axes(wine, estimator, in_full):
    result = compare(*wine, [("mine", estimator)], protocol=FAST).results[0]
    assert result.n_components == min(2, in_full)
    assert result.n_components_in_full == in_full
    words = "has only 1 of the 2" if in_full < 2 else f"the best 2 of its {in_full}"
    assert result.notices[0].startswith(f"{words} components")


class Loose(Drawn):
    """Its parameters are not in the signature, as in estimators that wrap another library."""

    def __init__(self, **parameters):
        super().__init__(**parameters)

    def get_params(self, deep=True):
        return {"n_components": self.n_components, "random_state": self.random_state}

    def set_params(self, **parameters):
        vars(self).update(parameters)
        return self


def test_parameters_need_not_be_in_the_signature(wine):
    result = compare(*wine, [("loose", Loose(n_components=3))], protocol=FAST).results[0]
    assert (result.status, result.n_components_in_full) == ("done", 3)


def test_dots_stand_for_all_suitable_methods(wine):
    named = choose_methods([..., ("mine", PCA())], METHODS)
    assert [method.name for method in named] == [*(method.name for method in METHODS), "mine"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("svc", SVC()), "'svc' is a SVC, which has no transform"),
        (("t-SNE", TSNE()), "cannot place held-out samples"),
        (("array", np.ones(3)), "has no fit"),
        (("PCA", PCA), r"the class PCA; pass an estimator: PCA\(\)"),
        (("lda", PCA()), "a method of discrimap has this name"),
        ((" ", PCA()), "it is empty"),
        (("flat", WithoutTarget()), r"whose fit does not take \(X, y\)"),
        (PCA(), "pairs of a label and an estimator"),
        ("ldaa", "no method named 'ldaa'"),
        ("sklearn.decomposition:PCAA", "has no 'PCAA'"),
        ("nowhere_at_all:PCA", "cannot be imported"),
        (":PCA", "cannot be imported"),
        ("sklearn.compose:ColumnTransformer", "cannot be made without arguments"),
        ("sklearn.svm:SVC", "has no transform"),
    ],
)
def test_what_is_no_method_is_refused_before_anything_is_fitted(wine, given, message):
    with pytest.raises(InputError, match=message):
        compare(*wine, ["pca", given], protocol=FAST)


def test_two_methods_of_one_label_are_refused():
    with pytest.raises(InputError, match="two methods are called 'mine'"):
        choose_methods([("mine", PCA()), ("mine", FastICA())])


def test_a_map_of_another_shape_is_a_row_with_the_reason(wine):
    results = by_label(compare(*wine, ["pca", ("flat", Flat())], protocol=FAST))
    assert results["PCA"].status == "done"
    assert results["flat"].status == "failed"
    assert "has the shape (118,)" in results["flat"].reason


def test_estimators_travel_to_worker_processes(wine):
    method = own_method("drawn", Drawn(n_components=3))
    there = pickle.loads(pickle.dumps(method))
    assert (there.name, there.path, there.n_chosen) == ("drawn", method.path, 3)
    assert there.make(2, 7).get_params() == method.make(2, 7).get_params()
    broken = Drawn(random_state=threading.Lock())
    with pytest.raises(InputError, match="cannot be sent to worker processes"):
        compare(*wine, [("locked", broken)], protocol=FAST, n_jobs=2)


MODULE = """
from sklearn.decomposition import PCA

class Mine(PCA):
    pass

ready = PCA(n_components=3)
"""


def test_the_command_line_takes_a_class_of_the_current_folder(tmp_path, monkeypatch, capsys):
    (tmp_path / "my_own_module.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    json_path, page = tmp_path / "result.json", tmp_path / "report.html"
    arguments = [
        "compare",
        "wine",
        "--methods",
        "lda",
        "--repeats",
        "2",
        "--jobs",
        "2",
        "--budget",
        "0",
        "--quiet",
    ]
    arguments += ["--method", "my_own_module:Mine", "--method", "my_own_module:ready"]
    code = cli.main([*arguments, "--json", str(json_path), "--out", str(page)])
    assert code == 0, capsys.readouterr().err
    result = json.loads(json_path.read_text())
    found = {one["label"]: one for one in result["results"]}
    assert set(found) == {"LDA", "Mine", "ready"}
    assert {one["status"] for one in found.values()} == {"done"}
    assert found["ready"]["n_components_in_full"] == 3
    run = {one["label"]: one for one in result["provenance"]["methods"]}
    assert run["Mine"]["class_path"] == "my_own_module.Mine"
    assert "Mine" in capsys.readouterr().out
    assert "Mine" in page.read_text()
