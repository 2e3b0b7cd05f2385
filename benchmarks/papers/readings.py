"""Settings that the SDA paper does not state, changed one at a time where our figure differs.

    python benchmarks/papers/readings.py [--quick] [--data usps] [--methods KSPCA]

For methods in Tables 3-5 whose figures are not reproduced, the settings that the paper does not state
are varied: widths, ridge, kernel of the labels, solver, size of the images. Splits 50 and 51 (the last
two folds of COIL) are not used in the tables, and no setting of the library or of the tables is chosen
here. Results are added to benchmarks/results/comparators.jsonl run by run.
"""

import argparse
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from discrimap import PLSDA, GradientKDR, KernelSupervisedPCA
from discrimap.errors import InputError
from discrimap.linalg.gaussian_factors import median_distance

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.papers import comparators
from benchmarks.papers.at_hand import is_at_hand, why_not
from benchmarks.results import add_options, open_store

SPLITS, COIL_FOLDS = (50, 51), (22, 23)


@dataclass(frozen=True)
class Reading:
    """One way to read the paper: how a method is set, and what it is given."""

    data: str
    method: str
    words: str
    make: Callable  # of the seed and the training samples
    standardised: bool = True
    target: str = "classes"
    n_train: int | None = None  # the first so many training samples

    @property
    def paper(self):
        """Mean and deviation of the paper."""
        return PAPER[self.data.removesuffix("_128"), self.method]

    @property
    def key(self):
        variables = "standardised" if self.standardised else "as they are"
        return f"{self.data}/{self.method}/{variables}/{self.words}"


PAPER = {
    (data, method): figure
    for data, figures in comparators.PAPER.items()
    for method, figure in zip(("SPCA", "KSPCA", "gKDR-v"), figures, strict=True)
} | {
    ("mnist5k", "LDA"): (0.461, 0.011),
    ("mnist5k", "PLS-DA"): (0.301, 0.006),
    ("coil20", "None"): (0.999, 0.005),
    ("coil20", "PLS-DA"): (0.573, 0.042),
    ("coil100", "PCA"): (0.288, 0.036),
}


class AllVariables:
    """No map at all."""

    def fit(self, X, y):
        return self

    def transform(self, X):
        return X


class FirstAxis:
    """The first coordinate of a method alone."""

    def __init__(self, method):
        self.method = method

    def fit(self, X, y):
        self.method.fit(X, y)
        return self

    def transform(self, X):
        return self.method.transform(X)[:, :1]


class PLSScores:
    """Samples multiplied by weights or loadings of partial least squares, not by its rotations."""

    def __init__(self, which):
        self.which = which

    def fit(self, X, y):
        self.mean_ = X.mean(axis=0)
        self.axes_ = getattr(PLSRegression(2, scale=False).fit(X, y), self.which)
        return self

    def transform(self, X):
        return (X - self.mean_) @ self.axes_


class OrthonormalLDA:
    """The plane of LDA's two leading directions with orthonormal axes in it."""

    def fit(self, X, y):
        scalings = LinearDiscriminantAnalysis(n_components=2).fit(X, y).scalings_
        self.axes_ = np.linalg.qr(scalings[:, :2])[0]
        return self

    def transform(self, X):
        return X @ self.axes_


def kspca(width=1.0, power=1):
    """KSPCA with this multiple of the median distance, or of its square, as sigma."""
    return lambda seed, X: comparators.kspca(seed, X, width * median_distance(X, seed) ** power)


def gkdr_v(width=1.0, **settings):
    def make(seed, X):
        sigma = None if "cv" in settings else width * median_distance(X, seed)
        return GradientKDR(2, mode="v", sigma=sigma, random_state=seed, **settings)

    return make


def kernel_readings(data):
    for words, make in (
        ("sigma = 0.2 median", kspca(0.2)),
        ("sigma = 0.5 median", kspca(0.5)),
        ("sigma = median", kspca()),
        ("sigma = 2 medians", kspca(2.0)),
        ("sigma = squared median", kspca(power=2)),
        ("first direction only", lambda seed, X: FirstAxis(kspca()(seed, X))),
    ):
        yield Reading(data, "KSPCA", words, make)
    for words, make in (
        ("1,000 samples, all of them landmarks", lambda seed, X: KernelSupervisedPCA(2)),
        ("1,000 samples, general solver", comparators.GeneralSolverKSPCA),
    ):
        yield Reading(data, "KSPCA", words, make, n_train=1000)


def gradient_readings(data, standardised=True, *, ridges=(1e-3, 1e-4, 1e-5, 1e-7), short=False):
    shared = (data, "gKDR-v")
    for ridge in ridges:
        yield Reading(*shared, f"ridge {ridge:.0e}", gkdr_v(ridge=ridge), standardised)
    make = gkdr_v(ridge=1e-3, target="continuous")
    yield Reading(*shared, "label numbers, ridge 1e-03", make, standardised, "numbers")
    if short:
        return
    make = gkdr_v(target="continuous")
    yield Reading(*shared, "one-hot labels, Gaussian kernel", make, standardised, "one-hot")
    for width in (0.5, 2.0):
        yield Reading(*shared, f"sigma = {width:g} median", gkdr_v(width), standardised)
    yield Reading(*shared, "sigma and ridge by cross-validation", gkdr_v(cv=2), standardised)


