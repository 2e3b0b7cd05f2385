"""How many threads a computation gets, and that its result does not depend on it."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from discrimap import (
    PLSDA,
    CategorySpace,
    DiscriminativeComponents,
    LeastSquaresLDA,
    SlicedAverageVariance,
    StochasticDiscriminantAnalysis,
    SupervisedPCA,
    threads,
)
from discrimap.kernel_sums import GaussianKernel, PairTerm, make_engine, make_point_engine
from discrimap.linalg import products
from discrimap.linalg.centring import centre
from discrimap.linalg.products import in_order, project, pull_back, row_blocks
from discrimap.samples.in_memory import ArraySamples, value_range

LONG = 1e9  # nanoseconds: worth any number of threads


@pytest.fixture
def many_threads(monkeypatch):
    """Four threads for any work, however few cores and variables there are."""
    monkeypatch.setattr(threads, "available_threads", lambda: 4)
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1e-3)


@pytest.fixture
def one_at_a_time(monkeypatch):
    monkeypatch.setattr(threads, "available_threads", lambda: 1)


def linear_algebra_threads():
    return [
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    ]


def run_python(code, **environment):
    variables = {name: value for name, value in os.environ.items() if "NUM_THREADS" not in name}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=variables | environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


@pytest.mark.usefixtures("many_threads")
class TestTasks:
    def test_results_come_in_the_order_of_the_items(self):
        assert threads.run_tasks(lambda k: k**2, range(100), LONG) == [k**2 for k in range(100)]

    def test_several_threads_take_part(self):
        # Every task waits for another one: a single thread would wait for ever.
        meeting = threading.Barrier(2, timeout=30)
        threads.run_tasks(lambda _: meeting.wait(), range(2), LONG)

    def test_ranges_cover_every_row_once(self):
        for n in (0, 1, 3, 1000):
            counts = np.zeros(n, dtype=int)

            def count(begin, end, counts=counts):
                counts[begin:end] += 1

            threads.run_ranges(count, n, LONG)
            assert (counts == 1).all()

    def test_an_error_reaches_the_caller(self):
        def fail(k):
            if k == 7:
                raise KeyError("seven")

        with pytest.raises(KeyError, match="seven"):
            threads.run_tasks(fail, range(100), LONG)

    def test_tasks_may_have_tasks(self):
        def outer(k):
            return sum(threads.run_tasks(lambda j: k * j, range(10), LONG))

        assert threads.run_tasks(outer, range(20), LONG) == [45 * k for k in range(20)]

    def test_callers_side_by_side_share_the_pool(self):
        results = {}

        def call(number):
            results[number] = threads.run_tasks(lambda k: number * k, range(50), LONG)

        callers = [threading.Thread(target=call, args=(number,)) for number in range(8)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join(timeout=60)
        assert results == {n: [n * k for k in range(50)] for n in range(8)}


def test_short_work_stays_on_the_thread_of_the_caller(monkeypatch):
    monkeypatch.setattr(threads, "available_threads", lambda: 4)
    seen = threads.run_tasks(lambda _: threading.get_ident(), range(50), threads.WORTH_A_THREAD)
    assert set(seen) == {threading.get_ident()}


def test_long_work_gets_no_more_threads_than_it_is_worth(monkeypatch):
    monkeypatch.setattr(threads, "available_threads", lambda: 64)
    assert threads.threads_for(1.9 * threads.WORTH_A_THREAD) == 1
    assert threads.threads_for(3.5 * threads.WORTH_A_THREAD) == 3
    assert threads.threads_for(1e12) == 64


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_a_pool_of_its_own():
    code = """
import os
from discrimap import threads
threads.available_threads = lambda: 2
assert threads.run_tasks(abs, range(4), 1e9) == [0, 1, 2, 3]
child = os.fork()
if child == 0:
    os._exit(0 if threads.run_tasks(abs, range(4), 1e9) == [0, 1, 2, 3] else 1)
