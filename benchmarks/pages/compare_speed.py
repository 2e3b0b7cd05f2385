"""The page of `discrimap compare` within its budget: docs/benchmarks/compare-speed.md."""

from benchmarks.results import Store
from discrimap.cli.compare import SHARE_OF_REPORT
from discrimap.comparison.compare import SHARE_OF_ONE_METHOD

N_FITS = 10  # five splits, each with the labels and with permuted ones


def page(folder):
    results = Store("compare-speed", folder).tree()
    if not results:
        return ""
    measured, methods = results["run"], results["methods"].values()
    for_report = min(60.0, SHARE_OF_REPORT * measured["budget"])
    n_done = sum(row["status"] == "done" for row in methods)
    lines = [
        "# `discrimap compare` within its budget",
        "",
        "From `benchmarks/speed/compare.py`; data made by scikit-learn's `make_classification`.",
        "",
        f"{measured['n_samples']:,} x {measured['n_features']}, {measured['n_classes']} classes, "
        f"{measured['n_cores']} cores, 5 splits, each also with permuted labels, report included: "
        f"**{n_done} of {len(methods)} methods done in {measured['seconds']:.0f} s** (budget "
        f"{measured['budget']:.0f} s). The report has {measured['report_bytes'] / 1e6:.1f} MB.",
        "",
        "Planned and CPU seconds are of all ten fits of a method; a method is ended after "
        f"{SHARE_OF_ONE_METHOD * (measured['budget'] - for_report):.0f} s.",
        "",
        "| method | held-out error | seconds per fit | planned | CPU | made smaller, or why not |",
        "|---|---|---|---|---|---|",
    ]
    for row in methods:
        if row["status"] == "done":
            smaller = [text for text in row["notices"] if "to stay within the budget" in text]
            figures = (
                f"{100 * row['error']:.1f} % | {row['seconds']:.2f} | "
                f"{N_FITS * row['estimated_seconds']:.1f} | {row['cpu_seconds']:.1f} | "
                f"{'; '.join(smaller)}"
            )
        else:
            figures = f"| | | | {row['status']}: {row['reason']}"
        lines.append(f"| {row['label']} | {figures} |")
    return "\n".join(lines) + "\n"
