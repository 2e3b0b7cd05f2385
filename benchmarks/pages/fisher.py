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
        "This page compares `FisherMetric` and `FisherTSNE` with the paper of Fisher t-SNE and measures their "
        "errors on held-out samples. `python benchmarks/papers/fisher.py` and `python benchmarks/speed/fisher.py` "
        "make the runs and store them in `benchmarks/results/fisher.jsonl` and `fisher-speed.jsonl`. "
        "`python benchmarks/run.py --pages` writes the page.\n\n"
        "All errors are 1-NN errors in percent. *Apparent* errors are leave-one-out errors of a "
        "map whose distances were computed with the labels of all points. *Held-out* errors are those of points "
        "whose labels were not used. Only held-out errors show how well a map separates new samples.\n"
    )
    text += "\n## Requirements\n\nWhat every version of this library should reach.\n\n"
    text += line("what", "required", "measured")
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
    """Held-out errors beside apparent ones, with the defaults; also shown in docs/fisher.md."""
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
        f"Mean over {part['n']} stratified splits (70 % training). Held-out points are placed by "
        "`transform`. `FisherTSNE` has its defaults, so its bandwidth is the one with the largest "
        "leave-one-out likelihood. *t-SNE* is openTSNE on the same distances. *Apparent* is the training "
        "error of the same maps, for comparison. *Permuted labels* is the held-out error of a map that "
        "was fitted to permuted labels. *Chance* is the error of a label drawn at random; predicting the larger "
        "classes more often gives a smaller error than that without any information.\n\n"
    )
    text += held_out_table(part)
    text += (
        "\nThe same for other bandwidths: 1 is the perplexity width, which the paper uses, and 2 is twice that. "
        "*Together* means that the unlabelled points are embedded with the others instead of being placed by "
        "`transform`. *Parzen* is the Parzen window classifier with the same bandwidth.\n\n"
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
        "labels, at the perplexity width. There is nothing to find in permuted labels, so the errors should be "
        "at chance. Without cross-fitting they are far below chance; with cross-fitting they are near it. "
        "*Cross-fitted distances* is the error with the distances themselves, without a map. *True labels* is the "
        "error of the cross-fitted map of the true labels.\n\n"
    )
    return text + table(
        part["table"],
        ["plain", "cross-fitted", "cross-fitted distances", "chance", "true labels"],
        plain="not cross-fitted",
    )


def choices_text(part):
    n = part["n"]
    text = "\n## How two defaults were chosen\n\n"
    text += (
        f"The permutations (numbers 1000 to {999 + 2 * n}) and splits (100 to {99 + n}) of this table are "
        "in no other table.\n\n"
        "*Folds* is the error of the cross-fitted map of permuted labels minus chance, ± its standard error. It "
        "should be zero. With many folds, all folds are computed from nearly the same labels. Points of one class "
        "then move towards common neighbours, and the map separates classes that do not exist. The distances "
        "themselves stay at chance.\n\n"
        "*Placed* and *together* are held-out errors of `FisherTSNE` with the two bandwidth rules, where new "
        "points are placed by `transform` or embedded with the others. At the perplexity width, the large classes "
        "of Protein dominate the small ones. Training points stay with their class because of their own "
        "labels, but new points do not.\n\n"
    )
    columns = [f"folds {k}" for k in (3, 5, 10)]
    for rule in ("perplexity", "likelihood"):
        columns += [f"placed {rule}", f"together {rule}"]
    return text + table(part["table"], columns)


def table_1_text(part, original):
    text = "\n## Table 1 of the paper\n\n"
    text += (
        f"Apparent errors, mean ± standard deviation over {part['n']} runs, with the paper's figure in brackets. "
        "Fisher t-SNE has two bandwidths: the perplexity width (1) and twice that (2). *Baseline* is the same for "
        f"permuted labels ({max(1, part['n'] // 3)} permutations). *Original* is the 1-NN error without a map. The "
        "paper's figures are obtained if the first of several equally near neighbours is used"
    )
    if "Aural Sonar" in original and "Protein, S_chen" in original:
        text += (
            " (if all of them share the vote, the errors of Aural Sonar and S_chen without correction are "
            f"{original['Aural Sonar']['none']['shared']:.0f} and "
            f"{original['Protein, S_chen']['none']['shared']:.0f})"
        )
    text += (
        ". *Correction* says what is done with negative eigenvalues: set to zero (clip) or nothing. "
        "*Negative eigenvalues* is their share in percent.\n\n"
    )
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
        "`1 - D/13.64` in 1,509 of 22,578 pairs, which are too large by exactly 10/13.64. Its errors without "
        "correction are therefore caused by a fault of the matrix, not by the proteins; `D` is "
        "the matrix without the fault. The Java distances were computed again as tree edit distances and are only "
        "roughly comparable with the paper's. At neither bandwidth are the Fisher errors and the baseline both near "
        "the paper's: a bandwidth that is small enough for the paper's Fisher errors also separates permuted labels.\n"
    )
    return text


def speed_bars(speed):
    """Measured time, memory and rounding errors beside what is required."""
    rows = []
    if "accuracy" in speed:
        accuracy = speed["accuracy"]
        for what in ("float64", "float32", "float64, half negative", "float32, half negative"):
            rows.append(
                (
                    f"relative error of distances, compared with a loop in log space, {what}",
                    "1e-4" if "32" in what else "1e-10",
                    f"{accuracy[what]['relative']:.1e} (distances above 0.01; absolute error "
                    f"{accuracy[what]['absolute']:.1e})",
                )
            )
    if "limit" in speed:
        limit = speed["limit"]
        rows.append(
            (
                "relative difference from Eq. (3) with T = 1000, for n_steps = 8",
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
                "time for 1,068 samples of 5 classes, compared with Eqs. (3)-(8) in NumPy",
                "200 times less",
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
                    f"memory for {large['n']:,} samples of 10 classes, neighbours only, float32, "
                    f"{large['centres']:,} centres",
                    "less than 1 GB in addition to X",
                    f"{large['megabytes']:.0f} MB",
                )
            )
    return rows


def error_bars(results):
    """Measured errors beside what is required."""
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
                f"less than t-SNE's {mean['t-SNE']:.1f} %",
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
                    f"error of points placed by `transform` minus error of points embedded together, {label}",
                    "within 2 points",
                    _gaps(gaps),
                )
            )
    if "permuted" in results:
        errors = results["permuted"]["table"]
        gaps = {name: row["cross-fitted"][0] - row["chance"] for name, row in errors.items()}
        rows.append(
            (
                "error of a cross-fitted map of permuted labels minus chance",
                "within 5 points",
                _gaps(gaps),
            )
        )
    return rows


def _gaps(gaps):
    each = ", ".join(f"{name} {gap:+.1f}" for name, gap in gaps.items())
    return f"{np.mean(list(gaps.values())):+.1f} on average ({each})"
