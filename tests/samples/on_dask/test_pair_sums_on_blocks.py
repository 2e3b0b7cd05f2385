import pickle
import sys

import dask.array as da
import distributed
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from discrimap import StochasticDiscriminantAnalysis
from discrimap.kernel_sums import CauchyKernel, LogKernel, PairTerm
from discrimap.samples.in_memory import ArraySamples
from discrimap.samples.on_dask import grids, pair_sums
from discrimap.samples.on_dask.dask_samples import View
from discrimap.samples.on_dask.runtime import FEW_HOMES, Cluster, ThisProcess, add, reduce_for_all
from discrimap.samples.on_dask.validation import validate_collections
from discrimap.sda.objective import StochasticDiscriminantObjective, pair_targets


@pytest.fixture
def objectives(classes):
    """The same objective in memory, exact, and in four blocks."""
    X, y = classes
    targets = pair_targets(5, 0.2)
    here = StochasticDiscriminantObjective(
        ArraySamples(X, y), targets, n_components=2, engine="exact"
    )
    samples = validate_collections(
        StochasticDiscriminantAnalysis(),
        da.from_array(X, chunks=(300, X.shape[1])),
        da.from_array(y, chunks=300),
    )
    there = StochasticDiscriminantObjective(
        samples, targets, n_components=2, engine="fourier", engine_tol=1e-8
    )
    return here, there


def assert_same(here, there, W):
    value, grad = here.value_and_grad(W)
    block_value, block_grad = there.value_and_grad(W)
    assert_allclose(block_value, value, rtol=1e-7)
    assert_allclose(block_grad, grad, atol=1e-6 * np.abs(grad).max())


# Far from the origin (the samples lie about 20 in every feature) a turn moves all points.
@pytest.mark.parametrize("change", ["wider", "narrower", "turned", "elsewhere"])
def test_points_may_leave_the_grid_of_the_last_evaluation(objectives, rng, change):
    here, there = objectives
    W = 0.3 * rng.standard_normal((8, 2))
    assert_same(here, there, W)
    after = {
        "wider": 4 * W,
        "narrower": 0.1 * W,
        "turned": W[:, ::-1] * [1, -1],
        "elsewhere": 0.3 * rng.standard_normal((8, 2)) + 1,
    }[change]
    assert_same(here, there, after)


def test_a_grid_serves_while_the_points_fit(objectives, rng, monkeypatch):
    _, there = objectives
    W = 0.3 * rng.standard_normal((8, 2))
    there.value_and_grad(W)
    rounds = []
    once = pair_sums.DaskPairSums._evaluate_blocks
    monkeypatch.setattr(
        pair_sums.DaskPairSums,
        "_evaluate_blocks",
        lambda *args: rounds.append(1) or once(*args),
    )
    there.value_and_grad(1.01 * W)
    assert len(rounds) == 1
    there.value_and_grad(3 * W)
    assert len(rounds) == 3


def test_points_that_leave_the_range_of_floats_are_an_error(objectives, rng):
    _, there = objectives
    W = rng.standard_normal((8, 2))
    there.value_and_grad(W)
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="diverged"):
        there.value_and_grad(1e308 * W)


def test_the_margin_does_not_make_a_grid_too_large(objectives, rng, monkeypatch):
    here, there = objectives
    W = 0.3 * rng.standard_normal((8, 2))
    there.value_and_grad(W)
    low, high = there.sums.box
    most = there.sums.shelf.n_modes(high - low)
    # A box at the top of its rung, so that the margin needs the next one.
    monkeypatch.setattr(pair_sums, "MARGIN", 1.09)
    monkeypatch.setattr(pair_sums, "most_modes", lambda n_classes: most)
    monkeypatch.setattr(grids, "most_modes", lambda n_classes: most)
    assert_same(here, there, W)


@pytest.mark.parametrize("engine", ["auto", "fourier"])
def test_a_start_out_of_range_is_an_error(classes, engine):
    X, y = classes
    samples = validate_collections(
        StochasticDiscriminantAnalysis(),
        da.from_array(X, chunks=(300, X.shape[1])),
        da.from_array(y, chunks=300),
    )
    there = StochasticDiscriminantObjective(
        samples, pair_targets(5, 0.2), n_components=2, engine=engine
    )
    with pytest.raises(ValueError, match="diverged"):
        there.value_and_grad(np.full((8, 2), np.nan))


def test_coordinates_stay_where_they_were_made(rng):
    """Coordinates that were not transferred with the block are computed again."""
    coordinates, codes = rng.standard_normal((2, 300)), rng.integers(0, 3, 300)
    view, layout = View(), pair_sums.layout_of(codes, [], 2, 3)
    samples = OnePiece(np.ascontiguousarray(coordinates.T))
    terms = [PairTerm(LogKernel(), np.eye(3)), PairTerm(CauchyKernel(), np.ones((3, 3)))]
    series = (terms, 1e-7, np.array([[-5.0, -5.0], [5.0, 5.0]]))
    own = pair_sums.map_block(samples, view, layout, np.eye(2), *series)
    assert sys.getsizeof(own) > own.coordinates.nbytes + own.spectra.nbytes
    travelled = pickle.loads(pickle.dumps(own))
    assert travelled.coordinates is None
    assert_array_equal(travelled.spectra, own.spectra)
    answers = [
        pair_sums.answer_of_block(
            samples, view, layout, np.eye(2), part, [travelled], *series, value_of_totals
        )
        for part in (own, travelled)
    ]
    assert answers[0].value == answers[1].value
    assert_array_equal(answers[0].pullback, answers[1].pullback)


@pytest.mark.parametrize("n_homes", [1, FEW_HOMES, FEW_HOMES + 1])
def test_many_workers_get_one_sum(n_homes):
    parts = [np.array([float(k)]) for k in range(3 * n_homes)]
    homes = [k % n_homes for k in range(3 * n_homes)]
    sums = reduce_for_all(ThisProcess(), parts, homes, add)
    assert len(sums) == (1 if n_homes > FEW_HOMES else n_homes)
    assert add(sums) == sum(range(3 * n_homes))


class OnePiece:
    """Rows of a block that are in memory."""

    def __init__(self, X):
        self.X, self.dtype, self.shape = X, X.dtype, X.shape

    def __len__(self):
        return len(self.X)

    def parts(self):
        yield slice(0, len(self.X)), self.X


def value_of_totals(totals):
    return float(totals.sum()), np.ones(len(totals))


def test_tasks_sent_together_run_at_their_homes(client):
    runtime = Cluster(client)
    homes = [*runtime.homes, runtime.homes[0], runtime.homes[0]]
    handles = runtime.submit_each(address_and_sum, [(k, 1) for k in range(4)], homes)
    assert runtime.result(handles) == [(home, k + 1) for k, home in enumerate(homes)]


def address_and_sum(first, second):
    return distributed.get_worker().address, first + second