def image_readings():
    """The sets of which the paper has larger images; the larger ones of COIL-20 are at hand."""
    for data in ("coil20", "coil20_128"):
        for standardised in (True, False):
            yield Reading(data, "None", "all variables", lambda s, X: AllVariables(), standardised)
            yield Reading(data, "PLS-DA", "one-hot labels", lambda s, X: PLSDA(2), standardised)
            make, words = lambda s, X: PLSRegression(2, scale=False), "label numbers"
            yield Reading(data, "PLS-DA", words, make, standardised, "numbers")
    for standardised in (True, False):
        yield Reading("coil100", "PCA", "two axes", lambda s, X: PCA(2), standardised)
    yield Reading("coil100", "PCA", "first axis only", lambda s, X: FirstAxis(PCA(2)))


def linear_readings(data):
    for standardised in (True, False):
        for words, target, make in (
            ("one-hot labels", "classes", lambda seed, X: PLSDA(2)),
            ("label numbers", "numbers", lambda seed, X: PLSRegression(2, scale=False)),
            ("label numbers, by weights", "numbers", lambda seed, X: PLSScores("x_weights_")),
            ("label numbers, by loadings", "numbers", lambda seed, X: PLSScores("x_loadings_")),
            ("one-hot labels, by loadings", "one-hot", lambda seed, X: PLSScores("x_loadings_")),
            ("first direction only", "classes", lambda seed, X: FirstAxis(PLSDA(2))),
        ):
            yield Reading(data, "PLS-DA", words, make, standardised, target)
    for words, make in (
        (
            "within-class scatter made white",
            lambda s, X: LinearDiscriminantAnalysis(n_components=2),
        ),
        ("orthonormal axes", lambda seed, X: OrthonormalLDA()),
        ("shrinkage 0.1", lambda s, X: shrunken_lda(0.1)),
        ("shrinkage 0.5", lambda s, X: shrunken_lda(0.5)),
    ):
        yield Reading(data, "LDA", words, make)


def shrunken_lda(shrinkage):
    return LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage, n_components=2)


READINGS = [
    *linear_readings("mnist5k"),
    *image_readings(),
    *kernel_readings("usps"),
    *gradient_readings("usps"),
    *gradient_readings("coil20", short=True),
    *gradient_readings("coil20_128", ridges=(1e-3, 1e-5), short=True),
    *gradient_readings("mnist5k", short=True),
    *gradient_readings("mnist5k", standardised=False, ridges=(1e-3, 1e-5), short=True),
]


def split_of(reading, number):
    return (COIL_FOLDS if reading.data.startswith("coil") else SPLITS)[number]


def left_to_run(stored):
    """Readings without a run whose data are at hand."""
    return [
        reading
        for reading in READINGS
        if str(split_of(reading, 0)) not in stored.get(reading.key, {}).get("runs", {})
        and is_at_hand(reading.data)
    ]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_options(parser, quick="nothing: no reading is quick")
    parser.add_argument("--data", help="only these data sets, with commas")
    parser.add_argument("--methods", help="only these methods, with commas")
    parser.add_argument("--splits", type=int, default=1, help="splits of each reading, 1 or 2")
    arguments = parser.parse_args(argv)
    if arguments.quick:
        return
    store = open_store("comparators", arguments)
    names, methods = (
        text.split(",") if text else None for text in (arguments.data, arguments.methods)
    )
    for number in range(arguments.splits):
        for reading in READINGS:
            if (names and reading.data not in names) or (methods and reading.method not in methods):
                continue
            add_run(store, reading, split_of(reading, number))


def add_run(store, reading, repeat):
    """One run, unless it is there; one that fails does not lose the others."""
    stored = store.tree("readings", reading.key)
    if str(repeat) in stored.get("runs", {}):
        return
    paper, deviation = reading.paper
    entry = {
        "data": reading.data,
        "method": reading.method,
        "standardised": reading.standardised,
        "words": reading.words,
        "paper": paper,
        "deviation": deviation,
        "runs": stored.get("runs", {}),
    }
    try:
        X, y = comparators.samples(reading.data)
        entry["runs"][str(repeat)] = comparators.held_out(
            reading.data,
            X,
            y,
            repeat,
            reading.make,
            standardised=reading.standardised,
            target=reading.target,
            n_train=reading.n_train,
        )
    except InputError as error:
        print(f"{reading.key}: {why_not(error)}", flush=True)
        return
    except Exception:
        traceback.print_exc()
        return
    store.put(("readings", reading.key), entry)
    print(f"{reading.key}: {entry['runs'][str(repeat)]}", flush=True)


if __name__ == "__main__":
    main()
