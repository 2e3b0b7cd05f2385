"""Every table of the five papers as rows with ours beside theirs, from the scripts' results."""

import json
from dataclasses import dataclass, field

import category_tables
import comparators
import numpy as np
from at_hand import NOT_AVAILABLE, is_at_hand
from verdicts import mean_and_deviation, verdict

# Tables 3-5 of the SDA paper, accuracy and its standard deviation; SPCA, KSPCA and gKDR are in
# comparators.py. The number of repeats stands first.
SDA_TABLES = {
    "iris": (20, {"None": (0.941, 0.026), "SDA": (0.948, 0.030), "RSDA": (0.957, 0.023), "LDA": (0.962, 0.025), "PLS-DA": (0.879, 0.040), "PCA": (0.860, 0.034)}),
    "wine": (20, {"None": (0.949, 0.026), "SDA": (0.983, 0.017), "RSDA": (0.982, 0.016), "LDA": (0.981, 0.016), "PLS-DA": (0.974, 0.021), "PCA": (0.938, 0.024)}),
    "wbc": (20, {"None": (0.957, 0.014), "SDA": (0.957, 0.008), "RSDA": (0.955, 0.011), "LDA": (0.961, 0.009), "PLS-DA": (0.957, 0.008), "PCA": (0.961, 0.011)}),
    "phoneme": (10, {"None": (0.889, 0.010), "SDA": (0.875, 0.009), "RSDA": (0.877, 0.009), "LDA": (0.664, 0.010), "PLS-DA": (0.779, 0.014), "PCA": (0.765, 0.007)}),
    "mnist5k": (10, {"None": (0.936, 0.002), "SDA": (0.557, 0.006), "RSDA": (0.550, 0.005), "LDA": (0.461, 0.011), "PLS-DA": (0.301, 0.006), "PCA": (0.383, 0.006)}),
    "usps": (10, {"None": (0.962, 0.002), "SDA": (0.668, 0.009), "RSDA": (0.669, 0.007), "LDA": (0.554, 0.008), "PLS-DA": (0.490, 0.008), "PCA": (0.460, 0.010)}),
    "olivetti": (10, {"None": (0.908, 0.023), "SDA": (0.393, 0.056), "RSDA": (0.562, 0.047), "LDA": (0.446, 0.039), "PLS-DA": (0.310, 0.042), "PCA": (0.289, 0.029)}),
    "coil20": (24, {"None": (0.999, 0.005), "SDA": (0.904, 0.035), "RSDA": (0.944, 0.026), "LDA": (0.656, 0.079), "PLS-DA": (0.573, 0.042), "PCA": (0.667, 0.046)}),
    "coil100": (24, {"None": (0.988, 0.006), "SDA": (0.277, 0.024), "RSDA": (0.605, 0.026), "LDA": (0.300, 0.054), "PLS-DA": (0.481, 0.049), "PCA": (0.288, 0.036)}),
}  # fmt: skip
SDA_NUMBERS = {"Table 3": ("iris", "wine", "wbc"), "Table 4": ("phoneme", "mnist5k", "usps"),
               "Table 5": ("olivetti", "coil20", "coil100")}  # fmt: skip
LARGE = ("phoneme", "mnist5k", "usps", "olivetti", "coil20", "coil100")
LINEAR = ("SDA", "RSDA", "LDA", "PLS-DA", "PCA", "SPCA", "gKDR-v")
# Table II of discriminative components, error in percent; SAVE is in the text of its Sec. V-D.
COMPONENTS = {
    "landsat": {"DC": 14.70, "MRMI": 13.34, "LDA": 13.62, "PCA": 13.96, "SAVE": 68.2},
    "lvqpak": {"DC": 8.51, "MRMI": 10.25, "LDA": 10.51, "PCA": 9.60, "SAVE": 18.5},
    "isolet": {"DC": 17.74, "MRMI": 29.44, "LDA": 28.79, "PCA": 40.15, "SAVE": 73.6},
    "mfeat": {"DC": 17.06, "MRMI": 20.89, "LDA": 21.08, "PCA": 19.60, "SAVE": 62.0},
    "timit": {"DC": 59.58, "MRMI": 59.59, "LDA": 59.60, "PCA": 64.10, "SAVE": 62.8},
}
# Table 1 of discriminative projections, accuracy in percent.
PROJECTIONS = {
    "OHSUMED": {"DP 1-D": 60.24, "DP 30-D": 68.83, "LDA 1-D": 49.78, "LPP 1-D": 60.73, "LPP 30-D": 64.98, "original": 63.56},
    "Mushroom": {"DP 1-D": 52.80, "DP 30-D": 76.30, "LDA 1-D": 68.40, "LPP 1-D": 49.00, "LPP 30-D": 52.40, "original": 54.70},
}  # fmt: skip
# Table 1 of kernel Fisher t-SNE, 1-NN errors in percent with clipped and with all eigenvalues:
# original, t-SNE, Fisher t-SNE.
FISHER = {
    "Aural Sonar": ((17, 15, 9), (21, 18, 10)),
    "Protein, S_chen": ((10, 8, 3), (77, 31, 4)),
    "Voting": ((6, 7, 4), (6, 7, 6)),
    "Java": ((11, 13, 11), (14, 15, 14)),
}


