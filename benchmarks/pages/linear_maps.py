"""The page of linear maps in the plane: docs/benchmarks/linear-maps.md."""

import numpy as np

from benchmarks import sda_epsilon
from benchmarks.linear_maps import METHODS, MOST_TEST, MOST_TRAINING, NAME, SETS
from benchmarks.pages.picture_marks import picture
from benchmarks.results import Store
from discrimap.sda.problem import CLEARLY_MORE

AUTO = "SDA, auto"
PAIRS = (
    (AUTO, "LDA"),
    ("SDA", "LDA"),
    ("RSDA", "SDA"),
    ("components", AUTO),
    ("components", "LDA"),
    ("components", "NCA"),
    (AUTO, "NCA"),
)


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
    yield "| data | n | features | classes | splits | " + " | ".join(METHODS) + " |"
    yield "|---" * (len(METHODS) + 5) + "|"
    for name, errors in zip(fits, mean_errors(fits), strict=True):
        shape, lowest = shapes[name], errors.min()
        cells = [
            f"**{error:.1f}**" if error <= lowest + 0.05 else f"{error:.1f}" for error in errors
        ]
        facts = [name, shape["n"], shape["p"], shape["classes"], len(fits[name][METHODS[0]])]
        yield "| " + " | ".join([*map(str, facts), *cells]) + " |"
    means = " | ".join(f"{error:.1f}" for error in mean_errors(fits).mean(axis=0))
    yield f"| mean | | | | | {means} |"


def time_table(fits):
    yield "| data | " + " | ".join(METHODS) + " |"
    yield "|---" * (len(METHODS) + 1) + "|"
    for name in fits:
        seconds = [np.median(column(fits, name, method, "cpu")) for method in METHODS]
        yield f"| {name} | " + " | ".join(f"{value:.2g}" for value in seconds) + " |"


def differences(shapes, fits, first, second):
    """Errors of the first minus the second method in points, (n_splits,) by data set.

    "SDA, auto" is SDA with ``alpha="auto"``: RSDA with fewer than two samples for each feature.
    """

    def errors(name, method):
        if method == AUTO:
            method = "RSDA" if is_wide(shapes[name]) else "SDA"
        return 100 * column(fits, name, method, "error")

    return {name: errors(name, first) - errors(name, second) for name in fits}


def is_wide(shape):
    return shape["n"] < CLEARLY_MORE * shape["p"]


def standard_error(values):
    return values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.inf


def versus_table(shapes, fits):
    yield "| | lower error | clearly | higher error | clearly | mean difference, points |"
    yield "|---|---|---|---|---|---|"
    for first, second in PAIRS:
        found = differences(shapes, fits, first, second)
        means = np.array([one.mean() for one in found.values()])
        clear = np.abs(means) > 2 * np.array([standard_error(one) for one in found.values()])
        counts = [(means < 0), (means < 0) & clear, (means > 0), (means > 0) & clear]
        cells = " | ".join(str(int(one.sum())) for one in counts)
        yield f"| {first} against {second} | {cells} | {means.mean():+.1f} |"


def lda_table(shapes, fits):
    yield "| data | SDA, auto − LDA | components − LDA | components − SDA, auto |"
    yield "|---|---|---|---|"
    pairs = [(AUTO, "LDA"), ("components", "LDA"), ("components", AUTO)]
    columns = [differences(shapes, fits, *pair) for pair in pairs]
    for name in fits:
        cells = [f"{one[name].mean():+.1f} ± {standard_error(one[name]):.1f}" for one in columns]
        yield f"| {name} | " + " | ".join(cells) + " |"


