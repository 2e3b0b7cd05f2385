"""The tables of docs/benchmarks/fisher.md."""

import numpy as np

# Table 1 of the paper, in percent: original, t-SNE, Fisher t-SNE (all clip), the same without
# correction, baseline (clip), share of negative eigenvalues.
PAPER = {
    "Aural Sonar": (17, 15, 9, 21, 18, 10, 40, 21),
    "Protein, S_chen": (10, 8, 3, 77, 31, 4, 48, 20),
    "Voting": (6, 7, 4, 6, 7, 6, 43, 0),
    "Java": (11, 13, 11, 14, 15, 14, 45, 8),
}


def line(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def figure_of(pair, digits=0):
    return f"{pair[0]:.{digits}f} ± {pair[1]:.{digits}f}"


def markdown(results, speed, has_figure):
    """Return docs/benchmarks/fisher.md from what the two benchmarks have stored."""
    text = "# Fisher metric and Fisher t-SNE\n\n"
    text += (
        "Written by `benchmarks/papers/fisher.py` and `benchmarks/speed/fisher.py`; do not edit.\n"
        "All errors are 1-NN errors in percent. *Apparent* errors are leave-one-out errors of a "
        "map whose distances have seen every label; *held-out* errors are those of points whose "
        "labels nothing has seen.\n"
    )
    if speed or results.get("held_out"):
        text += "\n## Asked for and reached\n\n" + line("what", "asked for", "reached")
        text += line("---", "---", "---")
        for what, asked, reached in targets(results, speed):
            text += line(what, asked, reached)
    if "held_out" in results:
        part = results["held_out"]
        text += "\n## Held-out errors\n\n"
        text += (
            f"Mean over {part['n']} stratified splits (70 % training), held-out points placed by "
            "`transform`. *Together*: the unlabelled points embedded with the others. Bandwidths: "
            "the perplexity width, twice that, and the one of the largest leave-one-out "
            "likelihood. *Permuted*: Fisher t-SNE of permuted labels. Plain t-SNE is openTSNE on "
            "the same distances.\n\n"
        )
        columns = [
            "original 1-NN",
            "t-SNE",
            "Fisher 1",
            "Fisher 2",
            "Fisher likelihood",
            "Parzen 1",
            "together",
            "apparent 1",
            "permuted",
        ]
        text += line("data", *columns, "chance") + line("---", *["---:"] * (len(columns) + 1))
        for name, row in part["table"].items():
            values = [figure_of(row[column], 1) for column in columns]
            text += line(name, *values, f"{row['chance']:.1f}")
        text += (
            "\n*apparent 1* is the training error of the same maps at the perplexity width. It is "
            "shown only to be compared with the held-out one.\n"
        )
    if "table1" in results:
        text += table_1_text(results["table1"], results["original"]["table"])
    if "permuted" in results:
        part = results["permuted"]
        text += "\n## Permuted labels\n\n"
        text += (
            f"Leave-one-out errors of maps of all points, mean over {part['n']} permutations of "
            "the labels. Without cross-fitting a map of noise looks better than chance; with it, "
            "it does not. *True labels*: the cross-fitted map of the real labels.\n\n"
        )
        text += line(
            "data", "not cross-fitted", "cross-fitted", "its distances", "chance", "true labels"
        )
        text += line("---", *["---:"] * 5)
        for name, row in part["table"].items():
            text += line(
                name,
                figure_of(row["plain"], 1),
                figure_of(row["cross-fitted"], 1),
                figure_of(row["cross-fitted distances"], 1),
                f"{row['chance']:.1f}",
                f"{row['true labels']:.1f}",
            )
    if has_figure:
        text += (
            "\n## Figure 1, with held-out points\n\n![t-SNE and Fisher t-SNE](fisher-figure1.png)"
            "\n\nHollow markers are held-out points, placed without their labels.\n"
        )
    return text


def table_1_text(part, original):
    text = "\n## Table 1 of the paper\n\n"
    text += (
        f"Apparent errors over {part['n']} runs, the paper's figure in brackets. Fisher t-SNE at "
        "two bandwidths: the perplexity width (1) and twice that (2). *Baseline*: the same for "
        f"permuted labels (permutations: {max(1, part['n'] // 3)}). *Original*: 1-NN without a map; the "
        "paper's figures need the first of tied neighbours (with ties shared, Aural Sonar and S_chen "
        f"have {original['Aural Sonar']['none']['shared']:.0f} and "
        f"{original['Protein, S_chen']['none']['shared']:.0f} without correction).\n\n"
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
        "`1 - D/13.64` in 1,509 of 22,578 pairs, which are too large by exactly 10/13.64, so its "
        "uncorrected errors show a fault of the matrix, not a property of the proteins; `D` is "
        "the clean matrix. The Java distances were computed anew (tree edit distance) and are only "
        "roughly comparable. At neither bandwidth are the Fisher errors and the baseline both near "
        "the paper's: windows narrow enough for its Fisher errors also sort permuted labels.\n"
    )
    return text


def targets(results, speed):
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
                    f"{large['megabytes']:.0f} MB, {large['seconds']:.0f} s",
                )
            )
    if "held_out" in results:
        table = results["held_out"]["table"]
        five = ["Aural Sonar", "Java", "Protein, D", "Voting", "Vertebral"]
        mean = {
            column: np.mean([table[name][column][0] for name in five])
            for column in ("t-SNE", "Fisher 1", "Fisher likelihood", "together")
        }
        rows.append(
            (
                "held-out 1-NN error, mean over five data sets",
                f"below plain t-SNE's {mean['t-SNE']:.1f} %",
                f"{mean['Fisher 1']:.1f} % (likelihood bandwidth: "
                f"{mean['Fisher likelihood']:.1f} %)",
            )
        )
        rows.append(
            (
                "out-of-sample mapping against embedding all points together",
                "within 2 points",
                f"{mean['Fisher 1'] - mean['together']:+.1f} points on average; largest "
                f"{max(table[n]['Fisher 1'][0] - table[n]['together'][0] for n in five):+.1f}",
            )
        )
    if "permuted" in results:
        gaps = {
            name: row["cross-fitted"][0] - row["chance"]
            for name, row in results["permuted"]["table"].items()
        }
        worst = max(gaps, key=lambda name: abs(gaps[name]))
        rows.append(
            (
                "permuted labels, cross-fitted map",
                "within 5 points of chance",
                f"{np.mean(list(gaps.values())):+.1f} points on average, largest "
                f"{gaps[worst]:+.1f} ({worst})",
            )
        )
    return rows
