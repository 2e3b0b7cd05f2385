"""Every paper's tables with one command: runs the scripts beside this file and writes docs/papers.md.

    python benchmarks/papers/run.py [--quick] [--only sda,fisher] [--again] [--collect]
                                    [--limit SECONDS]

A script runs in its own process, so one that fails or takes too long loses nothing of the others.
How each ended is kept in docs/benchmarks/papers-run.json: a second call runs only what has not ended
well, unless --again is given; scripts that keep single runs go on where they stopped. --collect runs
nothing and writes the page from the results that are there. Without DISCRIMAP_DATA nothing is run.

The quick mode works on a copy of the scripts under build/papers-quick, and writes its results and its
page (docs/papers.md) there: it never touches results of full runs.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

ROOT = Path(__file__).resolve().parents[2]
PAPERS = {  # script: title of its part of the page
    "sda": "Stochastic discriminant analysis (Juuti, Corona and Karhunen 2018)",
    "components": "Discriminative components of data (Peltonen and Kaski 2005)",
    "projections": "Discriminative projections (Wang and Mahadevan)",
    "fisher": "Kernel Fisher t-SNE (Schulz and Hammer 2016)",
    "category": "Category space (Smith and Rangarajan 2016)",
    "comparators": "The methods that the papers compare with",
}
QUICK_LIMIT = 120.0


def find_scripts(folder):
    """Names of the benchmark scripts: files that have a quick mode, in the order of the page."""
    names = [
        path.stem
        for path in sorted(folder.glob("*.py"))
        if path.name != Path(__file__).name and '"--quick"' in path.read_text(encoding="utf-8")
    ]
    order = list(PAPERS)
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))


def copy_scripts(source, target):
    """A copy of the scripts, whose results then land beside the copy."""
    target.mkdir(parents=True, exist_ok=True)
    for path in source.glob("*.py"):
        shutil.copy(path, target / path.name)


def run_script(script, *, quick, limit):
    """Run one script; the record says how it ended."""
    command = [sys.executable, str(script), *(["--quick"] if quick else [])]
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


def versions():
    found = {"python": platform.python_version()}
    for name in ("discrimap", "numpy", "scipy", "scikit-learn"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # run from the source tree
            found[name] = "source"
    return found


def page_of(name, results):
    """The script's own page; some write their quick results under a name of their own."""
    for stem in (name, f"{name}-quick"):
        path = results / f"{stem}.md"
        if path.is_file():
            return path
    return None


def write_page(records, docs, *, quick):
    """Write docs/papers.md: each script's page under its paper, titles one level down."""
    lines = [
        "# The papers' tables, ours beside theirs",
        "",
        f"Written by `make {'papers-quick' if quick else 'papers'}` from the data sets in the "
        "folder named by DISCRIMAP_DATA. Single runs, seeds and times are in the JSON file beside "
        "each page in `docs/benchmarks`.",
    ]
    if records:
        lines[-1] += " Versions are in [papers-run.json](benchmarks/papers-run.json)."
    else:
        lines[-1] += " The pages were made one by one; no full run has been recorded yet."
    for name in [*PAPERS, *(name for name in records if name not in PAPERS)]:
        lines += ["", f"## {PAPERS.get(name, name)}", ""]
        record = records.get(name)
        if record is not None and record["outcome"] != "done":
            lines += [f"The last run: {record['outcome']}. {record['message']}".strip(), ""]
        page = page_of(name, docs / "benchmarks")
        if page is None:
            lines.append("Not available: there are no results.")
            continue
        text = page.read_text(encoding="utf-8")
        text = re.sub(r"\A# .*\n+", "", text)  # the title stands above already
        text = re.sub(r"^(#+) ", r"#\1 ", text, flags=re.MULTILINE)
        # Links and pictures are relative to the folder of the script's page.
        text = re.sub(r"\]\((?!https?:|#|/|\.\./)", "](benchmarks/", text)
        text = text.replace("](../", "](")
        lines.append(text.strip())
    target = docs / "papers.md"
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target


def time_left(records, names):
    """From the times of earlier runs; for scripts without one, the mean of the others."""
    known = [record["seconds"] for record in records.values()]
    if not known:
        return ""
    mean = sum(known) / len(known)
    seconds = sum(records[name]["seconds"] if name in records else mean for name in names)
    return f"about {seconds / 60:.0f} min left" if seconds > 90 else f"about {seconds:.0f} s left"


def main(argv=None, root=ROOT):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the quick mode of every script")
    parser.add_argument("--only", help="only these scripts, with commas")
    parser.add_argument("--again", action="store_true", help="also what has ended well before")
    parser.add_argument("--collect", action="store_true", help="run nothing, write the page")
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
    if arguments.quick:
        root = root / "build" / "papers-quick"
        copy_scripts(scripts, root / "benchmarks" / "papers")
        scripts = root / "benchmarks" / "papers"
    results = root / "docs" / "benchmarks"
    results.mkdir(parents=True, exist_ok=True)
    record_file = results / "papers-run.json"
    records = json.loads(record_file.read_text()) if record_file.is_file() else {}

    console = Console(stderr=True)
    if arguments.collect:
        names = []
    elif not os.environ.get("DISCRIMAP_DATA"):
        console.print("DISCRIMAP_DATA names no folder with the data sets: nothing is run.")
        names = []
    wanted = [
        name for name in names if arguments.again or records.get(name, {}).get("outcome") != "done"
    ]
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task("", total=len(wanted), left="")
        for position, name in enumerate(wanted):
            progress.update(task, description=name, left=time_left(records, wanted[position:]))
            records[name] = run_script(scripts / f"{name}.py", quick=arguments.quick, limit=limit)
            record_file.write_text(json.dumps(records, indent=1) + "\n")
            progress.update(task, advance=1, left=time_left(records, wanted[position + 1 :]))
            console.print(f"{name}: {records[name]['outcome']} ({records[name]['seconds']:.0f} s)")
    print(write_page(records, root / "docs", quick=arguments.quick))
    return int(any(records[name]["outcome"] != "done" for name in wanted))


if __name__ == "__main__":
    sys.exit(main())
