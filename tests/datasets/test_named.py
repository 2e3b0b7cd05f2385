import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets as sklearn_datasets

from discrimap.datasets import dataset_names, list_datasets, load
from discrimap.datasets.catalogue import CATALOGUE
from discrimap.errors import InputError

BUILTIN = [entry for entry in CATALOGUE if entry.is_builtin]
RESEARCH = [entry for entry in CATALOGUE if not entry.is_builtin]
# These two are large, and are read by the benchmarks that need them.
LARGE = {"mnist", "coil20_128"}


@pytest.mark.parametrize("entry", BUILTIN, ids=lambda entry: entry.name)
def test_builtin_sets_are_those_of_scikit_learn(entry):
    dataset = load(entry.name)
    expected = getattr(sklearn_datasets, f"load_{entry.name}")()
    np.testing.assert_array_equal(dataset.X, expected.data)
    np.testing.assert_array_equal(dataset.y, expected.target)
    assert dataset.feature_names == list(expected.feature_names)
    assert dataset.target_names == [str(name) for name in expected.target_names]
    assert dataset.X.shape == (entry.n_samples, entry.n_features)
    assert len(dataset.target_names) == entry.n_classes


@pytest.mark.parametrize(
    "entry", [entry for entry in RESEARCH if entry.name not in LARGE], ids=lambda entry: entry.name
)
def test_research_sets_are_as_the_catalogue_says(entry, research_data):
    dataset = research_data(entry.name)
    assert dataset.name == entry.name
    assert dataset.y.dtype == np.int64
    np.testing.assert_array_equal(np.unique(dataset.y), np.arange(entry.n_classes))
    assert len(dataset.y) == len(dataset.is_labelled) == entry.n_samples
    if entry.n_features is None:
        assert dataset.X is None
        assert (entry.n_samples, entry.n_samples) in {a.shape for a in dataset.extras.values()}
    else:
        assert dataset.X.shape == (entry.n_samples, entry.n_features)
    if dataset.target_names is not None:
        assert len(dataset.target_names) == entry.n_classes
    if dataset.feature_names is not None:
        assert len(dataset.feature_names) == entry.n_features
    assert not {"X", "y", "feature_names", "target_names"} & dataset.extras.keys()


def test_the_sparse_set_keeps_its_counts(research_data):
    dataset = research_data("tdt2")
    assert sparse.issparse(dataset.X)
    assert dataset.X.format == "csr"
    # From the description of the set: the sizes of its classes, and its empty columns.
    assert np.bincount(dataset.y)[:4].tolist() == [1844, 1828, 1222, 811]
    assert np.count_nonzero(np.asarray(dataset.X.sum(axis=0)).ravel() == 0) == 678
    assert list(dataset.extras) == ["month_day"]


def test_the_user_is_told_the_terms_and_faults_of_a_set(research_data):
    assert "scientific use only" in research_data("lvqpak").notices[0]
    assert "S_chen is faulty" in research_data("protein").notices[0]


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("irsi", "iris"), ("Wine", "wine"), ("breast-cancer", "breast_cancer"), ("coil-20", "coil20")],
)
def test_an_unknown_name_gets_the_nearest_one(name, nearest):
    with pytest.raises(InputError, match=f"no data set named '{name}'; the nearest is '{nearest}'"):
        load(name)


def test_a_name_like_no_other_gets_the_list():
    with pytest.raises(InputError, match="there are 'iris', 'wine', 'digits'"):
        load("xxxxxxxx")


def test_a_name_must_be_text():
    with pytest.raises(TypeError, match="name must be a str such as 'iris', but is int"):
        load(3)


def test_a_set_that_is_not_at_hand_says_where_to_get_it(monkeypatch):
    monkeypatch.delenv("DISCRIMAP_DATA", raising=False)
    with pytest.raises(
        InputError, match=r"'coil20' is not available; get it from https://.*coil-20"
    ):
        load("coil20")


def test_a_wrong_folder_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("DISCRIMAP_DATA", str(tmp_path / "absent"))
    with pytest.raises(InputError, match=r"DISCRIMAP_DATA is set to .*absent, which is not a fold"):
        load("coil20")


def test_the_list_says_where_each_set_comes_from(monkeypatch, tmp_path):
    np.savez(tmp_path / "coil20.npz", X=np.zeros((2, 1)), y=[0, 1])
    monkeypatch.setenv("DISCRIMAP_DATA", str(tmp_path))
    listings = {listing.entry.name: listing for listing in list_datasets()}
    assert tuple(listings) == dataset_names()
    assert len(set(dataset_names())) == len(CATALOGUE)
    origins = {name: listings[name].origin for name in ("iris", "coil20", "seeds", "phoneme")}
    assert origins == {
        "iris": "built in",
        "coil20": "folder",
        "seeds": "OpenML",
        "phoneme": "missing",
    }
    assert listings["seeds"].is_available
    assert not listings["phoneme"].is_available
