"""The page of all papers' tables, ours beside theirs: docs/papers.md."""

import traceback

from benchmarks import plan
from benchmarks.pages import paper_tables, sda_tables

RECORDS = "papers-run"  # how the experiments ended


def page(folder, records, pages, *, quick=False):
    """The tables of each paper with a verdict on every row.

    Parameters
    ----------
    folder : Path
        Folder of the results.
    records : dict
        How each experiment ended, by its name.
    pages : collection of str
        Names of the pages in docs/benchmarks that can be linked to.
    quick : bool
        Whether the results are those of the quick mode.
    """
    lines = introduction(folder, records, quick)
    for name, (title, make_tables) in paper_tables.PAPERS.items():
        lines += ["", f"## {title}", ""]
        record = records.get(name)
        if record is not None and record["outcome"] != "done":
            lines += [f"The last run ended: {record['outcome']}. {record['message']}".strip(), ""]
        if name in pages:
            lines.append(f"All figures: [{name}.md](benchmarks/{name}.md).")
        try:
            tables = make_tables(folder)
        except Exception as error:  # one paper's results must not cost the others' tables
            traceback.print_exc()
            lines += ["", f"The results could not be read ({type(error).__name__}: {error})."]
            continue
        # Another experiment may have measured rows of this paper.
        if name not in pages and not any(row.values for _, rows in tables.values() for row in rows):
            lines.append("Not available: there are no results.")
            continue
        for heading, (text, rows) in tables.items():
            lines += ["", f"### {heading}", "", text, *table_of(rows)]
        if name == "sda":
            lines += linear_methods(folder, pages)
    return "\n".join(lines) + "\n"


def introduction(folder, records, quick):
    text = (
        "This page compares every table of the five papers with the figures of this library. It is "
        f"written by `make {'papers-quick' if quick else 'papers'}`, which needs the data sets in the folder "
        "named by DISCRIMAP_DATA. Figures are mean ± standard deviation over the runs. "
        "The number of runs is that of the paper, or smaller if that takes too long. *Reproduced* "
        "means within two standard deviations of the paper's figure. If the paper gives no standard "
        "deviation, ours is used, or one percentage point if ours is smaller. Other rows are *better* or "
        "*worse*. Single runs, seeds, versions and times are in `benchmarks/results`."
    )
    if records:
        text += f" How each experiment ended is in `benchmarks/results/{RECORDS}.jsonl`."
    if not quick:
        text += " " + state_of(folder)
    return ["# The tables of the papers, and our figures", "", text]


def linear_methods(folder, pages):
    lines = [
        "",
        "### SDA and RSDA among linear methods: six large sets, two dimensions",
        "",
        *sda_tables.linear_ranking(folder),
        "",
        *sda_tables.figures_of_comparators(folder),
    ]
    if "comparators" in pages:
        lines += [
            "",
            "A *reading* is one choice of the settings that the paper does not state. The readings of KSPCA "
            "and gKDR are explained in [comparators.md](benchmarks/comparators.md).",
        ]
    return lines


def state_of(folder):
    """Whether a full run would find anything to do."""
    left = [task for tasks in plan.tasks_left(folder).values() for task in tasks]
    if not left:
        return "All runs are complete."
    return (
        f"`make papers` continues from these results: {sum(task.n_runs for task in left)} runs of "
        f"{len(left)} rows are left (`python benchmarks/run.py --list` lists them)."
    )


def table_of(rows):
    """Markdown lines, and how many rows have each verdict."""
    if not rows:
        return []
    words = [row.verdict.split(":")[0].split(" (")[0] for row in rows]
    counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
    return [
        "",
        "| data | method | paper | ours | runs | verdict |",
        "|---|---|---|---|---|---|",
        *("| " + " | ".join(row.cells()) + " |" for row in rows),
        "",
        f"Of {len(rows)} rows: {counts}.",
    ]
