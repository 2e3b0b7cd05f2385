"""Every table of the five papers as rows with ours beside theirs, from the scripts' results."""

import numpy as np

from benchmarks.pages import category, components, fisher, projections
from benchmarks.pages.paper_line import Line
from benchmarks.pages.sda_tables import sda_tables
from benchmarks.pages.verdicts import mean_and_deviation
from benchmarks.results import Store

# Table II of discriminative components, error in percent; SAVE is in the text of its Sec. V-D.
COMPONENTS = {name: components.PAPER[name] for name in ("landsat", "lvqpak", "isolet", "mfeat")} | {
    "timit": {"DC": 59.58, "MRMI": 59.59, "LDA": 59.60, "PCA": 64.10, "SAVE": 62.8}
}


def components_tables(folder):
    results = Store("components", folder).tree()
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
    text = (
        "Error of 5 nearest neighbours in percent, ten folds. DC is discriminative components, the new "
        "method of the paper; MRMI is maximisation of Renyi mutual information; SAVE is sliced average "
        "variance estimation."
    )
    return {"Table II, with SAVE of Sec. V-D": (text, lines)}


def projections_tables(folder):
    rows = Store("projections", folder).rows("table1")
    lines = []
    for name, figures in projections.TABLE_1.items():
        runs = [row[name] for row in rows if name in row]
        for method, paper in zip(projections.TABLE_1_METHODS, figures, strict=True):
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
        "Accuracy of linear regression with 500 labels. DP is discriminative projections, the new method "
        "of the paper; LPP is locality preserving projections. The paper's figures cannot be compared with "
        "ours for the reasons given in [projections.md](benchmarks/projections.md)."
    )
    tables = {"Table 1": (text, lines)}
    tables["Figs. 3, 6 and 7"] = (
        "The paper shows curves without numbers, so the verdict is about its statements. The columns "
        "*better* and *worse* are our figures for the two maps of the statement. Our curves are in "
        "[projections.md](benchmarks/projections.md).\n\n"
        + "\n".join(figure_statements(Store("projections", folder).tree())),
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
        "| figure | statement of the paper | better | worse | splits | verdict |",
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
    results = Store("fisher", folder).tree()
    table, n_runs = (results.get("table1", {}).get(key, {}) for key in ("table", "n"))
    original = results.get("original", {}).get("table", {})
    lines = []
    for name, paper in fisher.PAPER.items():
        for correction, figures in (("clip", paper[:3]), ("none", paper[3:6])):
            row = table.get(name, {}).get(correction, {})
            first = original.get(name, {}).get(correction, {}).get("first")
            label = f"{name}, {correction}"
            shared = {"unit": 100.0, "lower_is_better": True, "script": "fisher"}
            if name == "Java":
                shared["reason"] = "the distances were computed again" if row or first else ""
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
        "Apparent 1-NN errors in percent: the maps were fitted with the labels of the same points, so a "
        "lower error does not mean a better map. Held-out errors are in [fisher.md](benchmarks/fisher.md). "
        "*Clip* and *none* are corrections of negative eigenvalues. Width 1 is the bandwidth of the paper, "
        "width 2 is twice that."
    )
    return {"Table 1": (text, lines)}


def category_tables(folder):
    results = Store("category", folder).tree()
    tables = {}
    for title, table in category.TABLES.items():
        lines = []
        for row in category.rows_of(table, results):
            nearest = category.nearest_origin(row, table["compared"])
            origin, values = nearest or ("", [])
            method = f"{row['method']}, {origin} origin" if origin else row["method"]
            reason = row["verdict"].removeprefix("not comparable: ")
            if values and row["verdict"] != category.THYROID:
                reason = ""
            spread = max(category.TOLERANCE / 2, float(np.std(values))) if values else None
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
            f"{table['text']} Accuracy in percent. The paper does not say where the origin is; of two "
            "possible origins, the row shows the one whose figure is nearer to the paper's (all are in "
            "[category.md](benchmarks/category.md)). *Reproduced* means within "
            f"{category.TOLERANCE:.0f} points, or within two of our standard deviations."
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
    "category": ("Category space (Smith and Rangarajan 2016)", category_tables),
}
