"""Other objectives for the map of SDA, compared on splits that no page reports.

    python benchmarks/sda_objectives.py [--quick] [--set digits] [--splits 5]

Needs the research data sets in the folder named by DISCRIMAP_DATA. Every fit is stored in
benchmarks/results/sda-objectives.jsonl as soon as it is done, and is not run again; the result is on
docs/benchmarks/linear-maps.md.

SDA matches the probabilities of all pairs together. The two other objectives have the same Cauchy
kernel ``k_ij = 1 / (1 + |z_i - z_j|^2)``:

- *rows*: the probabilities of the pairs of each sample sum to one, and the divergences of the samples
  are averaged (``normalisation="rows"``);
- *log-ratio*: minus the mean of ``log(sum of k_ij over the own class / sum of k_ij over all)``, as
  in discriminative components with another kernel.

The log-ratio is minimised with exact sums over all pairs by the optimiser of SDA, in coordinates in
which the scatter within classes is the identity, from the maps of LDA and of SDA; the lower value is
kept. Data sets, sizes and scaling are those of benchmarks/linear_maps.py, with at least five training samples
for each feature, where SDA has no penalty. The seeds are 200 and above.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from discrimap import StochasticDiscriminantAnalysis
from discrimap.linalg.square_roots import square_root
from discrimap.optimisers import minimise
from discrimap.samples.class_moments import class_moments

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks.linear_maps import SETS, load_samples, run, split, warm_up
from benchmarks.results import add_options, open_store

NAME = "sda-objectives"
FIRST_SEED, N_SPLITS = 200, 5
SAMPLES_PER_FEATURE = 5
QUICK_SETS = ("iris", "vehicle")
METHODS = ("LDA", "SDA", "rows", "log-ratio")


class LogRatioObjective:
    """Objective and gradient in V for samples X and the map X V."""

    def __init__(self, X, y):
        self.X, self.is_same = X, y[:, None] == y
        np.fill_diagonal(self.is_same, False)

    def value_and_grad(self, V):
        Z, n = self.X @ V, len(self.X)
        kernel = 1.0 / (1.0 + squareform(pdist(Z, "sqeuclidean")))
        np.fill_diagonal(kernel, 0.0)
        sums = kernel.sum(axis=1, keepdims=True)
        own = np.maximum((kernel * self.is_same).sum(axis=1, keepdims=True), 1e-300)
        slopes = kernel**2 * (self.is_same / own - 1.0 / sums) / n
        slopes = slopes + slopes.T  # of the squared distances
        grad = 2.0 * self.X.T @ (slopes.sum(axis=1)[:, None] * Z - slopes @ Z)
        return np.log(sums / own).mean(), grad


class LogRatioMap:
    """Linear map to two dimensions that minimises a :class:`LogRatioObjective`."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, X, y):
        classes, labels = np.unique(y, return_inverse=True)
        moments = class_moments(X, labels, len(classes))
        ridge = 1e-6 * np.trace(moments.within) / X.shape[1] * np.eye(X.shape[1])
        root = square_root((moments.within + ridge) / len(X))
        unroot = np.linalg.inv(root)
        lda = LinearDiscriminantAnalysis(n_components=min(2, len(classes) - 1)).fit(X, y)
        sda = StochasticDiscriminantAnalysis(2, random_state=self.seed).fit(X, y)
        starts = [sda.components_.T]
        if len(classes) > 2:
            starts.append(lda.scalings_[:, :2])
        objective = LogRatioObjective((X - X.mean(axis=0)) @ unroot, labels)
        solutions = [minimise(objective, root @ W, max_iter=200, tol=1e-5) for W in starts]
        self.W = unroot @ min(solutions, key=lambda solution: solution.value).params
        return self

    def transform(self, X):
        return X @ self.W


def makers(n_classes):
    n_of_lda = min(2, n_classes - 1)
    return {
        "LDA": lambda seed: LinearDiscriminantAnalysis(n_components=n_of_lda),
        "SDA": lambda seed: StochasticDiscriminantAnalysis(2, random_state=seed),
        "rows": lambda seed: StochasticDiscriminantAnalysis(
            2, normalisation="rows", random_state=seed
        ),
        "log-ratio": LogRatioMap,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="two small data sets and two splits")
    parser.add_argument("--set", action="append", choices=SETS, help="only this data set")
    parser.add_argument("--splits", type=int, default=N_SPLITS, help="number of splits")
    options = parser.parse_args()
    store = open_store(NAME, options)
    known = store.records()
    warm_up()
    names = options.set or (QUICK_SETS if options.quick else SETS)
    for seed in range(FIRST_SEED, FIRST_SEED + (2 if options.quick else options.splits)):
        for name in names:
            X, y = load_samples(name)
            parts = split(name, X, y, seed)
            if len(parts[0]) < SAMPLES_PER_FEATURE * X.shape[1]:
                continue
            for method, make in makers(len(np.unique(y))).items():
                key = (name, method, str(seed))
                if key not in known:
                    store.put(key, run(make(seed), *parts))
                    print(*key, store.records()[key], flush=True)


if __name__ == "__main__":
    main()
