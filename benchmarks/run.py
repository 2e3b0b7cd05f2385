"""Run the experiments of the papers and write all pages from the stored results.

    python benchmarks/run.py [--quick] [--only sda,fisher] [--again] [--pages] [--list]
                             [--limit SECONDS]

Each experiment runs in its own process, so a failure or a time limit does not affect the others. Only
experiments with missing runs are run, unless --again is given. They store single runs and continue
where they stopped. How each experiment ended is stored in benchmarks/results/papers-run.jsonl; an
experiment that ended without an error is not run again for rows that it could not fill. --list shows
what would be run and how long it takes. --pages runs nothing and writes docs/papers.md and
docs/benchmarks from the stored results, including those of the scripts in benchmarks/speed, which are
run separately. Without DISCRIMAP_DATA nothing is run.

The quick mode stores its results and pages under build/papers-quick and does not change results of
full runs. It repeats all runs, and fails if a figure is far worse than the paper's or if an experiment
has no results.
"""

import argparse
import importlib
import os
import shutil
import subprocess
import sys
import time
import traceback
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

sys.path.append(str(Path(__file__).resolve().parents[1]))
from benchmarks import plan
from benchmarks.pages import paper_tables, papers
from benchmarks.pages.fisher import with_held_out_table
from benchmarks.papers.at_hand import NOT_AVAILABLE
from benchmarks.results import ROOT, Store, versions

EXPERIMENTS = {  # name: script under benchmarks, options of a full run that goes on
    "sda": ("papers/sda.py", ()),
    "components": ("papers/components.py", ()),
    "projections": ("papers/projections.py", ("--resume",)),
    "fisher": ("papers/fisher.py", ()),
    "category": ("papers/category.py", ()),
    "comparators": ("papers/comparators.py", ()),
    "readings": ("papers/readings.py", ()),
}
PAGES = (  # in docs/benchmarks; the module of each is in benchmarks/pages
    "category",
    "category-speed",
    "chunks",
    "claims",
    "comparators",
    "compare-speed",
    "components",
    "components_speed",
    "feature_intervals",
    "few_labels",
    "fisher",
    "fisher-scale",
    "kernel_sums",
    "label_errors",
    "linear-maps",
    "projections",
    "projections-speed",
    "projections_defaults",
    "scale",
    "sda",
    "sda-speed",
)
QUICK_LIMIT = 300.0
# The quick mode has two or three runs of small data sets: only gross faults show. Worse than the
# paper by this part of the unit, and by four standard deviations, is one.
GROSS, GROSS_STEPS = 0.1, 4.0


def results_of(root):
    return root / "benchmarks" / "results"


