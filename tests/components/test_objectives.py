"""Objectives of discriminative and Renyi components."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from discrimap.components.mixture import MixtureLikelihood, mixture_start
from discrimap.components.parzen import ParzenLikelihood
from discrimap.components.renyi_information import RenyiInformation
from discrimap.components.subspaces import OnSubspaces, polar
from discrimap.samples.in_memory import ArraySamples

N_SAMPLES, N_FEATURES, N_COMPONENTS, N_CLASSES = 90, 6, 2, 3


def make_data(rng, with_unlabelled=False):
    labels = rng.integers(-1 if with_unlabelled else 0, N_CLASSES, N_SAMPLES)
    labels[:N_CLASSES] = np.arange(N_CLASSES)
    X = rng.standard_normal((N_SAMPLES, N_FEATURES))
    X[:, 0] += labels
    return X, labels


def parzen(rng, **options):
    X, labels = make_data(rng, with_unlabelled="beta" in options)
    objective = ParzenLikelihood(ArraySamples(X, labels), 0.6, N_COMPONENTS, tol=1e-9, **options)
    return OnSubspaces(objective), rng.standard_normal((N_FEATURES, N_COMPONENTS))


def parzen_with_lonely_points(rng):
    X, labels = make_data(rng)
    labels[5] = N_CLASSES  # a class of one
    X[7] += 30.0  # a density that underflows
    objective = ParzenLikelihood(ArraySamples(X, labels), 0.6, N_COMPONENTS)
    return OnSubspaces(objective), rng.standard_normal((N_FEATURES, N_COMPONENTS))


def renyi(rng, **options):
    X, labels = make_data(rng)
    objective = RenyiInformation(ArraySamples(X, labels), 0.6, N_COMPONENTS, tol=1e-9, **options)
    return OnSubspaces(objective), rng.standard_normal((N_FEATURES, N_COMPONENTS))


def mixture(rng, beta=1.0, width=None, bound=0.0):
    """``bound`` is the lower bound of the width, as a part of the width."""
    X, labels = make_data(rng, with_unlabelled=True)
    V = rng.standard_normal((N_FEATURES, N_COMPONENTS))
    parts = mixture_start(X, labels, polar(V)[0], N_CLASSES, 5, 0)
    objective = MixtureLikelihood(
        X, labels, N_CLASSES, N_COMPONENTS, 5, beta, width, least_width=bound * parts[-1]
    )
    start = objective.pack(V, *parts)
    return objective, start + 0.1 * rng.standard_normal(start.shape)


OBJECTIVES = {
    "parzen": parzen,
    "parzen, fourier": lambda rng: parzen(rng, engine="fourier"),
    "parzen with unlabelled points": lambda rng: parzen(rng, beta=0.4),
    "parzen, density alone": lambda rng: parzen(rng, beta=0.0),
    "parzen with lonely points": parzen_with_lonely_points,
    "renyi": renyi,
    "renyi, fourier": lambda rng: renyi(rng, engine="fourier"),
    "mixture": mixture,
    "mixture with unlabelled points": lambda rng: mixture(rng, beta=0.4),
    "mixture far above its least width": lambda rng: mixture(rng, bound=0.2),
    "mixture near its least width": lambda rng: mixture(rng, beta=0.4, bound=0.95),
    "mixture of given width": lambda rng: mixture(rng, width=0.5),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_gradient_is_the_derivative_of_the_value(name, rng):
    objective, params = OBJECTIVES[name](rng)
    gradient = objective.value_and_grad(params)[1]
    direction = rng.standard_normal(params.shape) + 10 * gradient / np.linalg.norm(gradient)

    def value(t):
        return objective.value_and_grad(params + t * direction)[0]

    # Small enough for a lonely point, in whose density the nearest neighbour changes quickly.
    step = 3e-6
    slope = (8 * (value(step) - value(-step)) - (value(2 * step) - value(-2 * step))) / (12 * step)
    assert_allclose(np.vdot(gradient, direction), slope, rtol=1e-7)


@pytest.mark.parametrize("bound", [0.0, 0.2, 0.95])
def test_the_width_of_the_mixture_has_a_bound(bound, rng):
    objective, params = mixture(rng, bound=bound)
    _, _, _, width = objective.unpack(params)
    least = 0.0 if bound == 0 else np.exp(objective.log_least)
    params[-1] = -400.0  # exp(2 t) underflows
    assert_allclose(objective.unpack(params)[-1], max(least, np.exp(-400.0)), rtol=1e-12)
    # Packing and unpacking are inverse, above the bound.
    packed = objective.pack(*objective.unpack(params)[:3], width)
    assert_allclose(objective.unpack(packed)[-1], width, rtol=1e-12)


@pytest.mark.parametrize("width", [1e-50, 1e-13, 1e-3, 1.0, 1e200])
def test_classes_that_are_apart_have_no_negative_loss(width, rng):
    # Each class has its own kernel: own and all are the same sums, of up to 1e100 nats.
    X, labels = make_data(rng)
    X[:, 0] += 20 * labels
    centres = np.array([X[labels == c].mean(axis=0) for c in range(N_CLASSES)])
    log_weights = np.where(np.eye(N_CLASSES) > 0, 0.0, -3.0)
    objective = MixtureLikelihood(X, labels, N_CLASSES, N_COMPONENTS, N_CLASSES)
    params = objective.pack(np.eye(N_FEATURES, N_COMPONENTS), centres, log_weights, width)
    value, gradient = objective.value_and_grad(params)
    certain = -np.log(1 / (1 + 2 * np.exp(-3.0)))  # what the weights alone leave open
    if width <= 1:
        assert_allclose(value, certain, rtol=1e-9)
    assert 0 <= value < np.inf
    assert np.isfinite(gradient).all()
    assert_allclose(objective.log_likelihood(params), -value, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in OBJECTIVES if "mixture" not in name])
def test_only_the_subspace_counts(name, rng):
    objective, V = OBJECTIVES[name](rng)
    value, _ = objective.value_and_grad(V)
    mixed = V @ (np.eye(N_COMPONENTS) + 0.3 * rng.standard_normal((N_COMPONENTS, N_COMPONENTS)))
    assert_allclose(objective.value_and_grad(mixed)[0], value, rtol=1e-7)


def test_parzen_is_the_printed_likelihood(rng):
    X, labels = make_data(rng, with_unlabelled=True)
    W, _ = polar(rng.standard_normal((N_FEATURES, N_COMPONENTS)))
    beta, b = 0.3, 0.6
    Z = X @ W
    exponents = -((Z[:, None] - Z) ** 2).sum(axis=2) / (2 * b**2)
    np.fill_diagonal(exponents, -np.inf)
    total = 0.0
    for i in np.flatnonzero(labels >= 0):
        own = logsumexp(exponents[i, labels == labels[i]])
        total += beta * (own - logsumexp(exponents[i, labels >= 0]))
    densities = logsumexp(exponents, axis=1) - np.log((N_SAMPLES - 1) * 2 * np.pi * b**2)
    total += (1 - beta) * densities.sum()
    value, _ = ParzenLikelihood(ArraySamples(X, labels), b, N_COMPONENTS, beta).value_and_grad(W)
    assert_allclose(value, -total / np.sum(labels >= 0), rtol=1e-6)


def test_renyi_is_equation_15(rng):
    X, labels = make_data(rng)
    W, _ = polar(rng.standard_normal((N_FEATURES, N_COMPONENTS)))
    Z = X @ W
    kernels = np.exp(-((Z[:, None] - Z) ** 2).sum(axis=2) / (2 * 0.6**2))
    same = labels[:, None] == labels
    shares = np.bincount(labels) / N_SAMPLES
    first = kernels[same].sum()
    second = np.sum(shares**2) * kernels.sum()
    third = 2 * sum(shares[c] * kernels[labels == c].sum() for c in range(N_CLASSES))
    value, _ = RenyiInformation(ArraySamples(X, labels), 0.6, N_COMPONENTS).value_and_grad(W)
    assert_allclose(value, -(first + second - third) / N_SAMPLES**2, rtol=1e-6)


def test_mixture_with_a_kernel_on_every_sample_is_parzen_with_own_samples(rng):
    # psi_mc = delta(c_m, c) / n and r_m = x_m, Sec. II-B1; nothing is left out then.
    X, labels = make_data(rng)
    W, _ = polar(rng.standard_normal((N_FEATURES, N_COMPONENTS)))
    log_weights = np.where(labels[:, None] == np.arange(N_CLASSES), 0.0, -700.0)
    objective = MixtureLikelihood(X, labels, N_CLASSES, N_COMPONENTS, N_SAMPLES)
    value, _ = objective.value_and_grad(objective.pack(W, X, log_weights, 0.6))
    Z = X @ W
    exponents = -((Z[:, None] - Z) ** 2).sum(axis=2) / (2 * 0.6**2)
    own = [logsumexp(exponents[i, labels == labels[i]]) for i in range(N_SAMPLES)]
    assert_allclose(value, np.mean(logsumexp(exponents, axis=1) - own), rtol=1e-9)
    packed = objective.pack(W, X, log_weights, 0.6)
    assert_allclose(objective.log_likelihood(packed), -value, rtol=1e-9)


@pytest.mark.parametrize("kind", ["parzen", "renyi"])
def test_sample_gradients_average_to_the_gradient(kind, rng):
    # Each sample's own term, with all other samples moving: the mean is the full gradient.
    X, labels = make_data(rng)
    W, _ = polar(rng.standard_normal((N_FEATURES, N_COMPONENTS)))
    make = ParzenLikelihood if kind == "parzen" else RenyiInformation
    objective = make(ArraySamples(X, labels), 0.6, N_COMPONENTS)
    mean = np.mean([objective.sample_grad(W, i) for i in range(objective.n_terms)], axis=0)
    assert_allclose(mean, objective.value_and_grad(W)[1], rtol=1e-6, atol=1e-9)


def test_blocks_of_the_mixture_add_up(rng, monkeypatch):
    objective, params = mixture(rng, beta=0.4)
    value, gradient = objective.value_and_grad(params)
    monkeypatch.setattr("discrimap.components.mixture.ROWS", 7)
    block_value, block_gradient = objective.value_and_grad(params)
    assert_allclose(block_value, value, rtol=1e-12)
    assert_allclose(block_gradient, gradient, atol=1e-12)
