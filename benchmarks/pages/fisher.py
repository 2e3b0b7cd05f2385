"""The page of Fisher metric and Fisher t-SNE: docs/benchmarks/fisher.md; a table of docs/fisher.md."""

import numpy as np

from benchmarks.pages.picture_marks import picture
from benchmarks.papers.fisher_maps import PROBLEMS
from benchmarks.results import Store

# Table 1 of the paper, in percent: original, t-SNE, Fisher t-SNE (all clip), the same without
# correction, baseline (clip), share of negative eigenvalues.
PAPER = {
    "Aural Sonar": (17, 15, 9, 21, 18, 10, 40, 21),
    "Protein, S_chen": (10, 8, 3, 77, 31, 4, 48, 20),
    "Voting": (6, 7, 4, 6, 7, 6, 43, 0),
    "Java": (11, 13, 11, 14, 15, 14, 45, 8),
}
BEGIN = "<!-- held-out errors, written by benchmarks/papers/fisher.py -->"
END = "<!-- end of held-out errors -->"


def line(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def figure_of(pair, digits=0):
    return f"{pair[0]:.{digits}f} ± {pair[1]:.{digits}f}"


def read(folder):
    """The parts that are stored, with their data sets in the order of PROBLEMS."""
    parts = Store("fisher", folder).tree()
    for part in parts.values():
        part["table"] = {name: part["table"][name] for name in PROBLEMS if name in part["table"]}
    return parts


def page(folder):
    """The markdown page from what the two benchmarks have stored."""
    results, speed = read(folder), Store("fisher-speed", folder).tree()
    if not results:
        return ""
    text = "# Fisher metric and Fisher t-SNE\n\n"
    text += (
        "Written by `benchmarks/papers/fisher.py` and `benchmarks/speed/fisher.py`; do not edit.\n"
        "All errors are 1-NN errors in percent. *Apparent* errors are leave-one-out errors of a "
        "map whose distances have seen every label; *held-out* errors are those of points whose "
        "labels nothing has seen.\n"
    )
    text += "\n## Bars\n\n" + line("what", "bar", "reached")
    text += line("---", "---", "---")
    for what, bar, reached in [*speed_bars(speed), *error_bars(results)]:
        text += line(what, bar, reached)
    if "held_out" in results:
        text += held_out_text(results["held_out"])
    if "table1" in results:
        text += table_1_text(results["table1"], results["original"]["table"])
    if "permuted" in results:
        text += permuted_text(results["permuted"])
    if "choices" in results:
        text += choices_text(results["choices"])
    return text + (
        "\n## Figure 1, with held-out points\n\n"
        + picture("fisher-figure1.png", "t-SNE and Fisher t-SNE")
        + "\n\nDrawn by `python benchmarks/pictures.py`, which needs the data sets. Hollow markers "
        "are held-out points, placed without their labels.\n"
    )


def table(rows, columns, **titles):
    """One line for each data set; a column holds a mean and a deviation, or a number."""
    text = line("data", *[titles.get(column.replace(" ", "_"), column) for column in columns])
    text += line("---", *["---:"] * len(columns))
    for name, row in rows.items():
        cells = [row[column] for column in columns]
        text += line(name, *[figure_of(c, 1) if isinstance(c, list) else f"{c:.1f}" for c in cells])
    return text


def held_out_table(part):
    """Honest errors beside apparent ones, at the defaults; also shown in docs/fisher.md."""
    columns = [
        "t-SNE",
        "Fisher likelihood",
        "apparent likelihood",
        "Parzen likelihood",
        "permuted",
        "chance",
    ]
    return table(
        part["table"],
        columns,
        Fisher_likelihood="**Fisher t-SNE**",
        apparent_likelihood="Fisher t-SNE, apparent",
        Parzen_likelihood="Parzen classifier",
        permuted="Fisher t-SNE, permuted labels",
    )


def with_held_out_table(text, folder):
    """Return docs/fisher.md with the table between its two marks replaced."""
    results = read(folder)
    if "held_out" not in results:
        return text
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    part = results["held_out"]
    return f"{before}{BEGIN}\n\n{held_out_table(part)}\n({part['n']} splits.)\n\n{END}{after}"


def held_out_text(part):
    text = "\n## Held-out errors\n\n"
    text += (
        f"Mean over {part['n']} stratified splits (70 % training), held-out points placed by "
        "`transform`. `FisherTSNE` as it comes, that is, with the bandwidth of the largest "
        "leave-one-out likelihood. *Apparent* is the training error of the same maps, shown only "
        "to be compared with the held-out one. *Permuted labels*: held-out error of a map of "
        "permuted labels. *Chance*: a label drawn at random; a map that favours the larger classes "
        "errs less than that without knowing anything. Plain t-SNE is openTSNE on the same "
        "distances.\n\n"
    )
    text += held_out_table(part)
    text += (
        "\nOther bandwidths: 1 is the perplexity width, the rule of the paper, 2 is twice that. "
        "*Together*: the unlabelled points embedded with the others instead of placed by "
        "`transform`.\n\n"
    )
    columns = [
        "original 1-NN",
        "Fisher likelihood",
        "together likelihood",
        "Fisher 1",
        "together 1",
        "apparent 1",
        "Parzen 1",
        "Fisher 2",
        "apparent 2",
        "Parzen 2",
    ]
    return text + table(part["table"], columns)


def permuted_text(part):
    text = "\n## Permuted labels\n\n"
    text += (
        f"Leave-one-out errors of maps of all points, mean over {part['n']} permutations of the "
        "labels, at the perplexity width. Without cross-fitting a map of noise looks better than "
        "chance; with it, it stays near. *True labels*: the cross-fitted map of the real labels.\n\n"
    )
    return text + table(
        part["table"],
        ["plain", "cross-fitted", "cross-fitted distances", "chance", "true labels"],
        plain="not cross-fitted",
    )


def choices_text(part):
    n = part["n"]
    text = "\n## What two defaults were chosen by\n\n"
    text += (
        f"On permutations (numbers 1000 to {999 + 2 * n}) and splits (100 to {99 + n}) that no "
        "other table uses. *Folds*: error of the cross-fitted map of permuted labels less chance, "
        "± its standard error. With many folds all segments see nearly the same labels; a "
        "neighbour's label then moves a point, the point's label moves the neighbour, and "
        "neighbours of one class meet again. This leak goes through third points, so distances "
        "themselves are at chance. *Placed* and *together*: held-out errors of `FisherTSNE` at "
        "the two bandwidth rules, placed by `transform` and embedded with the others. At the "
        "perplexity width the large classes of Protein swamp the small ones; training points are "
        "kept with their class by their own labels, new points are not.\n\n"
    )
    columns = [f"folds {k}" for k in (3, 5, 10)]
    for rule in ("perplexity", "likelihood"):
        columns += [f"placed {rule}", f"together {rule}"]
    return text + table(part["table"], columns)


def table_1_text(part, original):
    text = "\n## Table 1 of the paper\n\n"
    text += (
        f"Apparent errors over {part['n']} runs, the paper's figure in brackets. Fisher t-SNE at "
        "two bandwidths: the perplexity width (1) and twice that (2). *Baseline*: the same for "
        f"permuted labels (permutations: {max(1, part['n'] // 3)}). *Original*: 1-NN without a map; the "
        "paper's figures need the first of tied neighbours"
    )
    if "Aural Sonar" in original and "Protein, S_chen" in original:
        text += (
            " (with ties shared, Aural Sonar and S_chen have "
            f"{original['Aural Sonar']['none']['shared']:.0f} and "
            f"{original['Protein, S_chen']['none']['shared']:.0f} without correction)"
        )
    text += ".\n\n"
    columns = ["original", "t-SNE", "Fisher 1", "Fisher 2", "baseline 1", "baseline 2"]
    text += line("data", "correction", *columns, "negative eigenvalues")
    text += line("---", "---", *["---:"] * (len(columns) + 1))
    for name, row in part["table"].items():
        for k, correction in enumerate(("clip", "none")):
            entry, paper = row[correction], PAPER.get(name)
            known = paper[3 * k : 3 * k + 3] if paper else ("-", "-", "-")
            baseline = paper[6] if paper and correction == "clip" else "-"
            text += line(
                name,
                correction,
                f"{original[name][correction]['first']:.0f} ({known[0]})",
                f"{figure_of(entry['t-SNE'])} ({known[1]})",
                f"{figure_of(entry['Fisher 1'])} ({known[2]})",
                f"{figure_of(entry['Fisher 2'])} ({known[2]})",
                f"{figure_of(entry['baseline 1'])} ({baseline})",
                f"{figure_of(entry['baseline 2'])} ({baseline})",
                f"{row['negative']:.0f} ({paper[7] if paper else '-'})",
            )
    text += (
        "\n`S_chen` is the Protein matrix that matches the paper's figures. It differs from "
        "`1 - D/13.64` in 1,509 of 22,578 pairs, which are too large by exactly 10/13.64, so its "
        "uncorrected errors show a fault of the matrix, not a property of the proteins; `D` is "
        "the clean matrix. The Java distances were computed anew (tree edit distance) and are only "
        "roughly comparable. At neither bandwidth are the Fisher errors and the baseline both near "
        "the paper's: windows narrow enough for its Fisher errors also sort permuted labels.\n"
    )
    return text


def speed_bars(speed):
    """What was measured of time, memory and rounding errors beside its bar."""
    rows = []
    if "accuracy" in speed:
        accuracy = speed["accuracy"]
        for what in ("float64", "float32", "float64, half negative", "float32, half negative"):
            rows.append(
                (
                    f"distances against a log-space loop, {what}",
                    "1e-4" if "32" in what else "1e-10",
                    f"{accuracy[what]['relative']:.1e} (lengths above 0.01; "
                    f"{accuracy[what]['absolute']:.1e} absolute)",
                )
            )
    if "limit" in speed:
        limit = speed["limit"]
        rows.append(
            (
                "against Eq. (3) with T = 1000, n_steps = 8",
                "1e-2 for 95 % of pairs",
                "; ".join(
                    f"{name}: {row['share']:.1f} % of pairs, 95 % quantile {row['quantile']:.1e}"
                    for name, row in limit.items()
                ),
            )
        )
    if "peer" in speed:
        peer = speed["peer"]
        rows.append(
            (
                "n = 1,068, 5 classes, against a NumPy reading of Eqs. (3)-(8)",
                "200 times less time",
                f"{peer['ratio']:.0f} times ({peer['ours']:.2f} s against {peer['theirs']:.0f} s, from "
                f"{peer['timed_pairs']:,} of its pairs); in CPU time {peer['ratio_cpu']:.0f} times "
                f"({peer['ours_cpu']:.2f} s against {peer['theirs_cpu']:.0f} s)",
            )
        )
    for part in ("large", "large_centres"):
        if part in speed:
            large = speed[part]
            rows.append(
                (
                    f"n = {large['n']:,}, 10 classes, neighbours only, float32, "
                    f"{large['centres']:,} centres",
                    "under 1 GB beside X",
                    f"{large['megabytes']:.0f} MB",
                )
            )
    return rows


def error_bars(results):
    """What was measured of errors beside its bar."""
    rows = []
    if "held_out" in results:
        errors = results["held_out"]["table"]
        five = ["Aural Sonar", "Java", "Protein, D", "Voting", "Vertebral"]
        if not all(name in errors for name in five):
            return rows
        mean = {
            column: np.mean([errors[name][column][0] for name in five])
            for column in ("t-SNE", "Fisher 1", "Fisher likelihood")
        }
        rows.append(
            (
                "held-out 1-NN error, mean over five data sets",
                f"below plain t-SNE's {mean['t-SNE']:.1f} %",
                f"{mean['Fisher likelihood']:.1f} % (perplexity width: {mean['Fisher 1']:.1f} %)",
            )
        )
        for rule, label in (("likelihood", "the default"), ("1", "perplexity width")):
            gaps = {
                name: errors[name][f"Fisher {rule}"][0] - errors[name][f"together {rule}"][0]
                for name in five
            }
            rows.append(
                (
                    f"out-of-sample mapping less embedding all together, {label}",
                    "within 2 points",
                    _gaps(gaps),
                )
            )
    if "permuted" in results:
        errors = results["permuted"]["table"]
        gaps = {name: row["cross-fitted"][0] - row["chance"] for name, row in errors.items()}
        rows.append(
            (
                "permuted labels, cross-fitted map, less chance",
                "within 5 points",
                _gaps(gaps),
            )
        )
    return rows


def _gaps(gaps):
    each = ", ".join(f"{name} {gap:+.1f}" for name, gap in gaps.items())
    return f"{np.mean(list(gaps.values())):+.1f} on average ({each})"
