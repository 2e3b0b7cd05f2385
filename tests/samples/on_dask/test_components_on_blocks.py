import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose

from discrimap import DiscriminativeComponents, RenyiComponents
from discrimap.components.parzen import ParzenLikelihood
from discrimap.components.renyi_information import RenyiInformation
from discrimap.samples.in_memory import ArraySamples
from discrimap.samples.on_dask.validation import validate_collections

CHUNKS = (400, 0, 1, 399, 400)


def in_chunks(X, y, chunks=CHUNKS):
    return da.from_array(X, chunks=(chunks, X.shape[1])), da.from_array(y, chunks=(chunks,))


@pytest.fixture
def thin(classes, rng):
    """Classes with a lone sample of its own class, two far points and a close pair."""
    X, y = classes
    X, y = X.copy(), y.copy()
    y[7] = 5
    X[[30, 900]] += 40
    X[31] = X[30] + 1e-3
    y[31] = y[30]
    return X, y


@pytest.mark.parametrize("bandwidth", [0.4, 1.5])
@pytest.mark.parametrize("n_components", [1, 2])
def test_likelihood_and_its_gradient_are_exact(thin, rng, bandwidth, n_components):
    X, y = thin
    W = np.linalg.qr(rng.standard_normal((8, n_components)))[0]
    here = ParzenLikelihood(ArraySamples(X, y), bandwidth, n_components, engine="exact")
    value, grad = here.value_and_grad(W)
    samples = validate_collections(DiscriminativeComponents(), *in_chunks(X, y))
    there = ParzenLikelihood(samples.centred()[0], bandwidth, n_components, engine="fourier")
    evaluation = there.classes.evaluate(W)
    assert 0 < len(evaluation.isolated.labels) < 1200  # both ways of summing take part
    block_value, block_grad = there.value_and_grad(W)
    assert_allclose(block_value, value, atol=1e-6)
    assert_allclose(block_grad, grad, atol=2e-6 * np.linalg.norm(grad))
    assert_allclose(there.log_likelihood(W), here.log_likelihood(W), atol=1e-6)


def test_renyi_information_and_its_gradient_are_exact(thin, rng):
    X, y = thin
    W = np.linalg.qr(rng.standard_normal((8, 2)))[0]
    value, grad = RenyiInformation(ArraySamples(X, y), 0.8, 2, engine="exact").value_and_grad(W)
    samples = validate_collections(RenyiComponents(), *in_chunks(X, y))
    there = RenyiInformation(samples, 0.8, 2, engine="fourier", tol=1e-9)
    block_value, block_grad = there.value_and_grad(W)
    assert_allclose(block_value, value, rtol=1e-7)
    assert_allclose(block_grad, grad, atol=1e-7 * np.linalg.norm(grad))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "make", [DiscriminativeComponents, RenyiComponents], ids=["parzen", "renyi"]
)
def test_any_chunks_give_the_fit_in_memory(classes, place, make, dtype, assert_same_fit):
    X, y = classes[0].astype(dtype), classes[1]
    parameters = {"n_init": 2, "engine": "fourier", "bandwidth": 1.0, "random_state": 0}
    here = make(**parameters).fit(X, y)
    there = make(**parameters).fit(*in_chunks(X, y))
    assert_same_fit(here, there)
    assert_allclose(there.components_, here.components_, atol=1e-4)


def test_width_and_starts_are_found_as_in_memory(classes, assert_same_fit):
    X, y = classes
    X, y = X[:500], y[:500]
    parameters = {"n_components": 1, "n_bandwidths": 3, "n_init": 2, "ordered": True}
    parameters["random_state"] = 0  # without one, the second fit would draw other starts
    here = DiscriminativeComponents(**parameters).fit(X, y)
    there = DiscriminativeComponents(**parameters).fit(*in_chunks(X, y, (200, 300)))
    assert there.bandwidth_ == pytest.approx(here.bandwidth_)
    assert_same_fit(here, there)
    assert there.mutual_information_ == pytest.approx(here.mutual_information_, abs=1e-6)
    assert_allclose(there.predict_proba(X[:20]), here.predict_proba(X[:20]), atol=1e-5)


def test_components_can_be_ordered_in_blocks(classes, assert_same_fit):
    X, y = classes
    parameters = {"n_init": 1, "bandwidth": 1.0, "ordered": True}
    here = RenyiComponents(**parameters).fit(X, y)
    there = RenyiComponents(**parameters).fit(*in_chunks(X, y))
    assert_same_fit(here, there)
    assert_allclose(there.components_, here.components_, atol=1e-4)


@pytest.mark.parametrize(
    ("parameters", "word"),
    [
        ({"n_components": 4}, "at most 3"),
        ({"engine": "exact"}, "engine='auto'"),
        ({"solver": "sgd"}, "solver='lbfgs'"),
        ({"estimator": "mixture"}, "estimator='parzen'"),
        ({"beta": 0.5}, "beta=1"),
        ({"batch_size": 100}, "batch_size=None"),
    ],
)
def test_what_cannot_be_distributed_names_the_alternative(classes, parameters, word):
    with pytest.raises(ValueError, match=word):
        DiscriminativeComponents(**parameters).fit(*in_chunks(*classes))


def test_unlabelled_samples_are_refused(classes):
    X, y = classes
    with pytest.raises(ValueError, match="leave them out"):
        DiscriminativeComponents().fit(*in_chunks(X, np.where(y == 4, -1, y)))
