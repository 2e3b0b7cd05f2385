"""Every paper's tables with one command: runs the scripts beside this file and writes docs/papers.md.

    python benchmarks/papers/run.py [--quick] [--only sda,fisher] [--again] [--collect] [--list]
                                    [--limit SECONDS]

A script runs in its own process, so one that fails or takes too long loses nothing of the others.
Only scripts are run that have rows without their runs, unless --again is given; the scripts keep
single runs and go on where they stopped. How each ended is kept in docs/benchmarks/papers-run.json:
one that ended well is not run again for the rows it could not fill. --list says what would be run,
and how long that takes; --collect runs nothing and writes the page from the results that are there.
Without DISCRIMAP_DATA nothing is run.

The quick mode works on a copy of the scripts under build/papers-quick, and writes its results and its
page (docs/papers.md) there: it never touches results of full runs. It runs everything anew, and fails
if a figure is far worse than the paper's or if a script has measured nothing.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import traceback
from pathlib import Path

import numpy as np
import paper_tables
import plan
import sda_tables
from at_hand import NOT_AVAILABLE
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from verdicts import versions

ROOT = Path(__file__).resolve().parents[2]
QUICK_LIMIT = 300.0
RECORDS = "papers-run.json"
# The quick mode has two or three runs of small data sets: only gross faults show. Worse than the
# paper by this part of the unit, and by four standard deviations, is one.
GROSS, GROSS_STEPS = 0.1, 4.0


def find_scripts(folder):
    """Names of the benchmark scripts: files that have a quick mode, in the order of the page."""
    names = [
        path.stem
        for path in sorted(folder.glob("*.py"))
        if path.name != Path(__file__).name and '"--quick"' in path.read_text(encoding="utf-8")
    ]
    order = list(paper_tables.PAPERS)
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))


def copy_scripts(source, target):
    """A copy of the scripts, whose results then land beside the copy."""
    target.mkdir(parents=True, exist_ok=True)
    for path in source.glob("*.py"):
        shutil.copy(path, target / path.name)
    for path in source.parent.glob("*.py"):  # what they share with the other benchmarks
        shutil.copy(path, target.parent / path.name)


def run_script(script, *, quick, limit):
    """Run one script; the record says how it ended."""
    command = [sys.executable, str(script)]
    if quick:
        command.append("--quick")
    elif '"--resume"' in script.read_text(encoding="utf-8"):
        command.append("--resume")
    began = time.perf_counter()
    message = ""
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
        "quick": quick,
        "seconds": round(time.perf_counter() - began, 1),
        "versions": versions(),
    }


def page_of(name, results):
    """The script's own page; some write their quick results under a name of their own."""
    for stem in (name, f"{name}-quick"):
        path = results / f"{stem}.md"
        if path.is_file():
            return path
    return None


def write_page(records, docs, *, quick):
    """Write docs/papers.md: the tables of each paper with a verdict on every row."""
    results = docs / "benchmarks"
    lines = [
        "# The papers' tables, ours beside theirs",
        "",
        f"Written by `make {'papers-quick' if quick else 'papers'}` from the data sets in the "
        "folder named by DISCRIMAP_DATA. Mean ± standard deviation over the runs, whose number is "
        "given: it is the paper's where the machine's time allowed. *Reproduced*: within two of the "
        "paper's standard deviations; where it gives none, of ours, but at least two percent; else "
        "*better* or *worse*. Single runs, seeds, versions and times are in the JSON file beside "
        "each page in `docs/benchmarks`.",
    ]
    if records:
        lines[-1] += " How each script ended is in [papers-run.json](benchmarks/papers-run.json)."
    if not quick:
        lines[-1] += " " + state_of(results)
    for name, (title, make_tables) in paper_tables.PAPERS.items():
        lines += ["", f"## {title}", ""]
        record = records.get(name)
        if record is not None and record["outcome"] != "done":
            lines += [f"The last run: {record['outcome']}. {record['message']}".strip(), ""]
        page = page_of(name, results)
        if page is not None:
            lines.append(f"All figures: [{page.name}](benchmarks/{page.name}).")
        try:
            tables = make_tables(results)
        except Exception as error:  # one paper's results must not cost the others' tables
            traceback.print_exc()
            lines += ["", f"Its results could not be read ({type(error).__name__}: {error})."]
            continue
        # Another script may have measured rows of this paper.
        if page is None and not any(row.values for _, rows in tables.values() for row in rows):
            lines.append("Not available: there are no results.")
            continue
        for heading, (text, rows) in tables.items():
            lines += ["", f"### {heading}", "", text, *table_of(rows)]
        if name == "sda":
            lines += [
                "",
                "### SDA and RSDA among linear methods: six large sets, two dimensions",
                "",
            ]
            lines += sda_tables.linear_ranking(results)
            lines += ["", *sda_tables.figures_of_comparators(results)]
            readings = page_of("comparators", results)
            if readings is not None:
                lines += [
                    "",
                    "The rows of KSPCA and gKDR with several readings are explained in "
                    f"[{readings.name}](benchmarks/{readings.name}).",
                ]
    target = docs / "papers.md"
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target


