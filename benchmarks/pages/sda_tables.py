"""Tables 3-5 of the SDA paper, what explains figures that differ, and SDA among linear methods."""

import numpy as np

from benchmarks.pages import comparators
from benchmarks.pages.paper_line import Line, mean_seconds
from benchmarks.pages.verdicts import mean_and_deviation, verdict
from benchmarks.papers.comparators import ROWS
from benchmarks.papers.sda import REPEATS, repeats_of
from benchmarks.results import Store

# Tables 3-5 of the SDA paper, accuracy and its standard deviation; SPCA, KSPCA and gKDR are in
# comparators.py.
PAPER = {
    "iris": {"None": (0.941, 0.026), "SDA": (0.948, 0.030), "RSDA": (0.957, 0.023), "LDA": (0.962, 0.025), "PLS-DA": (0.879, 0.040), "PCA": (0.860, 0.034)},
    "wine": {"None": (0.949, 0.026), "SDA": (0.983, 0.017), "RSDA": (0.982, 0.016), "LDA": (0.981, 0.016), "PLS-DA": (0.974, 0.021), "PCA": (0.938, 0.024)},
    "wbc": {"None": (0.957, 0.014), "SDA": (0.957, 0.008), "RSDA": (0.955, 0.011), "LDA": (0.961, 0.009), "PLS-DA": (0.957, 0.008), "PCA": (0.961, 0.011)},
    "phoneme": {"None": (0.889, 0.010), "SDA": (0.875, 0.009), "RSDA": (0.877, 0.009), "LDA": (0.664, 0.010), "PLS-DA": (0.779, 0.014), "PCA": (0.765, 0.007)},
    "mnist5k": {"None": (0.936, 0.002), "SDA": (0.557, 0.006), "RSDA": (0.550, 0.005), "LDA": (0.461, 0.011), "PLS-DA": (0.301, 0.006), "PCA": (0.383, 0.006)},
    "usps": {"None": (0.962, 0.002), "SDA": (0.668, 0.009), "RSDA": (0.669, 0.007), "LDA": (0.554, 0.008), "PLS-DA": (0.490, 0.008), "PCA": (0.460, 0.010)},
    "olivetti": {"None": (0.908, 0.023), "SDA": (0.393, 0.056), "RSDA": (0.562, 0.047), "LDA": (0.446, 0.039), "PLS-DA": (0.310, 0.042), "PCA": (0.289, 0.029)},
    "coil20": {"None": (0.999, 0.005), "SDA": (0.904, 0.035), "RSDA": (0.944, 0.026), "LDA": (0.656, 0.079), "PLS-DA": (0.573, 0.042), "PCA": (0.667, 0.046)},
    "coil100": {"None": (0.988, 0.006), "SDA": (0.277, 0.024), "RSDA": (0.605, 0.026), "LDA": (0.300, 0.054), "PLS-DA": (0.481, 0.049), "PCA": (0.288, 0.036)},
}  # fmt: skip
NUMBERS = {
    "Table 3": ("iris", "wine", "wbc"),
    "Table 4": ("phoneme", "mnist5k", "usps"),
    "Table 5": ("olivetti", "coil20", "coil100"),
}
LARGE = ("phoneme", "mnist5k", "usps", "olivetti", "coil20", "coil100")
LINEAR = ("SDA", "RSDA", "LDA", "PLS-DA", "PCA", "SPCA", "gKDR-v")


def sda_tables(folder):
    results, others = Store("sda", folder).tree(), Store("comparators", folder).tree()
    tables = {}
    for number, names in NUMBERS.items():
        lines = []
        for name in names:
            for method, (mean, deviation) in PAPER[name].items():
                runs = runs_of(results, name, method)
                values = [run["accuracy"] for run in runs]
                plan = {"script": "sda", "wanted": repeats_of(name), "seconds": mean_seconds(runs)}
                lines.append(Line(name, method, mean, deviation, values, **plan))
                raw = raw_accuracies(results, name, method)
                if raw:
                    lines.append(Line(f"{name}, as it is", method, mean, deviation, raw))
            for row in ROWS:
                if row.data == name:
                    values = comparators.accuracies(others, row)
                    label = name if row.standardised else f"{name}, as it is"
                    entry = others.get("rows", {}).get(row.key, {})
                    lines.append(
                        Line(
                            label,
                            row.method,
                            row.mean,
                            row.deviation,
                            values,
                            reason="" if values else entry.get("problem", ""),
                            script="comparators",
                            wanted=row.n_repeats,
                            seconds=mean_seconds(entry.get("runs", {}).values()),
                        )
                    )
        explain(lines, comparators.stored_readings(folder))
        repeats = " and ".join(str(n) for n in dict.fromkeys(REPEATS[n] for n in names))
        text = (
            f"1-NN accuracy in two dimensions. The paper made {repeats} repeats. *As it is* means that "
            "the features are not standardised."
        )
        tables[f"{number}: {', '.join(names)}"] = (text, lines)
    return tables


