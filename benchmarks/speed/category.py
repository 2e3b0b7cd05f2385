"""Speed of category space, compared with pymanopt's conjugate gradients and with landmark features.

    python benchmarks/speed/category.py [--quick]

Needs pymanopt (`pip install discrimap[benchmarks]`) and the research data sets in the folder named
by DISCRIMAP_DATA. Results are in benchmarks/results/category-speed.jsonl.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pymanopt
import sklearn
from pymanopt.manifolds import Stiefel
from pymanopt.optimizers import ConjugateGradient
from sklearn.kernel_approximation import Nystroem
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from discrimap import CategorySpace, KernelCategorySpace
from discrimap.category.objective import SquareAxes
from discrimap.category.start import greedy_axes
from discrimap.datasets import load
from discrimap.optimisers.orthonormal import maximise_orthonormal

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.results import add_options, numbered, open_store

NAMES = [
    "vehicle",
    "wine",
    "iris",
    "seeds",
    "newthyroid",
    "satellite",
    "segmentation",
    "vertebral",
]
GRADIENT = 1e-6  # pymanopt's default: norm of the Riemannian gradient at which it stops


def best_of(repeats, function):
    """Least CPU time of several calls, and the last result.

    CPU time with one thread is what a clock on the wall shows on an idle machine, and does not
    change when the machine is busy.
    """
    times = []
    for _ in range(repeats):
        began = time.process_time()
        result = function()
        times.append(time.process_time() - began)
    return min(times), result


def pymanopt_problem(objective, manifold):
    @pymanopt.function.numpy(manifold)
    def cost(W):
        return -objective.value_and_grad(W)[0]

    @pymanopt.function.numpy(manifold)
    def gradient(W):
        return -objective.value_and_grad(W)[1]

    return pymanopt.Problem(manifold, cost, euclidean_gradient=gradient)


def compare(name, standardised):
    """Both solvers on the same objective, from the same start, to the same gradient."""
    data = load(name)
    X = np.asarray(data.X, dtype=np.float64)
    if standardised:
        X = StandardScaler().fit_transform(X)
    fit, space = best_of(5, lambda: CategorySpace().fit(X, data.y))
    scatters = space.certify().scatters
    # Scaled to one, so that the peer's absolute rule for stopping means the same everywhere.
    scatters = scatters / max(np.linalg.eigvalsh(scatter)[-1] for scatter in scatters)
    objective = SquareAxes.from_scatters(scatters)
    start = greedy_axes(objective)
    tol = GRADIENT / np.linalg.norm(objective.value_and_grad(start)[1])
    ours, solution = best_of(
        10, lambda: maximise_orthonormal(objective, start, max_iter=10_000, tol=tol)
    )
    problem = pymanopt_problem(objective, Stiefel(*start.shape))
    optimizer = ConjugateGradient(
        verbosity=0, min_gradient_norm=GRADIENT, max_iterations=10_000, max_cost_evaluations=100_000
    )
    peer, result = best_of(3, lambda: optimizer.run(problem, initial_point=start))
    return {
        "data": name,
        "standardised": standardised,
        "fit_seconds": fit,
        "ours_seconds": ours,
        "ours_iterations": solution.n_iter,
        "peer_seconds": peer,
        "peer_iterations": result.iterations,
        "peer_stopped": result.stopping_criterion,
        "peer_over_ours": -result.cost / solution.value - 1,
        "ratio": peer / ours,
        "ratio_of_whole_fit": peer / fit,
    }


def against_pymanopt(quick):
    rows = []
    for name in NAMES[:4] if quick else NAMES:
        for standardised in (False, True):
            rows.append(compare(name, standardised))
            print(rows[-1], flush=True)
    return rows


def landmark_problems(quick):
    n = 5_000 if quick else 20_000
    rng = np.random.default_rng(0)
    for name in ("covertype93k",) if quick else ("covertype93k", "mnist"):
        data = load(name)
        rows = rng.permutation(len(data.y))[:n]
        X = np.asarray(data.X[rows], dtype=np.float64)
        X = StandardScaler().fit_transform(X) if name == "covertype93k" else X / 255.0
        yield name, X, np.asarray(data.y)[rows]


def landmark_row(name, X, y):
    """The whole fit against scikit-learn's Nystroem features alone, same kernel and number."""
    gamma = 1.0 / (X.shape[1] * X.var())
    features, _ = best_of(
        3, lambda: Nystroem(gamma=gamma, n_components=300, random_state=0).fit_transform(X)
    )
    fit, space = best_of(
        3, lambda: KernelCategorySpace(gamma=gamma, n_landmarks=300, random_state=0).fit(X, y)
    )
    return {
        "data": name,
        "n_samples": len(X),
        "n_features": X.shape[1],
        "n_classes": len(space.classes_),
        "features_seconds": features,
        "fit_seconds": fit,
        "iterations": space.n_iter_,
        "ratio": fit / features,
    }


def against_landmark_features(quick):
    rows = []
    for problem in landmark_problems(quick):
        rows.append(landmark_row(*problem))
        print(rows[-1], flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="fewer and smaller problems")
    arguments = parser.parse_args()
    with threadpool_limits(1):
        peers = against_pymanopt(arguments.quick)
        landmarks = against_landmark_features(arguments.quick)
    versions = {
        "numpy": np.__version__,
        "sklearn": sklearn.__version__,
        "pymanopt_version": pymanopt.__version__,
    }
    records = {("versions",): versions}
    records |= numbered("pymanopt", peers) | numbered("landmarks", landmarks)
    open_store("category-speed", arguments).update(records, forget=())


if __name__ == "__main__":
    main()