def epsilon_section(folder):
    """The choice of epsilon, from the runs of benchmarks/sda_epsilon.py."""
    found = sda_epsilon.errors_of(Store(sda_epsilon.NAME, folder).tree(), "2")
    if not found:
        return []
    used, differences_of, errors = sda_epsilon.chosen(found)
    powers = [f"C^-{power:g}" for power in sda_epsilon.POWERS]
    lines = [
        "## The rule for epsilon",
        "",
        "`python benchmarks/sda_epsilon.py` compares powers of the number of classes C as the epsilon of SDA, with "
        f'`alpha="auto"`, on {len(found)} of these data sets and other splits. '
        "Held-out error in per cent:",
        "",
        "| data | splits | LDA | " + " | ".join(powers) + " |",
        "|---" * (len(powers) + 3) + "|",
    ]
    for name, rows in found.items():
        means = 100 * np.mean(rows, axis=0)
        lines.append(
            f"| {name} | {len(rows)} | " + " | ".join(f"{mean:.1f}" for mean in means) + " |"
        )
    means = 100 * np.mean([np.mean(rows, axis=0) for rows in found.values()], axis=0)
    lines.append("| mean | | " + " | ".join(f"{mean:.2f}" for mean in means) + " |")
    cells = ", ".join(
        f"{power} {100 * difference:+.2f} ± {100 * error:.2f}"
        for k, (power, difference, error) in enumerate(
            zip(powers, differences_of, errors, strict=True)
        )
        if k != used
    )
    lines += [
        "",
        "Of the powers whose mean is within one standard error of the least, the nearest to the paper's is used: "
        f"**{powers[used]}**. Differences of the other means from it, in points, with standard errors over the data sets: {cells}.",
        "",
        *other_dimensions(folder),
    ]
    return lines


def other_dimensions(folder):
    """The same in other numbers of dimensions."""
    tree = Store(sda_epsilon.NAME, folder).tree()
    rows = {}
    for n_components in ("1", "3", "C - 1"):
        found = sda_epsilon.errors_of(tree, n_components)
        if found:
            rows[n_components] = 100 * np.mean(
                [np.mean(one, axis=0) for one in found.values()], axis=0
            )
            n_sets, n_splits = len(found), min(len(one) for one in found.values())
    if not rows:
        return []
    return [
        f"In other dimensions, means over {n_sets} data sets with {n_splits} splits each:",
        "",
        "| dimensions | LDA | "
        + " | ".join(f"C^-{power:g}" for power in sda_epsilon.POWERS)
        + " |",
        "|---" * (len(sda_epsilon.POWERS) + 2) + "|",
        *(
            f"| {name} | " + " | ".join(f"{mean:.1f}" for mean in means) + " |"
            for name, means in rows.items()
        ),
        "",
    ]


def page(folder):
    shapes, fits = read(folder)
    if not fits:
        return ""
    n_splits = sorted({len(fits[name][METHODS[0]]) for name in fits})
    counts = "10" if n_splits == [10] else f"{n_splits[0]} to {n_splits[-1]}"
    wide = ", ".join(name for name in fits if is_wide(shapes[name]))
    lines = [
        "# Linear maps in the plane",
        "",
        "Written from the runs of `python benchmarks/linear_maps.py`, which are in "
        f"`benchmarks/results/{NAME}.jsonl`; `python benchmarks/pictures.py` draws the picture.",
        "",
        f"Two components of each method, {counts} splits with at most {MOST_TRAINING} samples to fit "
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
        "## Method against method",
        "",
        '"SDA, auto" is `alpha="auto"`, which `discrimap compare` uses: RSDA with fewer than two samples for each feature '
        f"({wide}), else SDA.",
        "",
        "Number of data sets, and of those with a mean difference above two standard errors. The splits of a data set "
        "overlap, so these standard errors are too small where most of the samples are used, as for the small sets.",
        "",
        *versus_table(shapes, fits),
        "",
        "Mean differences in points, and their standard errors over the splits:",
        "",
        *lda_table(shapes, fits),
        "",
        *epsilon_section(folder),
        "## Processor seconds of a fit, median, one thread",
        "",
        *time_table(fits),
        "",
    ]
    return "\n".join(lines)
