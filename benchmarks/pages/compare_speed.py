"""The page of the time until `discrimap compare` shows results: docs/benchmarks/compare-speed.md."""

import numpy as np

from benchmarks.pages.picture_marks import picture
from benchmarks.results import Store

WORDS = {
    "letters": "26 classes of three Gaussians each",
    "images": "MNIST",
    "made": "scikit-learn's `make_classification`",
    "wine": "wine",
}
VERSIONS = {"before": "planned from cost estimates", "now": "in rounds"}


def page(folder):
    results = Store("compare-speed", folder).tree()
    if not results:
        return ""
    lines = [
        "# Time until `discrimap compare` shows results",
        "",
        "This page measures when `discrimap compare` shows a first table of all methods, and how the errors change until "
        "the time budget is used. `python benchmarks/speed/compare.py` runs the command with `--out` and `--json` and "
        "stores the results in `benchmarks/results/compare-speed.jsonl`.",
        "",
        "- *Quiet* and *busy*: without and with another process on each core.",
        "- *In rounds* is the current version. Every method starts with a few hundred rows and continues with more rows, "
        "then with more splits.",
        "- *Planned from cost estimates* is an earlier version. It wrote one report at the end, and fitted "
        "slow methods to fewer rows or skipped them. Other programs ran during its runs on the two large data sets; this "
        "does not change which methods it skipped.",
        "- *First page*: time until the first table of all methods can be read. *Last fit*: time until the last "
        "fit whose error is in the table. Afterwards, the features, the dimensions and the labels are examined for "
        "the report.",
        "- *Methods with a figure*: methods with an error at the end. *Median rows*: median over these methods of the "
        "training rows of the last error.",
        "",
        "| data | | version | budget | first page | last fit | end | methods with a figure | median rows | CPU |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for data, words in WORDS.items():
        for condition in ("quiet", "busy"):
            for version, name in VERSIONS.items():
                run = results.get(version, {}).get(data, {}).get(condition)
                if run is not None:
                    lines.append(_line(run, words, condition, name))
    missing = [
        f"{words} ({condition}, {name})"
        for data, words in WORDS.items()
        for condition in ("quiet", "busy")
        for version, name in VERSIONS.items()
        if condition not in results.get(version, {}).get(data, {})
    ]
    if missing:
        lines += ["", f"Not run: {'; '.join(missing)}."]
    lines += ["", picture("compare-speed.png", "errors of each method by time")]
    for data in WORDS:
        run, before = (
            results.get(version, {}).get(data, {}).get("quiet") for version in ("now", "before")
        )
        if run is not None:
            title = f"{WORDS[data][0].upper()}{WORDS[data][1:]}"
            lines += ["", f"## {title}, quiet", "", *_rounds(run, before or {"methods": {}})]
    return "\n".join(lines) + "\n"


def _line(run, words, condition, version):
    methods = run["methods"].values()
    done = [row for row in methods if row["status"] == "done"]
    rows = int(np.median([row["n_fitted"] for row in done])) if done else 0
    cpu = sum(row["cpu_seconds"] for row in done)
    ends = [row["rounds"][-1]["elapsed"] for row in done if row.get("rounds")]
    budget = f"{run['budget']:g} s" if run["budget"] else "none"
    last = f"{max(ends):.0f} s" if ends else ""
    return (
        f"| {words}, {run['n_samples']:,} x {run['n_features']} | {condition} | {version} | "
        f"{budget} | {run['first_page']:.1f} s | {last} | "
        f"{run['seconds']:.0f} s | "
        f"{len(done)} of {len(methods)} | {rows:,} | {cpu:.0f} s |"
    )


def _rounds(run, before):
    """The errors of each method by rows, with the second at which each was known."""
    yield (
        "| method | held-out error with this many rows (x splits, time) "
        "| planned from cost estimates |"
    )
    yield "|---|---|---|"
    for name, row in run["methods"].items():
        found = "; ".join(
            _figure(one["errors"], one["n_rows"], one["elapsed"]) for one in row.get("rounds", [])
        )
        old = before["methods"].get(name)
        if old is not None and old["status"] == "done":
            planned = _figure(old["test_errors"], old["n_fitted"], before["seconds"])
        else:
            planned = "" if old is None else f"{old['status']}: {old['reason']}"
        yield f"| {row['label']} | {found or row['status'] + ': ' + row['reason']} | {planned} |"


def _figure(errors, n_rows, seconds):
    return f"{100 * np.mean(errors):.1f} % {n_rows:,} (x{len(errors)}, {seconds:.0f} s)"
