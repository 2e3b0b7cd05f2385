"""The page of the coverage of feature intervals: docs/benchmarks/feature_intervals.md."""

from benchmarks.feature_intervals import LEVEL, LINEAR, N_LARGE, N_REFITS, POPULATIONS, takes
from benchmarks.results import Store

LOWEST, HIGHEST = 0.85, 0.95  # coverage of intervals that may be called so


def page(folder):
    store = Store("feature_intervals", folder)
    now, before = store.tree("now"), store.tree("before")
    if not now:
        return ""
    names = [name for name in POPULATIONS if name in now]
    return "\n".join(
        [
            *introduction(now),
            "",
            "## Coverage",
            "",
            f"Share of intervals that hold the mean loading of samples of this size, at nominal {LEVEL:.2f}. In "
            "parentheses: before, with percentiles of refits to halves that kept their own scale "
            f"(commit 2eae7bc, {runs_in_words(before)}). A dash: the method does not take such a target; NCA takes too long in *large*.",
            "",
            *coverage_table(now, before, names),
            "",
            "## Own loadings outside their interval, before",
            "",
            "Now none can be: intervals are built around the loading of the fit. A dash: not measured.",
            "",
            *table(before, [name for name in names if name in before], "fit_outside"),
            "",
            "## Features without effect whose interval leaves out zero",
            "",
            f"{1 - LEVEL:.2f} would be nominal where the mean loading is zero. Not every map gives such features "
            "zero: PCA and LPP never see the target, and category space has one axis for each class, three here, "
            "where two directions suffice. Their intervals hold the mean loading (first table), not zero.",
            "",
            *table(now, names, "false_signals"),
            "",
            f"## Coverage of the loading of {N_LARGE:,} samples",
            "",
            "The same intervals, asked for something else: what the method finds in one sample of "
            f"{N_LARGE:,}, turned and scaled to the fit. With few samples loadings are pulled towards zero beside "
            "the noise of all features, and methods that choose neighbours or widths look at other distances "
            "in large samples. Intervals do not know of either.",
            "",
            *table(now, names, "coverage_large"),
            "",
        ]
    )


def introduction(now):
    sizes = "; ".join(
        f"*{name}*: {population.n_samples} x {population.n_features}, {population.n_effects} features with effect, "
        f"{population.n_runs} runs" + peculiarity(population)
        for name, population in POPULATIONS.items()
    )
    errors = [row["coverage_error"] for rows in now.values() for row in rows.values()]
    good, others = (
        [method.label for method in LINEAR if is_calibrated(now, method) is kept]
        for kept in (True, False)
    )
    return [
        "# Intervals of feature loadings",
        "",
        f"From `benchmarks/feature_intervals.py`: intervals of `feature_contributions` at level {LEVEL}, with "
        f"{N_REFITS} refits, two components and standardised features, in samples that are drawn again and again "
        "from known populations. Features come in two independent blocks, with and without effect; neighbours in "
        "a block are correlated by 0.5 (0.8 in *large*). Three classes differ in two directions, so that both "
        f"components are determined. {sizes}{fewer_runs(now)}.",
        "",
        "What an interval should hold is the mean loading of samples of this size: all fits are turned and scaled "
        "to each other and averaged, then the mean is turned and scaled to each fit. It is what this method "
        "finds with this many samples, apart from chance; what it would find with more is another question (last "
        f"table). Standard errors of the coverage are {min(errors):.3f} to {max(errors):.3f}. "
        "The sizes of the parts that are refitted, the form of the interval and the bound of k (see "
        "`feature_contributions`) were chosen among some twenty variants, on other seeds of *small*, *wide* and "
        "*skewed*; *large* and *number* had no part in it. What happens where fewer directions matter than the "
        "map has components was not measured.",
        "",
        f"**A method whose coverage is within {LOWEST} and {HIGHEST} in every population, to two digits, has "
        f'90 % intervals in the report: {", ".join(good)}.** For the others the report says "variation between refits": '
        f"{', '.join(others) or 'none'}.",
    ]


def runs_in_words(version):
    counts = {row["n_runs"] for rows in version.values() for row in rows.values()}
    return f"{min(counts)} to {max(counts)} runs" if counts else "not measured"


def fewer_runs(now):
    """In words: what was run less often than its population says, as it takes long."""
    words = [
        f"{method.label} in *{name}* has {now[name][method.name]['n_runs']}"
        for name, population in POPULATIONS.items()
        for method in LINEAR
        if now.get(name, {}).get(method.name, {}).get("n_runs", population.n_runs)
        < population.n_runs
    ]
    return f" ({'; '.join(words)})" if words else ""


def peculiarity(population):
    if population.is_continuous:
        return ", a number as target (the function of Li 1991)"
    return ", exponentials and hyperbolic sines of normal features" if population.is_skewed else ""


def is_calibrated(now, method):
    """Whether the coverage was measured, and is near the level, in every population it takes."""
    possible = [name for name, population in POPULATIONS.items() if takes(method, population)]
    if method not in LINEAR or any(method.name not in now.get(name, {}) for name in possible):
        return False
    found = [round(now[name][method.name]["coverage"], 2) for name in possible]
    return min(found) >= LOWEST and max(found) <= HIGHEST


def coverage_table(now, before, names):
    lines = [f"| method | {' | '.join(names)} | in the report |", "|---" * (len(names) + 2) + "|"]
    for method in LINEAR:
        cells = []
        for name in names:
            value, old = (number(rows, name, method.name, "coverage") for rows in (now, before))
            cells.append(value if old == "–" else f"{value} ({old})")
        words = "90 % interval" if is_calibrated(now, method) else "variation between refits"
        lines.append(f"| {method.label} | {' | '.join(cells)} | {words} |")
    return lines


def table(rows, names, column):
    lines = [f"| method | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for method in LINEAR:
        cells = [number(rows, name, method.name, column) for name in names]
        lines.append(f"| {method.label} | {' | '.join(cells)} |")
    return lines


def number(rows, population, method, column):
    row = rows.get(population, {}).get(method)
    return "–" if row is None else f"{row[column]:.2f}"
