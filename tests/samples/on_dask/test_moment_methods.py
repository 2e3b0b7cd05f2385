import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from discrimap import PLSDA, CategorySpace, LeastSquaresLDA, SupervisedPCA
from discrimap.samples.on_dask.collection import open_collection
from discrimap.samples.on_dask.dask_samples import NOTHING
from discrimap.samples.on_dask.moments import block_moments, merge_moments
from discrimap.samples.on_dask.sources import Rows, Source

METHODS = {
    "plsda": (PLSDA(3), ("coef_", "intercept_", "vip_")),
    "category": (CategorySpace(class_weight="balanced"), ("objective_",)),
    "category-class": (CategorySpace(origin="class"), ("objective_",)),
    "category-zero": (CategorySpace(origin="zero"), ("objective_",)),
    "spca": (SupervisedPCA(6), ("eigenvalues_",)),
    "lslda": (LeastSquaresLDA(3, ridge=0.01), ("eigenvalues_",)),
}
CHUNKS = (300, 0, 2, 498, 400)


@pytest.fixture
def scaled(classes):
    """The classes with features of very different scales, sorted: chunks miss classes."""
    X, y = classes
    order = np.argsort(y, kind="stable")
    return (X * np.logspace(-2, 3, 8))[order], y[order]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", METHODS)
def test_any_chunks_give_the_fit_in_memory(scaled, place, name, dtype, assert_same_fit):
    X, y = scaled[0].astype(dtype), scaled[1]
    estimator, attributes = METHODS[name]
    here = type(estimator)(**estimator.get_params()).fit(X, y)
    there = estimator.fit(da.from_array(X, chunks=(CHUNKS, 8)), da.from_array(y, chunks=(CHUNKS,)))
    assert_same_fit(here, there)
    rtol = 1e-7 if dtype == np.float64 else 1e-3
    for attribute in attributes:
        expected = np.asarray(getattr(here, attribute), dtype=np.float64)
        scale = np.abs(expected).max()
        assert_allclose(getattr(there, attribute), expected, rtol=rtol, atol=rtol * scale)
    # Category axes are found by descent. Their objective can be so flat that moves of 1e-6 change it by
    # less than its rounding, with any tol.
    atol = max(10 * rtol, 1e-5 if name.startswith("category") else 0.0)
    atol *= np.abs(here.components_).max()
    assert_allclose(there.components_, here.components_, rtol=0, atol=atol)
    assert there.n_features_in_ == 8


def test_a_dataframe_gives_names_and_takes_text_labels(classes, place, assert_same_fit):
    X, y = classes
    table = pd.DataFrame(X, columns=list("stuvwxyz")).assign(target=np.array(list("abcde"))[y])
    blocks = dd.from_pandas(table, npartitions=5)
    here = PLSDA().fit(table[list("stuvwxyz")], table["target"])
    there = PLSDA().fit(blocks[list("stuvwxyz")], blocks["target"])
    assert_same_fit(here, there)
    assert_array_equal(there.feature_names_in_, here.feature_names_in_)
    assert_array_equal(there.classes_, here.classes_)


def test_batches_can_be_added_to_a_fit_in_blocks(classes):
    X, y = classes
    whole = LeastSquaresLDA(2).fit(X, y)
    first = LeastSquaresLDA(2).fit(da.from_array(X[:700], chunks=(300, 8)), y[:700])
    assert_allclose(first.partial_fit(X[700:], y[700:]).components_, whole.components_, rtol=1e-8)


@pytest.mark.parametrize("is_pooled", [False, True])
def test_moments_of_blocks_add_up(classes, is_pooled):
    X, y = classes
    pieces = np.split(np.arange(len(X)), [1, 700, 703])
    parts = [
        block_moments(
            Rows([X[rows[:5]], X[rows[5:]]], 8, X.dtype),
            Source([y[rows]], [0], [0]),
            NOTHING,
            None,
            is_pooled,
        )
        for rows in pieces
    ]
    moments = merge_moments([merge_moments(parts[:2]), merge_moments(parts[2:])])
    centred = X - X.mean(axis=0)
    assert_allclose(moments.total, centred.T @ centred, rtol=1e-10)
    assert_allclose(moments.mean, X.mean(axis=0))
    own = X[y == 3] - X[y == 3].mean(axis=0)
    if not is_pooled:
        assert_allclose(moments.scatters[3], own.T @ own, rtol=1e-10, atol=1e-9)
    assert_array_equal([moments.low, moments.high], [X.min(axis=0), X.max(axis=0)])


def test_samples_stay_where_they_are(classes, client):
    X, y = classes
    samples = open_collection(da.from_array(X, chunks=(100, 8)), y)
    samples.moments()
    holders = client.who_has([block.samples for block in samples.blocks])
    homes = [holders[block.samples.key] for block in samples.blocks]
    assert all(home == (block.home,) for home, block in zip(homes, samples.blocks, strict=True))
    assert len({block.home for block in samples.blocks}) == 2


@pytest.mark.parametrize(("n_outputs", "dtype"), [(1, np.float32), (2, np.float64)])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_numbers_are_explained_as_in_memory(
    classes, rng, place, kernel, dtype, n_outputs, assert_same_fit
):
    X = classes[0].astype(dtype)
    y = np.sin(X[:, :n_outputs].astype(float)) + X[:, 2:3] + 0.1 * rng.standard_normal((1200, 1))
    y = y[:, 0] if n_outputs == 1 else y
    parameters = {"n_components": 3, "target_kernel": kernel, "random_state": 0}
    here = SupervisedPCA(**parameters).fit(X, y)
    chunks = (1, 0, 500, 0, 299, 400)
    there = SupervisedPCA(**parameters).fit(
        da.from_array(X, chunks=(chunks, 8)),
        da.from_array(y, chunks=(chunks, *y.shape[1:])),
    )
    assert_same_fit(here, there)
    assert_allclose(there.eigenvalues_, here.eigenvalues_, rtol=1e-5)
    assert not hasattr(there, "classes_")


@pytest.mark.parametrize(
    ("y", "word"),
    [
        (np.where(np.arange(1200) == 700, np.nan, 0.5), "y contains NaN in chunk 1"),
        (np.full(1200, 0.5), "same value in all 1200"),
    ],
)
def test_numbers_that_explain_nothing_are_refused(classes, y, word):
    X = da.from_array(classes[0], chunks=(500, 8))
    with pytest.raises(ValueError, match=word):
        SupervisedPCA().fit(X, da.from_array(y, chunks=(500,)))


@pytest.mark.parametrize("estimator", [PLSDA(5), SupervisedPCA(5), LeastSquaresLDA(4)])
def test_moments_serve_more_than_three_components(classes, estimator, assert_same_fit):
    X, y = classes
    here = clone(estimator).fit(X, y)
    assert len(here.components_) > 3
    assert_same_fit(here, estimator.fit(da.from_array(X, chunks=(500, 8)), y))
