"""The page of the methods that the SDA paper compares with: docs/benchmarks/comparators.md."""

import numpy as np

from benchmarks.pages.verdicts import mean_and_deviation, verdict
from benchmarks.papers.comparators import EXACT_KERNEL, LANDMARKS, PAPER, ROWS
from benchmarks.papers.readings import READINGS
from benchmarks.results import Store


def accuracies(results, row):
    runs = results.get("rows", {}).get(row.key, {}).get("runs", {})
    return [run["accuracy"] for run in runs.values()]


def verdict_of(results, row):
    values = accuracies(results, row)
    if values:
        return verdict(values, row.mean, row.deviation)
    return results.get("rows", {}).get(row.key, {}).get("problem", "not run")


def page(folder):
    results = Store("comparators", folder).tree()
    if not results:
        return ""
    lines = [
        "# The methods that the SDA paper compares with",
        "",
        "The paper of stochastic discriminant analysis (SDA) compares it with supervised PCA (SPCA), "
        "kernel supervised PCA (KSPCA) and gradient-based kernel dimension reduction (gKDR). This page "
        "compares our implementations of these methods with the paper's figures. `python "
        "benchmarks/papers/comparators.py` makes the runs and stores them in "
        "`benchmarks/results/comparators.jsonl`. `python benchmarks/run.py --pages` writes the page.",
        "",
        "Figures are 1-NN accuracies on held-out samples in two dimensions, mean ± standard deviation "
        "over the runs. Run k uses the split with seed k. The paper has 10 to 24 runs; here there are "
        "fewer where a fit takes minutes. *Reproduced* means within two of the paper's standard "
        "deviations; other rows are *better* or *worse*.",
        "",
        *explanations(results),
        "",
        "| data | variables | method | paper | ours | runs | verdict |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in ROWS:
        values = accuracies(results, row)
        ours = mean_and_deviation(values, 3) if values else ""
        lines.append(
            f"| {row.data} | {row.variables} | {row.method} | {row.mean:.3f} ± {row.deviation:.3f} "
            f"| {ours} | {len(values)} | {verdict_of(results, row)} |"
        )
    readings = stored_readings(folder)
    if readings:
        lines += ["", *reading_lines(readings)]
    return "\n".join(lines) + "\n"


def stored_readings(folder):
    """The readings that have been run, in the order of readings.py."""
    stored = Store("comparators", folder).tree("readings")
    known = [reading.key for reading in READINGS if reading.key in stored]
    return {key: stored[key] for key in [*known, *(key for key in stored if key not in known)]}


def readings_of(stored, data, method):
    """The readings of one figure of the paper; COIL-20 in both sizes of its images."""
    return [
        entry
        for entry in stored.values()
        if (entry["data"].removesuffix("_128"), entry["method"]) == (data, method)
    ]


def reading_accuracies(entry):
    return [run["accuracy"] for run in entry["runs"].values()]


def range_of(entries):
    """The span of the readings' means."""
    means = [float(np.mean(reading_accuracies(entry))) for entry in entries]
    ends = dict.fromkeys(f"{end:.3f}" for end in (min(means), max(means)))
    return " to ".join(ends)


def reading_lines(stored):
    """What other settings give where the paper's figure is not ours."""
    lines = [
        "## Where the figures differ: settings that the paper does not state",
        "",
        "Where our figure differs from the paper's, the paper may have used other settings than ours. "
        "`python benchmarks/papers/readings.py` changes one setting at a time. Each such setting is "
        "called a *reading* of the paper. The splits are not those of the table above (for COIL, the "
        "last folds), and no setting of the table above was chosen from these runs.",
        "",
        "| data | method | variables | reading | paper | ours | runs | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for entry in stored.values():
        values = reading_accuracies(entry)
        variables = "standardised" if entry["standardised"] else "as they are"
        lines.append(
            f"| {entry['data']} | {entry['method']} | {variables} | {entry['words']} | "
            f"{entry['paper']:.3f} ± {entry['deviation']:.3f} | {mean_and_deviation(values, 3)} | "
            f"{len(values)} | {verdict(values, entry['paper'], entry['deviation'])} |"
        )
    lines.append("")
    figures = dict.fromkeys(
        (entry["data"].removesuffix("_128"), entry["method"]) for entry in stored.values()
    )
    for data, method in figures:
        entries = readings_of(stored, data, method)
        paper = entries[0]["paper"]
        same = [
            f"{entry['data']}, {entry['words']}"
            + ("" if entry["standardised"] else ", variables as they are")
            for entry in entries
            if verdict(reading_accuracies(entry), paper, entry["deviation"]) == "reproduced"
        ]
        words = f"reproduced by: {'; '.join(same)}" if same else "none of them reproduces it"
        lines.append(
            f"- {data}, {method}: {len(entries)} reading{'s give' if len(entries) > 1 else ' gives'} {range_of(entries)}, the paper "
            f"{paper:.3f}; {words}."
        )
    return lines


def explanations(results):
    """What the rows with several readings say, counted from the results."""

    def count(method, sets=PAPER):
        """Data sets whose figure one of the readings of the variables reproduces."""
        done, same = set(), set()
        for row in ROWS:
            if row.data in sets and row.method.replace("gKDR-v", "gKDR") == method:
                words = verdict_of(results, row)
                if words in ("reproduced", "better", "worse"):
                    done.add(row.data)
                if words == "reproduced":
                    same.add(row.data)
        return f"{len(same)} of {len(done)}" + (
            f" (not {', '.join(name for name in PAPER if name in done - same)})"
            if done - same
            else ""
        )

    return [
        f"**KSPCA.** We use {LANDMARKS} landmarks if there are more than {EXACT_KERNEL} training samples; "
        'the paper uses the exact kernel. The paper sets the kernel width "to the median value of the '
        'squared interpoint distances". This can be read in two ways. With the median distance as sigma, '
        f"{count('KSPCA')} data sets are reproduced; with the median squared distance as sigma, "
        f"{count('KSPCA, squared width')}. *General solver* solves the eigenproblem without removing the "
        "null space of the kernel matrix K. This may explain the paper's low mean and large standard "
        "deviation on WBC, where many samples occur twice, so that K is singular.",
        "",
        "**gKDR.** We use the median width, a ridge of 1e-5 and 50 parts, as in the program published "
        "by its authors. That program uses a Gaussian kernel of the class numbers (*label numbers*), "
        f"which reproduces {count('gKDR, label numbers')} data sets. Classes have no order, so "
        "`GradientKDR` uses a kernel that is 1 for equal classes and 0 otherwise, which reproduces "
        f"{count('gKDR')} data sets. The paper does not say which of the two it used.",
    ]
