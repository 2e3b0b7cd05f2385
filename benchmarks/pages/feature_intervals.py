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
            f"Share of intervals that contain the mean loading; the nominal share is {LEVEL:.2f}. In parentheses: an "
            "earlier version (commit 2eae7bc), which used percentiles of refits to halves of the samples without a "
            f"common scale ({runs_in_words(before)}). A dash means that the method does not support such a target, or "
            "(NCA in *large*) that it takes too long.",
            "",
            *coverage_table(now, before, names),
            "",
            "## Loadings outside their own interval, earlier version",
            "",
            "Share of features whose fitted loading was outside its interval in the earlier version. This is no longer "
            "possible, because intervals are now built around the loading of the fit. A dash means not measured.",
            "",
            *table(before, [name for name in names if name in before], "fit_outside"),
            "",
            "## Features without effect whose interval does not contain zero",
            "",
            f"The nominal share is {1 - LEVEL:.2f} if the mean loading of such features is zero. This is not so for every "
            "method: PCA and LPP do not use the target, and category space has one axis for each of the three classes, "
            "although two directions suffice. Their intervals contain the mean loading (first table), but not zero.",
            "",
            *table(now, names, "false_signals"),
            "",
            f"## Coverage of the loading of {N_LARGE:,} samples",
            "",
            f"Share of the same intervals that contain the loading of one sample of size {N_LARGE:,}, rotated and scaled "
            "to the fit. It can be far below the nominal share for two reasons. With few samples, loadings are biased "
            "towards zero by the noise of all features. And methods that choose neighbours or kernel widths use other "
            "distances in large samples. The intervals do not include these two effects.",
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
        f"`feature_contributions` gives intervals for the loadings of features. This page measures how often the {LEVEL} "
        f"intervals contain the true value. `python benchmarks/feature_intervals.py` draws samples repeatedly from known "
        f"populations and fits each method with two components, standardised features and {N_REFITS} refits. Results are in "
        "`benchmarks/results/feature_intervals.jsonl`.",
        "",
        "Features are in two independent blocks, with and without effect on the target. Adjacent features of a block have "
        "correlation 0.5 (0.8 in *large*). Three classes differ in two directions, so both components are determined. The "
        f"populations, as samples x features: {sizes}{fewer_runs(now)}.",
        "",
        "The true value is the mean loading over samples of the same size: all fits are rotated and scaled to each other "
        "and averaged, and the mean is rotated and scaled to each fit. The last table compares with a large sample "
        f"instead. Standard errors of the coverage are {min(errors):.3f} to {max(errors):.3f}. "
        "The size of the subsamples for the refits, the form of the interval and the bound of k (see "
        "`feature_contributions`) were chosen among about twenty variants, on other seeds of *small*, *wide* and "
        "*skewed*; *large* and *number* were not used for this. Data with fewer relevant directions than components were "
        "not measured.",
        "",
        f"**A method with coverage between {LOWEST} and {HIGHEST} in every population, rounded to two digits, has "
        f'90 % intervals in the report: {", ".join(good)}.** For the other methods the report says "variation between refits": '
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