def state_of(results):
    """Whether a full run would find anything to do."""
    left = [task for tasks in plan.tasks_left(results).values() for task in tasks]
    if not left:
        return "Every row has its runs: `make papers` finds nothing left to run."
    return (
        f"`make papers` goes on with these results: {sum(task.n_runs for task in left)} runs of "
        f"{len(left)} rows are left (`python benchmarks/papers/run.py --list` names them)."
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


def records_of(results):
    """How the scripts ended the last time."""
    path = results / RECORDS
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def main(argv=None, root=ROOT):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the quick mode of every script")
    parser.add_argument("--only", help="only these scripts, with commas")
    parser.add_argument("--again", action="store_true", help="also what has ended well before")
    parser.add_argument("--collect", action="store_true", help="run nothing, write the page")
    parser.add_argument("--list", action="store_true", help="run nothing, say what would be run")
    parser.add_argument("--limit", type=float, help="seconds for one script")
    arguments = parser.parse_args(argv)
    scripts = root / "benchmarks" / "papers"
    names = find_scripts(scripts)
    if arguments.only:
        asked = arguments.only.split(",")
        unknown = [name for name in asked if name not in names]
        if unknown:
            parser.error(f"there is no script {', '.join(unknown)}; there are {', '.join(names)}.")
        names = [name for name in names if name in asked]
    limit = arguments.limit or (QUICK_LIMIT if arguments.quick else None)
    earlier = {}
    if arguments.quick:
        root = root / "build" / "papers-quick"
        earlier = records_of(root / "docs" / "benchmarks")  # for the time left
        shutil.rmtree(root, ignore_errors=True)
        copy_scripts(scripts, root / "benchmarks" / "papers")
        scripts = root / "benchmarks" / "papers"
    results = root / "docs" / "benchmarks"
    results.mkdir(parents=True, exist_ok=True)
    records = records_of(results)
    if arguments.list:
        print("\n".join(plan.listing(plan.tasks_left(results))))
        return 0

    console = Console(stderr=True)
    if arguments.collect:
        names = []
    elif not os.environ.get("DISCRIMAP_DATA"):
        console.print("DISCRIMAP_DATA names no folder with the data sets: nothing is run.")
        names = []
    tasks = {} if arguments.quick else plan.tasks_left(results)
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
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task("", total=len(wanted), left="")
        for position, name in enumerate(wanted):
            progress.update(task, description=name, left=time_left(estimates, wanted[position:]))
            records[name] = run_script(scripts / f"{name}.py", quick=arguments.quick, limit=limit)
            estimates[name] = records[name]["seconds"]
            if not arguments.quick:
                left = plan.tasks_left(results).get(name, [])
                records[name]["left"] = [row.row for row in left]
            (results / RECORDS).write_text(json.dumps(records, indent=1) + "\n")
            progress.update(task, advance=1, left=time_left(estimates, wanted[position + 1 :]))
            console.print(f"{name}: {records[name]['outcome']} ({records[name]['seconds']:.0f} s)")
    print(write_page(records, root / "docs", quick=arguments.quick))
    faults = [
        f"{name}: {records[name]['outcome']}. {records[name]['message']}"
        for name in wanted
        if records[name]["outcome"] != "done"
    ]
    if arguments.quick:
        faults += gross_faults(wanted, results)
    for fault in faults:
        console.print(fault, style="red")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