def run_script(script, options, *, limit):
    """Run one experiment; the record says how it ended."""
    began = time.perf_counter()
    message = ""
    command = [sys.executable, str(script), *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        outcome = f"stopped after {limit:.0f} s"
    else:
        outcome = "done"
        if done.returncode:
            outcome = f"failed with exit code {done.returncode}"
            message = "".join(done.stderr.strip().splitlines()[-1:])
    return {
        "outcome": outcome,
        "message": message,
        "quick": "--quick" in options,
        "seconds": round(time.perf_counter() - began, 1),
        "versions": versions(),
    }


def write_pages(root, *, quick=False):
    """Write every page that has results, and then the page of all papers; return its path."""
    folder, docs = results_of(root), root / "docs"
    (docs / "benchmarks").mkdir(parents=True, exist_ok=True)
    for name in PAGES:
        module = importlib.import_module(f"benchmarks.pages.{name.replace('-', '_')}")
        try:
            text = module.page(folder)
        except Exception:  # results that cannot be read must not cost the other pages
            traceback.print_exc()
            continue
        if text:
            (docs / "benchmarks" / f"{name}.md").write_text(text, encoding="utf-8")
    brief = docs / "fisher.md"
    if brief.is_file():
        text = with_held_out_table(brief.read_text(encoding="utf-8"), folder)
        brief.write_text(text, encoding="utf-8")
    written = {path.stem for path in (docs / "benchmarks").glob("*.md")}
    target = docs / "papers.md"
    text = papers.page(folder, records_of(folder), written, quick=quick)
    target.write_text(text, encoding="utf-8")
    return target


def gross_faults(names, results):
    """In words: figures far worse than the paper's, and scripts that have measured nothing."""
    faults = []
    for name in names:
        if name not in paper_tables.PAPERS:
            continue
        rows = [row for _, part in paper_tables.PAPERS[name][1](results).values() for row in part]
        measured = [row for row in rows if row.values]
        if not measured and not all(row.verdict.startswith(NOT_AVAILABLE) for row in rows):
            faults.append(f"{name}: nothing was measured")
        for row in measured:
            if row.reason:  # not comparable
                continue
            short = row.paper - float(np.mean(row.values))
            short = -short if row.lower_is_better else short
            if short > max(GROSS * row.unit, GROSS_STEPS * (row.deviation or 0.0)):
                faults.append(
                    f"{name}: {row.data}, {row.method}: {np.mean(row.values):.3g}, "
                    f"paper {row.paper:.3g}"
                )
    return faults


def time_left(estimates, names):
    """For scripts without an estimate the mean of the others."""
    known = [seconds for seconds in estimates.values() if seconds is not None]
    if not known:
        return ""
    found = [estimates.get(name) for name in names]
    mean = sum(known) / len(known)
    seconds = sum(mean if estimate is None else estimate for estimate in found)
    return f"{plan.in_words(seconds)} left"


def is_wanted(name, tasks, record):
    """Whether a script has rows to fill that its last run, if it ended well, did not leave."""
    left = [task.row for task in tasks.get(name, [])]
    if record.get("outcome") != "done":
        return bool(left) or name not in tasks
    return not set(left) <= set(record.get("left", []))


def records_of(folder):
    """How the experiments ended the last time."""
    return Store(papers.RECORDS, folder).tree()


def run_all(names, root, scripts, estimates, *, quick, limit, console):
    """Run these experiments one after the other, with the time left; return how they ended."""
    folder, records = results_of(root), {}
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task("", total=len(names), left="")
        for position, name in enumerate(names):
            progress.update(task, description=name, left=time_left(estimates, names[position:]))
            script, options = EXPERIMENTS[name]
            options = ["--quick"] if quick else list(options)
            options += ["--results", str(folder)]
            record = run_script(scripts / script, options, limit=limit)
            if not quick:
                left = plan.tasks_left(folder).get(name, [])
                record["left"] = [row.row for row in left]
            Store(papers.RECORDS, folder).put((name,), record)
            records[name], estimates[name] = record, record["seconds"]
            progress.update(task, advance=1, left=time_left(estimates, names[position + 1 :]))
            console.print(f"{name}: {record['outcome']} ({record['seconds']:.0f} s)")
    return records


def chosen_names(parser, only):
    """The experiments named by ``--only``, or all of them."""
    if not only:
        return list(EXPERIMENTS)
    chosen = only.split(",")
    unknown = [name for name in chosen if name not in EXPERIMENTS]
    if unknown:
        known = ", ".join(EXPERIMENTS)
        parser.error(f"there is no experiment {', '.join(unknown)}; there are {known}.")
    return [name for name in EXPERIMENTS if name in chosen]


def make_parser():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the quick mode of every experiment")
    parser.add_argument("--only", help="only these experiments, with commas")
    parser.add_argument("--again", action="store_true", help="also what has ended well before")
    parser.add_argument("--pages", action="store_true", help="run nothing, write the pages")
    parser.add_argument("--list", action="store_true", help="run nothing, say what would be run")
    parser.add_argument("--limit", type=float, help="seconds for one experiment")
    return parser


def main(argv=None, root=ROOT):
    parser = make_parser()
    arguments = parser.parse_args(argv)
    names = chosen_names(parser, arguments.only)
    scripts, earlier = root / "benchmarks", {}
    if arguments.quick:
        root = root / "build" / "papers-quick"
        earlier = records_of(results_of(root))  # for the time left
        shutil.rmtree(root, ignore_errors=True)
    folder = results_of(root)
    if arguments.list:
        print("\n".join(plan.listing(plan.tasks_left(folder))))
        return 0

    console = Console(stderr=True)
    if arguments.pages:
        names = []
    elif not os.environ.get("DISCRIMAP_DATA"):
        console.print("DISCRIMAP_DATA names no folder with the data sets: nothing is run.")
        names = []
    tasks, records = {} if arguments.quick else plan.tasks_left(folder), records_of(folder)
    wanted = [
        name
        for name in names
        if arguments.again or arguments.quick or is_wanted(name, tasks, records.get(name, {}))
    ]
    estimates = {name: plan.seconds_left(rows) for name, rows in tasks.items()}
    estimates |= {name: record["seconds"] for name, record in earlier.items()}
    if not wanted and names:
        console.print("Every row has its runs: nothing is left to run.")
    for line in plan.summary({name: tasks[name] for name in wanted if name in tasks}):
        console.print(line)
    limit = arguments.limit or (QUICK_LIMIT if arguments.quick else None)
    ended = run_all(
        wanted, root, scripts, estimates, quick=arguments.quick, limit=limit, console=console
    )
    print(write_pages(root, quick=arguments.quick))
    faults = [
        f"{name}: {record['outcome']}. {record['message']}"
        for name, record in ended.items()
        if record["outcome"] != "done"
    ]
    if arguments.quick:
        faults += gross_faults(wanted, folder)
    for fault in faults:
        console.print(fault, style="red")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
