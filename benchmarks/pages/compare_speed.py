"""The page of `discrimap compare` against the clock: docs/benchmarks/compare-speed.md."""

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
        "# `discrimap compare` against the clock",
        "",
        "From `benchmarks/speed/compare.py`: the command as a user runs it, with `--out` and `--json`. "
        "*Busy* is with another process on each of the cores. The first page is the first table of all "
        "methods that can be read; *before* there was one page, at the end, and methods were made smaller or "
        "skipped by cost estimates.",
        "",
        "| data | | version | budget | first page | end | methods with a figure | median rows | CPU |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for data, words in WORDS.items():
        for condition in ("quiet", "busy"):
            for version, name in VERSIONS.items():
                run = results.get(version, {}).get(data, {}).get(condition)
                if run is not None:
                    lines.append(_line(run, words, condition, name))
    lines += ["", picture("compare-speed.png", "errors of each method against the clock")]
    for data in WORDS:
        run = results.get("now", {}).get(data, {}).get("quiet")
        if run is not None:
            lines += ["", f"## {WORDS[data][0].upper()}{WORDS[data][1:]}", "", *_rounds(run)]
    return "\n".join(lines) + "\n"


def _line(run, words, condition, version):
    methods = run["methods"].values()
    done = [row for row in methods if row["status"] == "done"]
    rows = int(np.median([row["n_fitted"] for row in done])) if done else 0
    cpu = sum(row["cpu_seconds"] for row in done)
    return (
        f"| {words}, {run['n_samples']:,} x {run['n_features']} | {condition} | {version} | "
        f"{run['budget']:g} s | {run['first_page']:.1f} s | {run['seconds']:.0f} s | "
        f"{len(done)} of {len(methods)} | {rows:,} | {cpu:.0f} s |"
    )


def _rounds(run):
    """The errors of each method by rows, with the second at which each was known."""
    yield "| method | held-out error after so many rows (x splits, at this second) |"
    yield "|---|---|"
    for row in run["methods"].values():
        if row["status"] != "done":
            yield f"| {row['label']} | {row['status']}: {row['reason']} |"
            continue
        words = [
            f"{100 * np.mean(one['errors']):.1f} % {one['n_rows']:,} (x{len(one['splits'])}, "
            f"{one['elapsed']:.0f} s)"
            for one in row.get("rounds", [])
        ]
        yield f"| {row['label']} | {'; '.join(words)} |"
