"""The page of what verdicts claim on simulated data: docs/benchmarks/claims.md."""

from collections import Counter

import numpy as np

from benchmarks.claims import EFFECTS, METHODS
from benchmarks.results import Store
from discrimap.comparison.evidence import LEVEL, combine

RULES = {
    "the first split alone (before)": lambda p: p[0],
    "Cauchy's combination (now)": combine,
    "twice the median": lambda p: 2 * np.median(p),
    "twice the mean": lambda p: 2 * np.mean(p),
    "e times the geometric mean": lambda p: np.e * np.exp(np.mean(np.log(p))),
}


def page(folder):
    results = Store("claims", folder).tree()
    if not results:
        return ""
    lines = [
        "# What verdicts claim, and miss",
        "",
        f"From `benchmarks/claims.py`: simulated data sets, {len(METHODS)} methods "
        f'({", ".join(METHODS)}), 10 splits, all defaults. "Chance does not explain it" is claimed at '
        f"p < {LEVEL:g}; ± is one standard error.",
        "",
        *_level(results),
        *_power(results.get("effect", {})),
        *_designs(results),
        *_ties(results.get("ties", {})),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _level(results):
    null = results.get("null", {}).values()
    if not null:
        return
    columns = {
        "classes of equal size": [r["error"] for i, r in enumerate(null) if "balanced" not in r],
        "50 : 22 : 11": [r["error"] for r in null if "balanced" in r],
        "the same, balanced error": [r["balanced"] for r in null if "balanced" in r],
    }
    yield "## Nothing to find"
    yield ""
    yield "150 samples, 10 correlated features, 3 classes at random: every claim is false."
    yield ""
    yield f"| p-value | {' | '.join(f'{n} ({len(v)} sets)' for n, v in columns.items())} |"
    yield "|---|" + "---|" * len(columns)
    for name, rule in RULES.items():
        yield f"| {name} | {' | '.join(_share(v, rule) for v in columns.values())} |"
    yield ""


def _power(effect):
    if not effect:
        return
    numbers = sorted(effect, key=int)
    yield "## Something to find"
    yield ""
    yield (
        "The same with class means that differ in two of ten features by this many standard deviations; "
        "each data set twice, with other splits. *Disagree* is the share of data sets in which one seed claims "
        "and the other does not."
    )
    yield ""
    heads = [f"power, {size}" for size in EFFECTS]
    yield f"| p-value | {' | '.join(heads)} | all | disagree |"
    yield "|---|" + "---|" * (len(heads) + 2)
    for name, rule in RULES.items():
        cells = []
        for k in range(len(EFFECTS)):
            chosen = [n for n in numbers if int(n) % len(EFFECTS) == k]
            cells.append(_share([effect[n][s] for n in chosen for s in ("0", "1")], rule))
        cells.append(_share([effect[n][s] for n in numbers for s in ("0", "1")], rule))
        claims = [[rule(effect[n][s]) < LEVEL for s in ("0", "1")] for n in numbers]
        cells.append(f"{np.mean([a != b for a, b in claims]):.2f}")
        yield f"| {name} | {' | '.join(cells)} |"
    yield ""
    yield (
        "The last three are valid however the p-values depend on each other, and pay for it. Cauchy's is so in the tail "
        "only; the table above is its level here."
    )
    yield ""


def _designs(results):
    words = {
        "groups": "40 patients with 6 rows each; which patients are ill is random",
        "order": "400 rows of slowly changing features; classes in blocks of 15 to 40 rows, at random",
    }
    parts = [part for part in words if results.get(part)]
    if not parts:
        return
    yield "## Samples that depend on each other"
    yield ""
    yield "| data | data sets | false claims, rows held out at random | as the data demand | refused |"
    yield "|---|---|---|---|---|"
    for part in parts:
        rows = list(results[part].values())
        respected = [row["respected"] for row in rows if row["respected"]]
        yield (
            f"| {words[part]} | {len(rows)} | {_share([row['ignored'] for row in rows], combine)} | "
            f"{_share(respected, combine)} (`--{part}`) | {len(rows) - len(respected)} |"
        )
    yield ""
    yield (
        "Refused are data sets in which a class occurs in one stretch only: what tells it apart cannot be told from what "
        "changes with time."
    )
    yield ""


def _ties(ties):
    if not ties:
        return
    rows = list(ties.values())
    winners = Counter(row["winner"] for row in rows)
    in_set = Counter(name for row in rows for name in row["as_good"])
    shown = Counter(row["shown"] for row in rows)
    yield "## Methods that are equally good"
    yield ""
    yield (
        f"Three classes in a plane of four features, {len(rows)} data sets: how often each method has the smallest error, is "
        "among those that cannot be told from the best, and is the one that is shown."
    )
    yield ""
    yield "| method | mean error | wins | as good as the best | shown |"
    yield "|---|---|---|---|---|"
    errors = {name: np.mean([row["errors"][name] for row in rows]) for name in METHODS}
    for name in sorted(METHODS, key=errors.get):
        yield (
            f"| {name} | {100 * errors[name]:.1f} % | {winners[name]} | {in_set[name]} | {shown[name]} |"
        )
    yield ""


def _share(p_values, rule):
    """The share of data sets with a claim, with its standard error."""
    if not p_values:
        return ""
    claims = np.array([rule(p) < LEVEL for p in p_values])
    error = np.sqrt(claims.mean() * (1 - claims.mean()) / len(claims))
    return f"{claims.mean():.3f} ± {error:.3f}"
