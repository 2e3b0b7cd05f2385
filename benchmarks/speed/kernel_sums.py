"""Time the kernel-sum engines, and measure the constants of their cost model.

    python benchmarks/speed/kernel_sums.py          # scaling and accuracy, which are stored
    python benchmarks/speed/kernel_sums.py --fit    # constants of discrimap.kernel_sums.costs

Times are of one evaluation (value and gradient) of the two terms of stochastic discriminant
analysis, 10 classes, tolerance 1e-6. Processor time is given in addition to wall time, because it
depends less on other programs on the machine.
"""

import argparse
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

from discrimap.kernel_sums import (
    CauchyKernel,
    GaussianKernel,
    LogKernel,
    PairTerm,
    make_engine,
    make_point_engine,
)

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.results import Store, numbered


def make_problem(n_samples, n_components, n_classes=10, spread=3.0, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n_samples)
    centres = spread * rng.standard_normal((n_classes, n_components))
    return centres[labels] + rng.standard_normal((n_samples, n_components)), labels


def pair_evaluation(Z, labels, engine, tol=1e-6):
    n_classes = labels.max() + 1
    terms = [
        PairTerm(LogKernel(), 0.9 * np.eye(n_classes) + 0.1),
        PairTerm(CauchyKernel(), np.ones((n_classes, n_classes))),
    ]
    sums = make_engine(labels, terms, Z.shape[1], engine=engine, tol=tol)
    coefficients = np.array([1.0, 2.0])
    return sums, lambda: sums.evaluate(Z).gradient(coefficients)


def point_evaluation(Z, labels, engine, tol=1e-6, bandwidth=0.5):
    sums = make_point_engine(labels, bandwidth, Z.shape[1], engine=engine, tol=tol)
    ones = np.ones(len(Z))
    return sums, lambda: sums.evaluate(Z).pullback(ones, -ones)


def best_times(function, repeats=3):
    """Least wall and processor seconds of a few calls, after one to warm up."""
    function()
    walls, processors = [], []
    for _ in range(repeats):
        wall, processor = time.perf_counter(), time.process_time()
        function()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return min(walls), min(processors)


def relative_error(evaluation_of, Z, labels):
    exact = evaluation_of(Z, labels, "exact")[1]()
    fourier = evaluation_of(Z, labels, "fourier")[1]()
    return float(np.linalg.norm(fourier - exact) / np.linalg.norm(exact))


def scaling(sizes=(10_000, 100_000, 1_000_000), exact_size=20_000):
    rows = []
    for name, evaluation_of in (("pair sums", pair_evaluation), ("point sums", point_evaluation)):
        for n_samples in sizes:
            if name == "point sums" and n_samples > 100_000:
                continue
            Z, labels = make_problem(n_samples, 2)
            wall, processor = best_times(evaluation_of(Z, labels, "fourier")[1])
            rows.append(
                {"sums": name, "engine": "fourier", "n": n_samples, "wall": wall, "cpu": processor}
            )
        Z, labels = make_problem(exact_size, 2)
        wall, processor = best_times(evaluation_of(Z, labels, "exact")[1], repeats=1)
        error = relative_error(evaluation_of, Z, labels)
        rows.append(
            {"sums": name, "engine": "exact", "n": exact_size, "wall": wall, "cpu": processor,
             "fourier_error": error}
        )  # fmt: skip
    return rows


def fit():
    """Fit nanoseconds of one core to the forms in discrimap.kernel_sums.costs."""
    for d in (1, 2, 3, 6):
        Z, labels = make_problem(4000, d)
        _, processor = best_times(pair_evaluation(Z, labels, "exact")[1])
        print(f"exact, d={d}: {1e9 * processor / len(Z) ** 2:.2f} ns per pair")
        gaussian = PairTerm(GaussianKernel(0.5), np.eye(labels.max() + 1) + 0.1)
        sums = make_engine(labels, [gaussian], d, engine="exact")
        _, processor = best_times(partial(sums.evaluate, Z))
        print(f"Gaussian, d={d}: {1e9 * processor / len(Z) ** 2:.2f} ns per pair")
    for d, spreads in ((1, (3, 30, 300)), (2, (2, 5, 10)), (3, (0.01, 0.4))):
        rows, times = [], []
        for n_samples in (1000, 30_000):
            for spread in spreads:
                for n_classes in (2, 10):
                    Z, labels = make_problem(n_samples, d, n_classes, spread)
                    sums, evaluate = pair_evaluation(Z, labels, "fourier")
                    _, processor = best_times(evaluate)
                    n_modes = sums.shelf.n_modes(np.ptp(Z, axis=0))
                    rows.append([n_samples, n_classes, n_classes * n_modes])
                    times.append(1e9 * processor)
        # Relative errors count alike for small and large problems.
        design = np.array(rows) / np.array(times)[:, None]
        constants, *_ = np.linalg.lstsq(design, np.ones(len(times)))
        worst = np.abs(np.log2(design @ constants)).max()
        print(
            f"fourier, d={d}: {constants.round(1)} ns per point, class, mode of a class; "
            f"off by a factor of at most {2**worst:.1f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fit", action="store_true", help="measure the cost model")
    if parser.parse_args().fit:
        fit()
    else:
        Store("kernel_sums").update(numbered("rows", scaling()), forget=())