@dataclass
class Line:
    """One figure of a paper beside ours."""

    data: str
    method: str
    paper: float | None
    deviation: float | None = None
    values: list = field(default_factory=list)  # ours, one for each run
    spread: float | None = None  # our deviation, where only the mean of the runs was kept
    n_runs: int | None = None
    unit: float = 1.0
    lower_is_better: bool = False
    tolerance: float | None = None  # half the width of "reproduced", where a script sets its own
    reason: str = ""  # not comparable because, or why there is nothing
    note: str = ""  # what explains a figure that is not reproduced
    script: str = ""  # that measures it
    wanted: int = 1  # runs it is to have
    missing: int | None = None  # runs it lacks, where several columns make one row
    seconds: float | None = None  # of one run

    @property
    def word(self):
        return verdict(
            self.values,
            self.paper,
            self.tolerance or self.deviation or self._least_spread(),
            unit=self.unit,
            lower_is_better=self.lower_is_better,
        )

    @property
    def verdict(self):
        if not self.values:
            return self.reason or ("not run" if is_at_hand(self.data) else NOT_AVAILABLE)
        if self.reason:
            return f"not comparable: {self.reason}"
        return f"{self.word}: {self.note}" if self.note and self.word != "reproduced" else self.word

    @property
    def n_done(self):
        return len(self.values) if self.n_runs is None else self.n_runs

    @property
    def n_left(self):
        """Runs that are missing and can be made."""
        if not self.values and self.verdict != "not run":
            return 0
        return max(self.wanted - self.n_done, 0) if self.missing is None else self.missing

    def _least_spread(self):
        """Our own deviation, where only that was kept; None lets the runs speak."""
        return None if self.spread is None else max(0.01 * self.unit, self.spread)

    def cells(self):
        digits = 3 if self.unit == 1.0 else 1
        theirs = "" if self.paper is None else f"{self.paper:.{digits}f}"
        if self.deviation:
            theirs += f" ± {self.deviation:.{digits}f}"
        ours = mean_and_deviation(self.values, digits) if self.values else ""
        if self.spread is not None and ours:
            ours = f"{self.values[0]:.{digits}f} ± {self.spread:.{digits}f}"
        return [self.data, self.method, theirs, ours, str(self.n_done), self.verdict]


def read(folder, name):
    """The results of a script, of its full run or of its quick one."""
    for stem in (name, f"{name}-quick"):
        path = folder / f"{stem}.json"
        if path.is_file():
            return json.loads(path.read_text(encoding="utf-8"))
    return {}


