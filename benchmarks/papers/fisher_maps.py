"""The data sets and the maps that the Fisher benchmarks compare."""

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.papers.at_hand import why_not
from discrimap import FisherMetric, FisherTSNE
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.fisher.embedding import embed
from discrimap.fisher.geometry import make_geometry
from discrimap.metrics import knn_error

PERPLEXITY = 30
SOURCES = {  # problem: data set, its matrix, what that is
    "Aural Sonar": ("aural_sonar", "S", "precomputed"),
    "Voting": ("voting", "S", "precomputed"),
    "Protein, S_chen": ("protein", "S_chen", "precomputed"),
    "Protein, D": ("protein", "D", "precomputed_distance"),
    "Java": ("java_sorting", "D_ted", "precomputed_distance"),
    "Vertebral": ("vertebral", None, "euclidean"),
}
PROBLEMS = tuple(SOURCES)


@dataclass(frozen=True)
class Problem:
    """A data set as it enters the metric."""

    kernel: str
    X: np.ndarray
    y: np.ndarray

    def part(self, rows, columns):
        columns = slice(None) if self.kernel == "euclidean" else columns
        return self.X[rows][:, columns]

    def plain_distances(self, correction="none"):
        """Distances among all points in the original space; imaginary ones count as zero."""
        geometry = make_geometry(self.kernel, correction)
        points = geometry.fit(self.X)
        squared = geometry.squared(points, geometry.at(points, np.arange(len(points))))
        return squared, np.sqrt(np.maximum(squared, 0))


def problems(names=None):
    """The data sets that are at hand."""
    found = {}
    for name in names or PROBLEMS:
        file, matrix, kernel = SOURCES[name]
        try:
            data = load(file)
        except InputError as error:
            print(f"{name}: {why_not(error)}", flush=True)
            continue
        X = data.X if matrix is None else data.extras[matrix]
        found[name] = Problem(kernel, X.astype(float), data.y)
    return found


def usable(n_samples):
    return min(PERPLEXITY, (n_samples - 1) / 3)


def plain_tsne(distances, seed, init="spectral"):
    """OpenTSNE as it comes, on given distances."""
    import openTSNE

    return openTSNE.TSNE(
        perplexity=usable(len(distances)),
        metric="precomputed",
        initialization=init,
        random_state=seed,
    ).fit(distances)


def fisher_tsne(problem, rows, y, seed, factor=1.0, *, bandwidth="perplexity", **metric):
    """Fit FisherTSNE on some rows; a factor multiplies the perplexity bandwidth."""
    X = problem.part(rows, rows)
    parameters = {"kernel": problem.kernel, "perplexity": usable(len(rows)), "random_state": seed}
    if factor != 1.0:
        fitted = FisherMetric(**parameters, **metric).fit(X, y)
        bandwidth = factor * fitted.perplexity_bandwidth_ * (1 - 1e-9)
    return FisherTSNE(
        metric=FisherMetric(bandwidth, **parameters, **metric),
        perplexity=usable(len(rows)),
        random_state=seed,
    ).fit(X, y)


def percent(values):
    return [100 * float(np.mean(values)), 100 * float(np.std(values))]


def joint_map_error(metric, new, y_train, y_test, seed):
    """Held-out error when unlabelled test points are embedded together with the others."""
    to_training = metric.distances_to(new)
    distances = np.block(
        [[metric.distances(), to_training.T], [to_training, metric.distances_among(new)]]
    )
    np.fill_diagonal(distances, np.inf)
    perplexity = usable(len(distances))
    indices = np.argsort(distances, axis=1, kind="stable")[:, : int(3 * perplexity)]
    start = 1e-4 * np.random.default_rng(seed).standard_normal((len(distances), 2))
    positions, _, _ = embed(
        start,
        np.take_along_axis(distances, indices, axis=1),
        indices,
        perplexity,
        n_early=250,
        n_iter=500,
        on_step=lambda *state: False,
        n_jobs=1,
    )
    n_train = len(y_train)
    return knn_error(positions[:n_train], y_train, positions[n_train:], y_test, n_neighbors=1)


def placed_error(tsne, new, y_train, y_test):
    """Held-out error of new points placed by transform."""
    return knn_error(tsne.embedding_, y_train, tsne.transform(new), y_test, n_neighbors=1)


def split(y, seed):
    """Return 70 % of the samples for training and the others, by class."""
    return train_test_split(np.arange(len(y)), test_size=0.3, stratify=y, random_state=seed)


def chance(y):
    """Error in percent of the label of another sample, drawn at random."""
    counts = np.bincount(y)
    return 100 * (1 - float((counts * (counts - 1)).sum()) / (len(y) * (len(y) - 1)))
