"""The page of the speed of stochastic discriminant analysis: docs/benchmarks/sda-speed.md."""

from benchmarks.results import Store
from benchmarks.speed.sda import METHODS

INTRODUCTION = """\
# Stochastic discriminant analysis: speed

Time and memory of stochastic discriminant analysis (SDA) with two components, compared with other
methods. `python benchmarks/speed/sda.py` makes the runs and stores them in
`benchmarks/results/sda-speed.jsonl`.

Every method runs in a process of its own, one after the other on the same machine, on the same
standardised data. The times do not include imports and compilation. *Naive SDA* evaluates all pairs
of samples in NumPy. Columns:

- *times SDA*: time divided by that of SDA with its defaults, or with one start.
- *1-NN accuracy*: on held-out samples. UMAP is not linear, which explains its higher accuracy.
- *peak / X*: increase of the resident memory over a process without the data, divided by the size of
  X; X itself is included.
"""


def page(folder):
    results = Store("sda-speed", folder).tree()
    if not results:
        return ""
    lines, tables = [INTRODUCTION], results.get("tables", {})
    for name in sorted(tables, reverse=True):  # USPS before MNIST
        table = tables[name]
        ours = table.get("SDA", {}).get("seconds")
        one = table.get("SDA, one start", {}).get("seconds")
        lines += [
            f"## {name}",
            "",
            "| method | seconds | CPU seconds | times SDA | times SDA, one start | 1-NN accuracy "
            "| objective | peak / X | note |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for method in [method for method in METHODS if method in table]:
            row = table[method]
            if "failed" in row:
                lines.append(f"| {method} | failed | | | | | | | {row['failed']} |")
                continue
            notes = [
                f"{key.replace('_', ' ')}: {row[key]}"
                for key in ("n_evaluations", "stopped_after_iterations")
                if key in row
            ]
            cells = [
                f"{row['seconds']:.2f}",
                f"{row['cpu_seconds']:.2f}",
                f"{row['seconds'] / ours:.1f}" if ours else "",
                f"{row['seconds'] / one:.1f}" if one else "",
                f"{row['accuracy']:.3f}",
                f"{row['objective']:.5f}" if "objective" in row else "",
                f"{row['peak_over_X']:.2f}",
                "; ".join(notes),
            ]
            lines.append(f"| {method} | " + " | ".join(cells) + " |")
        lines.append("")
    if results.get("evaluation"):
        lines += [
            "## One evaluation in two dimensions",
            "",
            "Value and gradient of the objective for n samples.",
            "",
            "| n | seconds | times the first |",
        ]
        lines += ["|---|---|---|"]
        first = next(iter(results["evaluation"].values()))
        for n_samples, seconds in results["evaluation"].items():
            lines.append(f"| {int(n_samples):,} | {seconds:.3f} | {seconds / first:.1f} |")
        lines.append("")
    return "\n".join(lines)
