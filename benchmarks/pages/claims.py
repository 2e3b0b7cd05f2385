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
        "# False and missed claims of the verdict",
        "",
        "The verdict of `discrimap compare` says whether chance can explain the result. This page "
        "counts how often it is wrong on simulated data, where the truth is known. "
        "`python benchmarks/claims.py` makes the runs and stores them in "
        f"`benchmarks/results/claims.jsonl`: {len(METHODS)} methods ({', '.join(METHODS)}), 10 splits, all "
        'other settings at their defaults. The verdict claims that "chance does not explain it" if the '
        f"p-value is below {LEVEL:g}. Figures are shares of data sets ± one standard error.",
        "",
        "Each split has a p-value of its own. The rows compare rules that combine the p-values of all "
        'splits into one. discrimap uses the row marked "now".',
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
        "classes of 90, 40 and 20": [r["error"] for r in null if "balanced" in r],
        "the same, balanced error": [r["balanced"] for r in null if "balanced" in r],
    }
    yield "## Data without any effect: false claims"
    yield ""
    yield (
        "150 samples, 10 correlated features, 3 classes that do not depend on the features. Every claim is "
        f"false, so the share should be at most {LEVEL:g}."
    )
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
    yield "## Data with an effect: power"
    yield ""
    yield (
        "The same, but the class means differ in two of ten features. The number in the heading is the distance "
        "of the class means from their centre in standard deviations. *Power* is the share of data sets with a "
        "claim; here a larger share is better. Each data set is compared twice, with different splits. "
        "*Disagree* is the share of data sets with a claim for only one of the two."
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
        "The last three rules are valid for any dependence between the p-values, but have less power. Cauchy's "
        "combination is valid only approximately, for small p-values. The first table shows how often it is wrong."
    )
    yield ""


def _designs(results):
    words = {
        "groups": "40 patients with 6 rows each; the class of a patient is random",
        "order": "400 rows in order of time, with slowly changing features; random classes in blocks of 15 to 40 rows",
    }
    parts = [part for part in words if results.get(part)]
    if not parts:
        return
    yield "## Samples that depend on each other"
    yield ""
    yield (
        "Rows of one patient, or rows next to each other in time, are similar. If they are split at random, similar "
        "rows are in both the training and the test part, and the verdict makes false claims. The options `--groups` "
        "and `--order` keep them together. The classes do not depend on the features, so every claim is false."
    )
    yield ""
    yield "| data | data sets | false claims, rows split at random | false claims, with the option | refused |"
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
        "A data set is refused with an error if a class occurs in only one contiguous block of rows, because differences "
        "between classes and changes over time can then not be separated."
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
        f"Three classes that differ in a plane of four features, {len(rows)} data sets. *Wins*: how often the method has the "
        "smallest error. *As good as the best*: how often its error does not differ significantly from the smallest. "
        "*Shown*: how often it is the method whose map the report shows. Which of several equally good methods wins is a "
        "matter of chance."
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