def sda_tables(folder):
    results, others = read(folder, "sda"), read(folder, "comparators")
    tables = {}
    for number, names in SDA_NUMBERS.items():
        lines = []
        for name in names:
            repeats, figures = SDA_TABLES[name]
            for method, (mean, deviation) in figures.items():
                runs = sda_runs(results, name, method)
                values = [run["accuracy"] for run in runs]
                plan = {"script": "sda", "wanted": repeats, "seconds": mean_seconds(runs)}
                lines.append(Line(name, method, mean, deviation, values, **plan))
                raw = raw_accuracies(results, name, method)
                if raw:
                    lines.append(Line(f"{name}, as it is", method, mean, deviation, raw))
            for row in comparators.ROWS:
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
        explain(lines, others.get("readings", {}))
        repeats = " and ".join(str(n) for n in dict.fromkeys(SDA_TABLES[n][0] for n in names))
        text = (
            f"1-NN accuracy in two dimensions; the paper has {repeats} repeats. *As it is*: "
            "variables not standardised."
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


def mean_seconds(runs):
    """Of the runs that were timed; None if there is none."""
    times = [run["seconds"] for run in runs if "seconds" in run]
    return float(np.mean(times)) if times else None


def sda_runs(results, name, method, dimension=2):
    return [
        run
        for run in results.get("runs", [])
        if (run["data"], run["method"], run["dimension"]) == (name, method, dimension)
    ]


def raw_accuracies(results, name, method):
    """Runs without standardisation, if the script has made any."""
    stored = results.get("unstandardised", {})
    runs = stored.get(name, {}).get(method, []) if isinstance(stored, dict) else []
    if isinstance(runs, dict):
        runs = list(runs.values())
    return [float(run["accuracy"] if isinstance(run, dict) else run) for run in runs]


def linear_ranking(folder):
    """SDA or RSDA against the best linear method on each of the six large sets, in words."""
    results, others = read(folder, "sda"), read(folder, "comparators")
    lines = [
        "| data | best of SDA and RSDA | best other linear method | first, or within one standard "
        "deviation |",
        "|---|---|---|---|",
    ]
    for name in LARGE:
        found = {
            method: [run["accuracy"] for run in sda_runs(results, name, method)]
            for method in LINEAR
        }
        for row in comparators.ROWS:
            if row.data == name and row.standardised and row.method in LINEAR:
                found[row.method] = comparators.accuracies(others, row)
        found = {method: values for method, values in found.items() if values}
        mine = {m: v for m, v in found.items() if m in ("SDA", "RSDA")}
        rest = {m: v for m, v in found.items() if m not in mine}
        if not mine or not rest:
            lines.append(f"| {name} |  |  | not run |")
            continue
        best = max(mine, key=lambda m: np.mean(mine[m]))
        rival = max(rest, key=lambda m: np.mean(rest[m]))
        holds = np.mean(mine[best]) >= np.mean(rest[rival]) - np.std(mine[best])
        missing = [m for m in LINEAR if m not in found]
        lines.append(
            f"| {name} | {best} {mean_and_deviation(mine[best], 3)} (n={len(mine[best])}) | "
            f"{rival} {mean_and_deviation(rest[rival], 3)} (n={len(rest[rival])}) | "
            f"{'yes' if holds else 'no'}{', without ' + ', '.join(missing) if missing else ''} |"
        )
    return lines


def components_tables(folder):
    results = read(folder, "components")
    lines = []
    for name, figures in COMPONENTS.items():
        for method, error in figures.items():
            values = results.get(name, {}).get("methods", {}).get(method, {}).get("errors", [])
            reason = "not available: TIMIT is licensed" if name == "timit" else ""
            lines.append(
                Line(
                    name,
                    method,
                    error,
                    None,
                    list(values),
                    unit=100.0,
                    lower_is_better=True,
                    reason=reason,
                    script="components",
                    wanted=10,
                )
            )
    text = "Error in percent, ten folds; DC is the paper's new method."
    return {"Table II, with SAVE of Sec. V-D": (text, lines)}


def projections_tables(folder):
    stored = read(folder, "projections").get("table1", {})
    rows = [stored[seed] for seed in sorted(stored, key=str)] if "0" in stored else None
    lines = []
    for name, figures in PROJECTIONS.items():
        runs = [row[name] for row in rows] if rows else stored.get(name, {}).get("rows", [])
        for method, paper in figures.items():
            values = [100 * run[method] for run in runs if method in run]
            lines.append(
                Line(
                    name,
                    method,
                    paper,
                    None,
                    values,
                    unit=100.0,
                    reason="the paper's figures contradict each other" if values else "",
                    script="projections",
                    wanted=5,
                )
            )
    text = (
        "Accuracy of linear regression with 500 labels. Why no figure of the paper can be compared "
        "is in [projections.md](benchmarks/projections.md)."
    )
    tables = {"Table 1": (text, lines)}
    tables["Figs. 3, 6 and 7"] = (
        "The paper gives these as curves without numbers, so the verdict is on what it says of "
        "them; the curves are in [projections.md](benchmarks/projections.md).\n\n"
        + "\n".join(figure_statements(read(folder, "projections"))),
        [],
    )
    return tables


STATEMENTS = (  # figure, part, kind, neighbours, what the paper says, which maps
    ("Fig. 3", "usps", "class", 1, "DP keeps classes better than LPP", "DP 9-D", "LPP 9-D"),
    ("Fig. 3", "usps", "class", 1, "LDA keeps classes better than LPP", "LDA 9-D", "LPP 9-D"),
    (
        "Fig. 6",
        "tdt2",
        "topology",
        10,
        "100-D keeps topology better than 3-D",
        "DP 100-D",
        "DP 3-D",
    ),
    ("Fig. 7", "tdt2", "class", 1, "DP keeps classes better than LPP", "DP 3-D", "LPP 3-D"),
    ("Fig. 7", "tdt2", "class", 1, "LDA keeps classes better than LPP", "LDA 3-D", "LPP 3-D"),
)


def figure_statements(results):
    lines = [
        "| figure | the paper | the first | the second | splits | verdict |",
        "|---|---|---|---|---|---|",
    ]
    for figure, part, kind, k, claim, first, second in STATEMENTS:
        stored = results.get(part, {})
        # One entry for each split; where only classes are scored it has no kinds.
        rows = [row.get(kind, row) for row in stored.values()]
        pairs = [(row[first][k - 1], row[second][k - 1]) for row in rows]
        if not pairs:
            lines.append(f"| {figure} | {claim} |  |  | 0 | not run |")
            continue
        ours = np.transpose(pairs)
        cells = [
            f"{name} {mean_and_deviation(values, 3)}"
            for name, values in zip((first, second), ours, strict=True)
        ]
        gain, noise = ours[0].mean() - ours[1].mean(), ours.std(axis=1).max()
        word = "reproduced" if gain > noise else "not reproduced: no clear difference"
        lines.append(
            f"| {figure}, K = {k} | {claim} | {' | '.join(cells)} | {len(pairs)} | {word} |"
        )
    return lines


def fisher_tables(folder):
    results = read(folder, "fisher")
    table, n_runs = (results.get("table1", {}).get(key, {}) for key in ("table", "n"))
    original = results.get("original", {}).get("table", {})
    lines = []
    for name, corrections in FISHER.items():
        for correction, figures in zip(("clip", "none"), corrections, strict=True):
            row = table.get(name, {}).get(correction, {})
            first = original.get(name, {}).get(correction, {}).get("first")
            label = f"{name}, {correction}"
            shared = {"unit": 100.0, "lower_is_better": True, "script": "fisher"}
            if name == "Java":
                shared["reason"] = "its distances were computed anew" if row or first else ""
            lines.append(
                Line(
                    label, "original", figures[0], None, [] if first is None else [first], **shared
                )
            )
            for method, key, figure in (
                ("t-SNE", "t-SNE", figures[1]),
                ("Fisher t-SNE, width 1", "Fisher 1", figures[2]),
                ("Fisher t-SNE, width 2", "Fisher 2", figures[2]),
            ):
                pair = row.get(key)
                lines.append(
                    Line(
                        label,
                        method,
                        figure,
                        None,
                        pair[:1] if pair else [],
                        pair[1] if pair else None,
                        n_runs if pair else 0,
                        wanted=10,
                        **shared,
                    )
                )
    for name in ("Patrol", "Sonatas"):
        lines.append(Line(name, "all", None, reason="not available: no copy is public"))
    text = (
        "Apparent 1-NN errors in percent: the maps have seen the labels, so a lower error is no "
        "merit; held-out errors are in [fisher.md](benchmarks/fisher.md). *Clip* and *none*: the "
        "correction of negative eigenvalues. Width 1 is the paper's rule, width 2 twice that."
    )
    return {"Table 1": (text, lines)}


def category_page_tables(folder):
    results = read(folder, "category")
    tables = {}
    for title, table in category_tables.TABLES.items():
        lines = []
        for row in category_tables.rows_of(table, results):
            nearest = category_tables.nearest_origin(row, table["compared"])
            origin, values = nearest or ("", [])
            method = f"{row['method']}, {origin} origin" if origin else row["method"]
            reason = row["verdict"].removeprefix("not comparable: ")
            if values and row["verdict"] != category_tables.THYROID:
                reason = ""
            spread = max(category_tables.TOLERANCE / 2, float(np.std(values))) if values else None
            lines.append(
                Line(
                    row["data"],
                    method,
                    row["paper"],
                    values=values,
                    unit=100.0,
                    tolerance=spread,
                    reason="" if reason == "not run" else reason,
                    script="category",
                    missing=row["missing"],
                    seconds=row["seconds"],
                )
            )
        text = (
            f"{table['text']} Accuracy in percent; of the origins that the paper may mean, the one "
            "nearer to it (all are in [category.md](benchmarks/category.md)). *Reproduced*: within "
            f"{category_tables.TOLERANCE:.0f} points, or two of our standard deviations."
        )
        tables[title] = (text, lines)
    return tables


PAPERS = {  # script: title, tables
    "sda": ("Stochastic discriminant analysis (Juuti, Corona and Karhunen 2018)", sda_tables),
    "components": (
        "Discriminative components of data (Peltonen and Kaski 2005)",
        components_tables,
    ),
    "projections": ("Discriminative projections (Wang and Mahadevan)", projections_tables),
    "fisher": ("Kernel Fisher t-SNE (Schulz and Hammer 2016)", fisher_tables),
    "category": ("Category space (Smith and Rangarajan 2016)", category_page_tables),
}
