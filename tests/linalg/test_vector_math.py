import numba
import numpy as np
from numpy.testing import assert_allclose

from discrimap.linalg._vector_math import (
    compiled,
    single_exp2,
    vector_exp,
    vector_exp2,
    vector_log,
)


@compiled()
def exp_of_all(numbers):
    return np.array([vector_exp(x) for x in numbers])


@compiled()
def exp2_of_all(numbers):
    return np.array([vector_exp2(x) for x in numbers])


@compiled()
def single_exp2_of_all(numbers):
    return np.array([single_exp2(x) for x in numbers])


@compiled()
def log_of_all(numbers):
    return np.array([vector_log(x) for x in numbers])


def test_exp_is_exact_over_its_range(rng):
    x = np.concatenate([rng.uniform(-706, 0, 3000), rng.uniform(-1, 600, 300), [0.0, -1e-300]])
    assert_allclose(exp_of_all(x), np.exp(x), rtol=3e-14)
    assert_allclose(exp_of_all(np.array([-707.5, -1e5, -np.inf])), 0.0, atol=0)


def test_powers_of_two_are_exact_over_their_range(rng):
    x = np.concatenate([rng.uniform(-1000, 0, 3000), rng.uniform(-1, 900, 300), [0.0, -1e-300]])
    assert_allclose(exp2_of_all(x), np.exp2(x), rtol=3e-14)
    assert_allclose(exp2_of_all(np.array([-1000.5, -1e5, -np.inf])), 2.0**-1000, rtol=3e-14)


def test_powers_of_two_in_single_precision_are_exact_over_their_range(rng):
    x = np.concatenate([rng.uniform(-126, 0, 3000), rng.uniform(-1, 120, 300), [0.0, -1e-30]])
    x = x.astype(np.float32)
    found = single_exp2_of_all(x)
    assert found.dtype == np.float32
    assert_allclose(found, np.exp2(x.astype(np.float64)), rtol=3e-7)
    below = np.array([-127, -1e5, -np.inf], dtype=np.float32)
    assert_allclose(single_exp2_of_all(below), 2.0**-126, rtol=3e-7)


def test_log_is_exact_above_one(rng):
    x = np.concatenate([1 + rng.random(3000), np.exp(rng.uniform(0, 690, 3000)), [1.0, 2.0]])
    assert_allclose(log_of_all(x), np.log(x), rtol=2e-15, atol=3e-16)


def test_without_a_folder_to_write_functions_are_compiled_all_the_same(monkeypatch):
    plain = numba.njit

    def njit_without_cache(*arguments, **options):
        if options.pop("cache", False):
            raise RuntimeError("cannot cache function: no locator available")
        return plain(*arguments, **options)

    monkeypatch.setattr("discrimap.linalg._vector_math.numba.njit", njit_without_cache)

    @compiled()
    def double(x):
        return 2 * x

    assert double(3) == 6
