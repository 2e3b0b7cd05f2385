"""The page of linear maps in the plane: docs/benchmarks/linear-maps.md."""

import numpy as np

from benchmarks.linear_maps import METHODS, MOST_TEST, MOST_TRAINING, NAME, SETS
from benchmarks.pages.picture_marks import picture
from benchmarks.results import Store


def read(folder):
    """Shapes, and errors and times (n_splits,) by data set and method, where every method has run."""
    stored = Store(NAME, folder).tree()
    fits = {}
    for name in SETS:
        by_method = stored.get("fits", {}).get(name, {})
        if set(METHODS) <= set(by_method):
            # The splits that all methods have.
            splits = set.intersection(*(set(by_method[method]) for method in METHODS))
            fits[name] = {
                method: [by_method[method][seed] for seed in sorted(splits, key=int)]
                for method in METHODS
            }
    return stored.get("shapes", {}), fits


def column(fits, name, method, what):
    return np.array([one[what] for one in fits[name][method]])


def mean_errors(fits, what="error"):
    """Mean errors in per cent, (n_sets, n_methods)."""
    return np.array(
        [[100 * column(fits, name, method, what).mean() for method in METHODS] for name in fits]
    )


def error_table(shapes, fits):
    yield "| data | n | features | classes | " + " | ".join(METHODS) + " |"
    yield "|---" * (len(METHODS) + 4) + "|"
    for name, errors in zip(fits, mean_errors(fits), strict=True):
        shape, lowest = shapes[name], errors.min()
        cells = [
            f"**{error:.1f}**" if error <= lowest + 0.05 else f"{error:.1f}" for error in errors
        ]
        yield (
            f"| {name} | {shape['n']} | {shape['p']} | {shape['classes']} | {' | '.join(cells)} |"
        )
    means = " | ".join(f"{error:.1f}" for error in mean_errors(fits).mean(axis=0))
    yield f"| mean | | | | {means} |"


def time_table(fits):
    yield "| data | " + " | ".join(METHODS) + " |"
    yield "|---" * (len(METHODS) + 1) + "|"
    for name in fits:
        seconds = [np.median(column(fits, name, method, "cpu")) for method in METHODS]
        yield f"| {name} | " + " | ".join(f"{value:.2g}" for value in seconds) + " |"


def against(fits, first, second):
    """Number of sets on which the first method has the lower, and the higher, mean error."""
    errors = mean_errors(fits)
    differences = errors[:, METHODS.index(first)] - errors[:, METHODS.index(second)]
    return int((differences < 0).sum()), int((differences > 0).sum()), differences.mean()


def versus_table(fits):
    yield "| | sets with lower error | with higher error | mean difference, points |"
    yield "|---|---|---|---|"
    for first, second in (
        ("SDA", "LDA"),
        ("RSDA", "SDA"),
        ("components", "SDA"),
        ("components", "LDA"),
        ("components", "NCA"),
    ):
        lower, higher, difference = against(fits, first, second)
        yield f"| {first} against {second} | {lower} | {higher} | {difference:+.1f} |"


def page(folder):
    shapes, fits = read(folder)
    if not fits:
        return ""
    n_splits = {len(fits[name][METHODS[0]]) for name in fits}
    lines = [
        "# Linear maps in the plane",
        "",
        "Written from the runs of `python benchmarks/linear_maps.py`, which are in "
        f"`benchmarks/results/{NAME}.jsonl`; `python benchmarks/pictures.py` draws the picture.",
        "",
        f"Two components of each method, {min(n_splits)} to {max(n_splits)} splits with at most {MOST_TRAINING} samples to fit "
        f"and {MOST_TEST:,} to test, all methods with their defaults (RSDA is SDA with "
        '`alpha="cv"`; LDA of two classes has one component). Images and spectra are as they are, '
        "other features are standardised.",
        "",
        picture("linear-maps.png", "held-out error and time of each method on each data set"),
        "",
        "## Held-out error of the nearest neighbour, per cent",
        "",
        *error_table(shapes, fits),
        "",
        "## Method against method, by data set",
        "",
        "By mean errors; with few splits a difference of a point or two on one set means little.",
        "",
        *versus_table(fits),
        "",
        "## Processor seconds of a fit, median, one thread",
        "",
        *time_table(fits),
        "",
    ]
    return "\n".join(lines)