print(os.waitpid(child, 0)[1])
"""
    assert run_python(code) == "0"


class TestAvailableThreads:
    code = "from discrimap.threads import available_threads; print(available_threads())"

    def test_variables_of_the_environment_count(self):
        assert run_python(self.code, OMP_NUM_THREADS="1") == "1"
        assert run_python(self.code, NUMBA_NUM_THREADS="1") == "1"

    def test_no_more_than_the_cores(self):
        assert run_python(self.code, OMP_NUM_THREADS="64") == run_python(self.code)

    def test_what_makes_no_sense_is_ignored(self):
        assert int(run_python(self.code, OMP_NUM_THREADS="many")) >= 1
        assert run_python(self.code, OMP_NUM_THREADS="0") == "1"

    @pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
    def test_affinity_counts(self):
        first = min(os.sched_getaffinity(0))
        assert run_python(f"import os; os.sched_setaffinity(0, {{{first}}}); {self.code}") == "1"

    def test_processes_share_them(self):
        code = "from discrimap import threads; threads.share_threads(1000); "
        code += "import numpy; print(threads.available_threads(), "
        code += "{lib['num_threads'] for lib in threads_info()})"
        code = "from threadpoolctl import threadpool_info as threads_info; " + code
        assert run_python(code) == "1 {1}"


class TestLinearAlgebra:
    @pytest.fixture(autouse=True)
    def two_threads_before(self):
        """OpenBLAS makes threads beyond the number of cores where it is told to."""
        from threadpoolctl import threadpool_limits

        with threadpool_limits(2, user_api="blas"):
            if not any(n == 2 for n in linear_algebra_threads()):
                pytest.skip("no library of linear algebra here takes two threads")
            yield

    def test_nested_limits_restore_what_was(self):
        before = linear_algebra_threads()
        for _ in range(2):
            with threads.one_thread():
                with threads.one_thread():
                    assert set(linear_algebra_threads()) == {1}
                assert set(linear_algebra_threads()) == {1}
            assert linear_algebra_threads() == before

    def test_whoever_leaves_last_restores(self):
        before = linear_algebra_threads()
        first, second = threads.one_thread(), threads.one_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(linear_algebra_threads()) == {1}
        second.__exit__(None, None, None)
        assert linear_algebra_threads() == before

    def test_a_small_fit_has_one_thread_and_leaves_what_was(self, rng, monkeypatch):
        X, y = rng.standard_normal((40, 3)), np.arange(40) % 2
        seen = []
        estimator = DiscriminativeComponents(
            1, bandwidth=1.0, callback=lambda step: seen.append(set(linear_algebra_threads()))
        )
        before = linear_algebra_threads()
        estimator.fit(X, y)
        assert seen
        assert all(found == {1} for found in seen)
        assert linear_algebra_threads() == before

    @pytest.mark.parametrize("shape", [(40, 3), (300, 1200), (6000, 3)])
    def test_no_fit_has_more_threads_of_linear_algebra(self, shape, rng, monkeypatch):
        seen = []
        moments = ArraySamples.class_moments

        def note(samples, *args):
            seen.append(set(linear_algebra_threads()))
            return moments(samples, *args)

        monkeypatch.setattr(ArraySamples, "class_moments", note)
        y = np.arange(shape[0]) % 2
        StochasticDiscriminantAnalysis(1, max_iter=50, tol=0.1).fit(rng.standard_normal(shape), y)
        assert seen
        assert all(found == {1} for found in seen)

    @pytest.mark.parametrize(("n_samples", "n_threads"), [(4_000, 1), (6_000, 2), (np.inf, 2)])
    def test_loops_of_other_libraries_have_threads_if_there_are_many_samples(
        self, n_samples, n_threads, monkeypatch
    ):
        from threadpoolctl import threadpool_limits

        def loop_threads():
            return {x["num_threads"] for x in threadpool_info() if x["user_api"] == "openmp"}

        monkeypatch.setattr(threads, "available_threads", lambda: 2)
        with threadpool_limits(2, user_api="openmp"):
            if not loop_threads():
                pytest.skip("no library with OpenMP is loaded")
            with threads.threads_of_fit(n_samples):
                assert loop_threads() == {n_threads}

    def test_a_fit_that_fails_leaves_what_was(self, rng):
        before = linear_algebra_threads()
        with pytest.raises(ValueError, match="one class"):
            PLSDA().fit(rng.standard_normal((10, 3)), np.zeros(10, dtype=int))
        assert linear_algebra_threads() == before


def evaluations(rng_seed=0):
    """Everything that is shared among threads, computed once: name and arrays."""
    rng = np.random.default_rng(rng_seed)
    labels = rng.integers(0, 3, 70_000)
    Z = rng.standard_normal((70_000, 2)) + labels[:, None]
    few = slice(0, 700)
    for engine, points, classes in (("fourier", Z, labels), ("exact", Z[few], labels[few])):
        term = PairTerm(GaussianKernel(0.5), np.eye(3) - 0.2)
        pairs = make_engine(classes, [term], 2, engine=engine).evaluate(points)
        yield f"{engine} pairs", pairs.totals, pairs.gradient([1.0])
        sums = make_point_engine(classes, 0.5, 2, engine=engine).evaluate(points)
        ones = np.ones(len(points))
        yield f"{engine} points", sums.own, sums.all, sums.pullback(ones, -ones)
    X = rng.standard_normal((50_000, 60))
    yield "products", project(X, X[:60, :2]), pull_back(X, X[:, :2])
    yield "centred", *centre(X)
    samples = ArraySamples(X, labels[: len(X)])
    moments = samples.class_moments(np.array([1.0, 2.0, 1.0]))
    yield "moments", moments.means, moments.within, moments.curvature
    running = samples.running_moments()
    yield "running moments", running.mean, running.class_means, running.scatter


def test_results_do_not_depend_on_the_number_of_threads(request):
    request.getfixturevalue("one_at_a_time")
    alone = {name: arrays for name, *arrays in evaluations()}
    request.getfixturevalue("many_threads")
    for name, *arrays in evaluations():
        for got, expected in zip(arrays, alone[name], strict=True):
            np.testing.assert_array_equal(got, expected, err_msg=name)


def test_products_in_blocks_are_those_of_the_whole(rng):
    X = rng.standard_normal((30_000, 80))
    W, G = rng.standard_normal((80, 2)), rng.standard_normal((30_000, 2))
    np.testing.assert_allclose(project(X, W), X @ W, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(pull_back(X, G), X.T @ G, rtol=1e-9, atol=1e-9)
    narrow = X.astype(np.float32)
    assert project(narrow, W).dtype == np.float32
    assert pull_back(narrow, G).dtype == np.float64


@pytest.mark.usefixtures("many_threads")
class TestInOrder:
    def test_results_come_in_the_order_of_the_blocks(self):
        assert list(in_order(lambda k: k**2, range(150), LONG, 1)) == [k**2 for k in range(150)]

    def test_several_threads_take_part(self):
        meeting = threading.Barrier(2, timeout=30)
        list(in_order(lambda _: meeting.wait(), range(2), LONG, 1))

    @pytest.mark.parametrize(("result_numbers", "most"), [(1, 64), (1 << 19, 8), (1 << 21, 1)])
    def test_few_large_results_wait(self, result_numbers, most):
        begun = []
        for number, _ in enumerate(in_order(begun.append, range(100), LONG, result_numbers)):
            assert len(begun) <= number + most

    def test_linear_algebra_has_its_threads_for_large_results_and_for_one_block(self):
        def found(n_blocks, result_numbers):
            blocks = [linear_algebra_threads] * n_blocks
            return next(in_order(lambda ask: ask(), blocks, LONG, result_numbers))

        before = linear_algebra_threads()
        assert set(found(2, 1)) == {1}
        assert found(1, 1) == found(2, products.HELD_NUMBERS) == before


@pytest.mark.parametrize("shape", [(1, 3), (1500, 1000), (30_000, 20)])
def test_blocks_cover_every_row_once(shape):
    X = np.zeros(shape, dtype=np.int8)
    for rows in row_blocks(X):
        X[rows] += 1
    assert (X == 1).all()


@pytest.mark.parametrize("shape", [(1, 3), (64, 2), (131, 7), (30_000, 20)])
def test_the_range_of_values_is_that_of_the_whole(shape, rng):
    X = rng.standard_normal(shape)
    lowest, highest = value_range(X)
    np.testing.assert_array_equal(lowest, X.min(axis=0))
    np.testing.assert_array_equal(highest, X.max(axis=0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: DiscriminativeComponents(2, n_bandwidths=2, random_state=0),
        lambda: StochasticDiscriminantAnalysis(2, random_state=0),
    ],
    ids=["components", "sda"],
)
def test_a_fit_does_not_depend_on_the_number_of_threads(make, request):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 1100)
    X = rng.standard_normal((5, 8))[y] + rng.standard_normal((1100, 8))
    request.getfixturevalue("one_at_a_time")
    alone = make().fit(X, y)
    request.getfixturevalue("many_threads")
    together = make().fit(X, y)
    np.testing.assert_array_equal(together.components_, alone.components_)


@pytest.mark.parametrize(
    "estimator",
    [CategorySpace(), LeastSquaresLDA(), PLSDA(), SlicedAverageVariance(), SupervisedPCA()],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_fit_to_many_samples_does_not_depend_on_the_number_of_threads(estimator, request):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 60_000)
    X = rng.standard_normal((5, 15))[y] + rng.standard_normal((60_000, 15))
    request.getfixturevalue("one_at_a_time")
    alone = estimator.fit(X, y).components_
    request.getfixturevalue("many_threads")
    np.testing.assert_array_equal(estimator.fit(X, y).components_, alone)
