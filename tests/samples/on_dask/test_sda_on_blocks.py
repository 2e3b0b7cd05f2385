import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from discrimap import StochasticDiscriminantAnalysis
from discrimap.samples.in_memory import ArraySamples
from discrimap.samples.on_dask.collection import open_collection
from discrimap.samples.on_dask.validation import validate_collections
from discrimap.sda.objective import StochasticDiscriminantObjective, pair_targets

CHUNKINGS = {
    "one": (1200,),
    "uneven": (1, 0, 500, 0, 299, 400),
    "many": (40,) * 30,
}


def make_sda(**parameters):
    return StochasticDiscriminantAnalysis(**{"n_init": 1, "random_state": 0, **parameters})


def in_chunks(X, y, chunks):
    return da.from_array(X, chunks=(chunks, X.shape[1])), da.from_array(y, chunks=(chunks,))


@pytest.mark.parametrize("chunking", CHUNKINGS)
@pytest.mark.parametrize("engine", ["auto", "fourier"])
def test_any_chunks_give_the_fit_in_memory(classes, place, chunking, engine, assert_same_fit):
    X, y = classes
    here = make_sda(engine=engine).fit(X, y)
    there = make_sda(engine=engine).fit(*in_chunks(X, y, CHUNKINGS[chunking]))
    assert_same_fit(here, there)
    # Sums of blocks and of all samples differ by the tolerance of the series.
    assert abs(there.n_iter_ - here.n_iter_) <= 1
    assert_array_equal(there.classes_, here.classes_)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_chunks_may_miss_classes(classes, client, n_components, assert_same_fit):
    X, y = classes
    order = np.argsort(y, kind="stable")  # chunks of one class or two
    X, y = X[order].astype(np.float32), np.array(list("edcba"))[y[order]]
    parameters = {"engine": "fourier", "tol": 0.03 if n_components == 3 else 1e-4}
    here = make_sda(n_components=n_components, **parameters).fit(X, y)
    there = make_sda(n_components=n_components, **parameters).fit(*in_chunks(X, y, 200))
    assert_same_fit(here, there)
    assert_array_equal(there.classes_, here.classes_)
    assert there.components_.dtype == np.float32


def test_objective_and_gradient_are_those_in_memory(classes, place, rng):
    X, y = classes
    targets = pair_targets(5, 0.2)
    W = rng.standard_normal((8, 2))
    here = StochasticDiscriminantObjective(
        ArraySamples(X, y), targets, n_components=2, engine="exact"
    )
    value, grad = here.value_and_grad(W)

    samples = validate_collections(make_sda(), *in_chunks(X, y, 300))
    there = StochasticDiscriminantObjective(
        samples, targets, n_components=2, engine="fourier", engine_tol=1e-9
    )
    block_value, block_grad = there.value_and_grad(W)
    assert_allclose(block_value, value, rtol=1e-8)
    assert_allclose(block_grad, grad, atol=1e-7 * np.abs(grad).max())


def test_the_penalty_is_chosen_as_in_memory(rng, assert_same_fit):
    labels = rng.permutation(np.repeat([0, 1, 2], 400))
    X = rng.standard_normal((1200, 30)) + 0.5 * rng.standard_normal((3, 30))[labels]
    here = make_sda(alpha="cv", tol=1e-3).fit(X, labels)
    there = make_sda(alpha="cv", tol=1e-3).fit(*in_chunks(X, labels, 500))
    assert_allclose(there.alphas_, here.alphas_)
    # Larger penalties pull the map to a line or a point, in which rounding chooses neighbours.
    is_map = here.alphas_ < 1
    assert is_map.sum() >= 4  # those of the first, coarse grid; the finer grids may lie above
    assert_allclose(there.cv_errors_[is_map], here.cv_errors_[is_map])
    # The unit of the penalties is a mean variance, summed in another order.
    assert there.alpha_ == pytest.approx(here.alpha_, rel=1e-12)
    assert_same_fit(here, there)


def test_wide_data_is_small_data(rng, place, assert_same_fit):
    labels = np.repeat([0, 1], 20)
    X = rng.standard_normal((40, 60)) + labels[:, None]
    here = make_sda(alpha=0.1).fit(X, labels)
    assert_same_fit(here, make_sda(alpha=0.1).fit(*in_chunks(X, labels, 15)))


def test_rows_are_drawn_by_their_place_in_the_whole(classes, place):
    X, y = classes
    samples = open_collection(*in_chunks(X, y, (0, 300, 500, 400)))
    rows = np.array([1199, 0, 299, 300, 799, 800, 5])
    assert_array_equal(samples.draw(rows).array, X[rows])
    assert_array_equal(samples.draw(rows).labels, y[rows])
    ranks = np.array([60, 0, 7])
    assert_array_equal(samples.members_of(2, ranks), np.flatnonzero(y == 2)[ranks])

    left_out = np.array([0, 3, 500, 1199])
    kept = np.delete(np.arange(1200), left_out)
    part, some = samples.without(left_out), np.array([0, 1, 600, 1195])
    assert_array_equal(part.draw(some).array, X[kept][some])
    assert_array_equal(part.draw(some).labels, y[kept][some])
    assert_array_equal(part.members_of(1, ranks), np.flatnonzero(y[kept] == 1)[ranks])
    again = part.without(np.array([0, 1195]))
    assert_array_equal(again.draw(np.array([0, 1193])).array, X[kept][1:-1][[0, 1193]])
