"""Speed of discriminative components, compared with a peer in the same run.

    python benchmarks/speed/components.py [--quick]

(a) value and gradient for n = 4,000 and d = 5, compared with one loss evaluation of scikit-learn's
    NeighborhoodComponentsAnalysis on the same data, with peak memory;
(b) one evaluation in two dimensions for n = 100,000 compared with n = 10,000, with 1 % far outliers,
    and its difference from exact sums.
"""

import argparse
import sys
import tracemalloc
from pathlib import Path

import numpy as np
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from discrimap.components.parzen import ParzenLikelihood
from discrimap.kernel_sums import make_point_engine
from discrimap.samples.in_memory import ArraySamples

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.results import Store, numbered
from benchmarks.speed.kernel_sums import best_times


def evaluations(n_samples, n_features=30, n_components=5, n_classes=10):
    """One evaluation of value and gradient on the same data: ours, and that of scikit-learn's NCA."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n_samples)
    X = 2 * rng.standard_normal((n_classes, n_features))[y]
    X += rng.standard_normal((n_samples, n_features))
    W = np.linalg.qr(rng.standard_normal((n_features, n_components)))[0]
    objective = ParzenLikelihood(ArraySamples(X, y), 0.7, n_components)
    nca = NeighborhoodComponentsAnalysis(n_components)
    nca.n_iter_, nca.random_state_ = 1, np.random.RandomState(0)
    same = y[:, None] == y
    return {
        "discriminative components": lambda: objective.value_and_grad(W),
        "NCA": lambda: nca._loss_grad_lbfgs(W.T.ravel(), X, same, -1.0),
    }


def against_nca(n_samples):
    rows = {}
    for name, evaluate in evaluations(n_samples).items():
        wall, processor = best_times(evaluate)
        tracemalloc.start()
        evaluate()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        rows[name] = {"wall": wall, "cpu": processor, "peak_mb": peak / 1e6}
    return rows


def outlier_problem(n_samples, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 10, n_samples)
    Z = 3 * rng.standard_normal((10, 2))[labels] + rng.standard_normal((n_samples, 2))
    is_far = rng.random(n_samples) < 0.01
    Z[is_far] += 100 * rng.standard_normal((is_far.sum(), 2))
    return Z, labels


def in_the_plane(small, large, tol=1e-6):
    """Times, and errors against exact sums: all at the small size, 500 rows at the large one."""
    rows = []
    for n_samples in (small, large):
        Z, labels = outlier_problem(n_samples)
        fourier = make_point_engine(labels, 0.5, 2, engine="fourier", tol=tol)
        ones = np.ones(n_samples)
        wall, processor = best_times(lambda: fourier.evaluate(Z).pullback(ones, -ones), repeats=2)  # noqa: B023
        evaluation = fourier.evaluate(Z)
        exact = make_point_engine(labels, 0.5, 2, engine="exact")
        row = {"n": n_samples, "wall": wall, "cpu": processor}
        if n_samples == small:
            expected = exact.evaluate(Z)
            gradient = expected.pullback(ones, -ones)
            difference = evaluation.pullback(ones, -ones) - gradient
            row["gradient_error"] = float(np.linalg.norm(difference) / np.linalg.norm(gradient))
            own, everyone, checked = expected.own, expected.all, slice(None)
        else:
            rows_checked = np.random.default_rng(1).choice(n_samples, 500, replace=False)
            own, everyone = exact.log_sums_sorted(exact.layout.sort(Z), np.sort(rows_checked))
            checked = exact.layout.order[np.sort(rows_checked)]
        row["log_sum_error"] = float(
            max(
                np.abs(evaluation.own[checked] - own).max(),
                np.abs(evaluation.all[checked] - everyone).max(),
            )
        )
        rows.append(row)
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, nothing is stored")
    if parser.parse_args().quick:
        print(against_nca(1000), in_the_plane(2000, 20_000), sep="\n")
    else:
        records = {("nca",): against_nca(4000)} | numbered("plane", in_the_plane(10_000, 100_000))
        Store("components_speed").update(records, forget=())
