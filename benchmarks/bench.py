"""Find out whether a change made something slower: ``make bench``, two minutes, without data sets.

    python benchmarks/bench.py              # compare with the last run on this machine, then store
    python benchmarks/bench.py sda tables   # only some measures
    python benchmarks/bench.py --accept     # store this run, even if it is slower

Each measure is a ratio of processor times: ours divided by that of a named peer. Both run in turn, so that
other programs on the machine slow down both. Runs are stored by processor, outside the repository, in
~/.cache/discrimap/bench (or the folder named by --folder). A ratio that is 1.3 times the stored one or
more is measured again. If it stays, it is reported, the exit code is 1, and the stored run is kept.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

SLOWER = 1.3
N_TURNS = 5
N_AGAIN = 2
FOLDER = Path.home() / ".cache" / "discrimap" / "bench"


@dataclass(frozen=True)
class Measure:
    """What is timed.

    Parameters
    ----------
    name : str
        Name for the command line.
    what : str
        What we do.
    peer : str
        What the peer does.
    make : callable
        Returns two functions without arguments, ours and the peer's.
    """

    name: str
    what: str
    peer: str
    make: Callable


def digits():
    from sklearn.datasets import load_digits
    from sklearn.preprocessing import scale

    X, y = load_digits(return_X_y=True)
    return scale(X), y


def fits(ours, theirs):
    X, y = digits()
    return lambda: ours.fit(X, y), lambda: theirs.fit(X, y)


def sda():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    from discrimap import StochasticDiscriminantAnalysis

    return fits(StochasticDiscriminantAnalysis(random_state=0), LinearDiscriminantAnalysis())


def pair_sums():
    from benchmarks.speed.kernel_sums import make_problem, pair_evaluation

    fourier = pair_evaluation(*make_problem(50_000, 2), "fourier")[1]
    return fourier, pair_evaluation(*make_problem(2_000, 2), "exact")[1]


def components():
    from benchmarks.speed.components import evaluations

    made = evaluations(1_500)
    return made["discriminative components"], made["NCA"]


def nca():
    from sklearn.neighbors import NeighborhoodComponentsAnalysis

    from discrimap import NeighborhoodComponents

    X, y = (part[:500] for part in digits())
    ours, theirs = NeighborhoodComponents(), NeighborhoodComponentsAnalysis(2)
    return lambda: ours.fit(X, y), lambda: theirs.fit(X, y)


def fisher():
    import numpy as np

    from benchmarks.speed.fisher import N_STEPS, paper_length, problem
    from discrimap import FisherMetric

    X, y = problem(500)
    S = X @ X.T
    metric = FisherMetric(kernel="precomputed").fit(S, y)
    onehot = (y == np.arange(5)[:, None]).astype(float)
    ends = [(i, 499 - i) for i in range(200)]

    def by_the_paper():
        return [paper_length(S, i, j, onehot, metric.bandwidth_, N_STEPS) for i, j in ends]

    return metric.distances, by_the_paper


def fisher_tsne():
    from openTSNE import TSNE

    from discrimap import FisherTSNE

    X, y = (part[:600] for part in digits())
    ours = FisherTSNE(max_iter=250, random_state=0)
    theirs = TSNE(n_iter=250, early_exaggeration_iter=0, random_state=0, n_jobs=1)
    return lambda: ours.fit(X, y), lambda: theirs.fit(X)


def projections():
    from sklearn.neighbors import NearestNeighbors

    from discrimap import DiscriminativeProjections

    X, y = digits()
    ours = DiscriminativeProjections(random_state=0)
    return lambda: ours.fit(X, y), lambda: NearestNeighbors(n_neighbors=10).fit(X).kneighbors()


def category():
    from sklearn.decomposition import PCA

    from discrimap import CategorySpace

    return fits(CategorySpace(random_state=0), PCA(2))


def plsda():
    from sklearn.cross_decomposition import PLSRegression

    from discrimap import PLSDA

    return fits(PLSDA(), PLSRegression(2, scale=False))


def errors():
    from sklearn.neighbors import KNeighborsClassifier

    from discrimap.metrics import leave_one_out_error

    X, y = (part for part in digits())
    Z = X[:, 10:12]
    return (
        lambda: leave_one_out_error(Z, y),
        lambda: KNeighborsClassifier(5, algorithm="brute").fit(Z, y).predict(Z),
    )


def tables():
    import numpy as np
    import polars as pl

    from discrimap.datasets import read_table

    path = Path(tempfile.mkdtemp(prefix="discrimap-bench-")) / "table.csv"
    table = pl.DataFrame(np.random.default_rng(0).standard_normal((1_000, 300)))
    table.with_columns(target=pl.Series(np.arange(1_000) % 3)).write_csv(path)
    return lambda: read_table(path, target="target"), lambda: pl.read_csv(path)


def start():
    def run(*arguments):
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)

    return partial(run, "-m", "discrimap.cli", "--help"), partial(run, "-c", "import numpy")


MEASURES = [
    Measure("sda", "SDA of digits", "LDA (scikit-learn)", sda),
    Measure("pair_sums", "pair sums, 50,000 points", "all pairs of 2,000 points", pair_sums),
    Measure("components", "evaluation of components", "NCA (scikit-learn)", components),
    Measure("nca", "NCA of 500 digits", "NCA (scikit-learn)", nca),
    Measure("fisher", "Fisher distances of 500", "200 of them by the paper", fisher),
    Measure("fisher_tsne", "Fisher t-SNE of 600 digits", "t-SNE (openTSNE)", fisher_tsne),
    Measure("projections", "projections of digits", "neighbours (scikit-learn)", projections),
    Measure("category", "category space of digits", "PCA (scikit-learn)", category),
    Measure("plsda", "PLS-DA of digits", "PLSRegression (scikit-learn)", plsda),
    Measure("errors", "leave-one-out error", "5-NN prediction (scikit-learn)", errors),
    Measure("tables", "a CSV of 1,000 x 300", "read_csv (polars)", tables),
    Measure("start", "discrimap --help", "import numpy", start),
]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="measures; all if none")
    parser.add_argument("--accept", action="store_true", help="store this run, whatever it says")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where runs are stored")
    options = parser.parse_args(argv)
    chosen = [one for one in MEASURES if not options.names or one.name in options.names]
    if len(chosen) < len(options.names):
        parser.error(f"measures are {', '.join(one.name for one in MEASURES)}")

    path = options.folder / f"{machine()}.json"
    before = json.loads(path.read_text()) if path.is_file() else {}
    found, slower = {}, []
    print(f"{'':28s}{'ratio':>9s}{'before':>9s}  to")
    for measure in chosen:
        old = before.get(measure.name)
        found[measure.name] = now = measured(measure, old)
        mark = ""
        if is_slower(now, old):
            slower.append(measure.name)
            mark = f"  SLOWER by {100 * (now / old - 1):.0f} %"
        shown = "-" if old is None else f"{old:.3g}"
        print(f"{measure.what:28s}{now:9.3g}{shown:>9s}  {measure.peer}{mark}", flush=True)
    if slower and not options.accept:
        print(f"Slower than in {path}: {', '.join(slower)}. To store this run: --accept")
        return 1
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(before | found, indent=1) + "\n")
    return 0


def measured(measure, before):
    """The ratio of a measure, the least of several if the first is slower than before."""
    ours, theirs = measure.make()
    ratio = time_in_turns(ours, theirs)
    for _ in range(N_AGAIN):
        if is_slower(ratio, before):
            ratio = min(ratio, time_in_turns(ours, theirs))
    return ratio


def is_slower(ratio, before):
    return before is not None and ratio >= SLOWER * before


def time_in_turns(ours, theirs, clock=None):
    """Ratio of the least processor times of two functions, after one call of each to compile."""
    clock = clock or processor_seconds
    ours(), theirs()
    least = [float("inf"), float("inf")]
    for _ in range(N_TURNS):
        for who, function in enumerate((ours, theirs)):
            began = clock()
            function()
            least[who] = min(least[who], clock() - began)
    return least[0] / least[1]


def processor_seconds():
    """Processor time of this process, and of the processes that it started and that have ended."""
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def machine():
    """A name of this processor."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.is_file():
        named = re.search(r"^model name\s*: (.+)$", information.read_text(), flags=re.MULTILINE)
        model = named[1] if named else model
    return re.sub(r"\W+", "-", f"{model} {os.cpu_count()}").strip("-").lower()


if __name__ == "__main__":
    sys.exit(main())
