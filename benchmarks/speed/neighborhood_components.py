"""Processor time of neighbourhood components analysis (NCA) beside that of scikit-learn.

    python benchmarks/speed/neighborhood_components.py [--sizes 500 3000] [--data made digits usps]

Fits both to the same standardised samples, with two components and one thread, after a fit that compiles.
The first pair of columns is a fit at the defaults of each, with the objective f that it reached. The second
is the time of one evaluation of f and its gradient, the mean over both fits: every search takes another
number of them. "made" is a problem of ten classes and 100 features; other data sets are read by name, those
of research from the folder DISCRIMAP_DATA. scikit-learn stores several arrays of all pairs, which are 5 GB
for 10,000 samples.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from sklearn.preprocessing import scale

from discrimap import NeighborhoodComponents
from discrimap.comparators import neighborhood_components
from discrimap.datasets import load
from discrimap.samples.in_memory import ArraySamples

DATA = ("made", "digits", "satellite", "usps")
SIZES = (500, 3_000, 6_667)


def samples(name, n_samples):
    """Return random standardised samples of a data set and their classes."""
    if name == "made":
        X, y = make_classification(
            10_000, 100, n_informative=20, n_classes=10, n_clusters_per_class=2, random_state=0
        )
    else:
        dataset = load(name)
        X, y = np.asarray(dataset.X, dtype=float), np.unique(dataset.y, return_inverse=True)[1]
    rows = np.random.default_rng(0).permutation(len(y))[:n_samples]
    return scale(X[rows]), y[rows]


class Counted(NeighborhoodComponentsAnalysis):
    """Counts its evaluations."""

    n_evaluations = 0

    def _loss_grad_lbfgs(self, *args):
        self.n_evaluations += 1
        return super()._loss_grad_lbfgs(*args)


def fit(make, X, y):
    """Return the fitted estimator and the processor time of the fit."""
    estimator = make()
    begin = time.process_time()
    estimator.fit(X, y)
    return estimator, time.process_time() - begin


def measure(X, y):
    """Return seconds, evaluations and objective of our fit, and the same of scikit-learn's."""
    steps = []
    ours, our_seconds = fit(lambda: NeighborhoodComponents(callback=steps.append), X, y)
    theirs, their_seconds = fit(lambda: Counted(2), X, y)
    objective = neighborhood_components.NeighborhoodObjective(ArraySamples(X, y), 2, "exact")
    reached = -objective.value_and_grad(theirs.components_.T)[0]
    return (
        (our_seconds, steps[-1].n_evaluations, -ours.objective_),
        (their_seconds, theirs.n_evaluations, reached),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", default=DATA)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    for n_samples in (100, 3000):  # compile the loops of both engines
        NeighborhoodComponents(max_iter=3).fit(*samples("made", n_samples))
    print(f"{'':28s}{'fit s':>16s}{'':>8s}{'f':>16s}{'evaluation ms':>20s}")
    print(f"{'data':10s}{'n':>7s}{'p':>5s}{'C':>6s}", end="")
    print(f"{'ours':>8s}{'theirs':>8s}{'ratio':>8s}{'ours':>8s}{'theirs':>8s}", end="")
    print(f"{'ours':>10s}{'theirs':>10s}{'ratio':>8s}")
    for name in arguments.data:
        for n_samples in arguments.sizes:
            X, y = samples(name, n_samples)
            ours, theirs = measure(X, y)
            each = [1e3 * one[0] / one[1] for one in (ours, theirs)]
            print(f"{name:10s}{len(X):7,d}{X.shape[1]:5d}{y.max() + 1:6d}", end="")
            print(f"{ours[0]:8.2f}{theirs[0]:8.2f}{theirs[0] / ours[0]:8.1f}", end="")
            print(f"{ours[2]:8.4f}{theirs[2]:8.4f}", end="")
            print(f"{each[0]:10.1f}{each[1]:10.1f}{each[1] / each[0]:8.1f}", flush=True)
            if len(X) < n_samples:
                break


if __name__ == "__main__":
    main()