def explain(lines, readings):
    """Note what reproduces a figure if the row itself does not, or what its other readings give."""
    for line in lines:
        data, method = line.data.split(",")[0], line.method.split(",")[0]
        if not line.values or method in ("SDA", "RSDA"):
            continue
        same = [
            f"{other.data}, {other.method}"
            for other in lines
            if other.data.split(",")[0] == data
            and other.method.split(",")[0] == method
            and other.verdict == "reproduced"
        ]
        others = comparators.readings_of(readings, data, method)
        if same:
            line.note = f"reproduced by *{same[0]}*"
        elif others:
            line.note = (
                f"other readings give {comparators.range_of(others)}, see "
                "[comparators.md](benchmarks/comparators.md)"
            )


# Readings that are the settings of the tables' own rows, on other splits: no explanation.
SETTINGS_OF_ROWS = (
    "all variables", "one-hot labels", "two axes", "within-class scatter made white",
    "sigma = median", "ridge 1e-05",
)  # fmt: skip


def figures_of_comparators(folder):
    """How many of the figures of other methods some reading of the paper reproduces, in words."""
    readings = comparators.stored_readings(folder)
    lines = [line for _, table in sda_tables(folder).values() for line in table]
    by_figure = {}
    for line in lines:
        data, method = line.data.split(",")[0], line.method.split(",")[0]
        if line.values and method not in ("SDA", "RSDA"):
            by_figure.setdefault((data, method), []).append(line)
    if not by_figure:
        return []
    in_tables, in_readings, left = [], [], []
    for (data, method), rows in by_figure.items():
        others = [
            entry
            for entry in comparators.readings_of(readings, data, method)
            if entry["data"] != data
            or not entry["standardised"]
            or entry["words"] not in SETTINGS_OF_ROWS
        ]
        if any(row.word == "reproduced" for row in rows):
            in_tables.append(f"{data} {method}")
            continue
        words = [
            entry["words"] if entry["data"] == data else f"{entry['data']}, {entry['words']}"
            for entry in others
            if verdict(comparators.reading_accuracies(entry), entry["paper"], entry["deviation"])
            == "reproduced"
        ]
        if words:
            in_readings.append(f"{data} {method} ({'; '.join(dict.fromkeys(words))})")
        else:
            ours = mean_and_deviation(rows[0].values, 3)
            tried = f", other readings {comparators.range_of(others)}" if others else ""
            left.append(f"{data} {method} (paper {rows[0].paper:.3f}, ours {ours}{tried})")
    return [
        f"Of {len(by_figure)} figures of other methods than SDA and RSDA in these tables, {len(in_tables)} "
        "are reproduced by one of their rows"
        + (
            f", {len(in_readings)} by another reading of the paper: {', '.join(in_readings)}"
            if in_readings
            else ""
        )
        + (f". Not reproduced: {'; '.join(left)}." if left else "."),
    ]


def runs_of(results, name, method, dimension=2):
    stored = results.get("runs", {}).get(name, {}).get(method, {})
    return list(stored.get(str(dimension), {}).values())


def accuracies_of(results, name, method, dimension=2):
    return [run["accuracy"] for run in runs_of(results, name, method, dimension)]


def raw_accuracies(results, name, method):
    """Accuracies without standardisation, if there are any."""
    return results.get("unstandardised", {}).get(name, {}).get(method, [])


def linear_ranking(folder):
    """SDA and RSDA beside the best other linear method on each of the six large sets."""
    results, others = Store("sda", folder).tree(), Store("comparators", folder).tree()
    lines = [
        "| data | SDA | RSDA | best other linear method | first, or within one standard deviation |",
        "|---|---|---|---|---|",
    ]
    holding, incomplete = [], 0
    for name in LARGE:
        found = linear_accuracies(results, others, name)
        mine = {method: found.pop(method) for method in ("SDA", "RSDA") if method in found}
        cells = [_with_count(mine[m]) if m in mine else "not run" for m in ("SDA", "RSDA")]
        if not mine or not found:
            lines.append(f"| {name} | {' | '.join(cells)} |  | not run |")
            continue
        best = max(mine.values(), key=np.mean)
        rival = max(found, key=lambda method: np.mean(found[method]))
        holds = np.mean(best) >= np.mean(found[rival]) - np.std(best)
        known = {method.split(",")[0] for method in found} | set(mine)
        missing = [method for method in LINEAR if method not in known]
        lines.append(
            f"| {name} | {' | '.join(cells)} | {rival} {_with_count(found[rival])} | "
            f"{'yes' if holds else 'no'}{', without ' + ', '.join(missing) if missing else ''} |"
        )
        holding += [name] if holds else []
        incomplete += bool(missing)
    return [
        *lines,
        "",
        "The accuracy of SDA or RSDA is the highest, or within one of its standard deviations of the highest, on "
        f"{len(holding)} of these {len(LARGE)} data sets"
        + (f"; {incomplete} of them have no runs of the methods named there" if incomplete else "")
        + ". All readings of the other methods are included, with features standardised and as they are.",
    ]


def _with_count(values):
    return f"{mean_and_deviation(values, 3)} (n={len(values)})"


def linear_accuracies(results, others, name):
    """Accuracies of the linear methods, in all their readings; those without a run are left out."""
    found = {m: accuracies_of(results, name, m) for m in LINEAR}
    found |= {f"{m}, as it is": raw_accuracies(results, name, m) for m in LINEAR}
    for row in ROWS:
        if row.data == name and row.method.split(",")[0] in LINEAR:
            label = row.method if row.standardised else f"{row.method}, as it is"
            found[label] = comparators.accuracies(others, row)
    return {method: values for method, values in found.items() if values}
