"""Which runs are missing, and how long they take according to the times of earlier runs."""

from dataclasses import dataclass

import numpy as np

from benchmarks.pages import paper_tables
from benchmarks.papers import readings
from benchmarks.results import Store


@dataclass(frozen=True)
class Task:
    """Runs that one row lacks."""

    row: str
    n_runs: int
    seconds: float | None  # of one run


def tasks_left(results):
    """For each script the rows that lack runs; those whose data are not at hand are left out."""
    tasks = {name: [] for name in (*paper_tables.PAPERS, "comparators")}
    for name, (_, make_tables) in paper_tables.PAPERS.items():
        try:
            tables = make_tables(results)
        except Exception as error:  # as on the page: one paper's results do not stop the others
            tasks[name].append(Task(f"its results cannot be read ({error!r})", 1, None))
            continue
        for heading, (_, lines) in tables.items():
            for line in lines:
                if line.script and line.n_left:
                    # The origin of category space is the one nearest to the paper: no name.
                    method = line.method.split(",")[0] if name == "category" else line.method
                    row = f"{heading.split(':')[0]}, {line.data}, {method}"
                    tasks[line.script].append(Task(row, line.n_left, line.seconds))
    stored = Store("comparators", results).tree("readings")
    tasks["readings"] = [Task(entry.key, 1, None) for entry in readings.left_to_run(stored)]
    return tasks


def seconds_left(tasks):
    """The sum over the tasks; a row without a time counts as the mean of the others.

    None if no row has a time.
    """
    known = [task.seconds for task in tasks if task.seconds is not None]
    if tasks and not known:
        return None
    mean = float(np.mean(known)) if known else 0.0
    return sum(task.n_runs * (mean if task.seconds is None else task.seconds) for task in tasks)


def in_words(seconds):
    if seconds is None:
        return "time not known"
    if seconds > 5400:
        return f"about {seconds / 3600:.1f} h"
    return f"about {seconds / 60:.0f} min" if seconds > 90 else f"about {seconds:.0f} s"


def summary(tasks):
    """One line for each script."""
    for script, rows in tasks.items():
        n_runs = sum(task.n_runs for task in rows)
        what = f"{n_runs} runs of {len(rows)} rows, {in_words(seconds_left(rows))}"
        yield f"{script}: {what if rows else 'nothing left to run'}"


def listing(tasks):
    """What a full run would do, row by row."""
    for line, rows in zip(summary(tasks), tasks.values(), strict=True):
        yield line
        yield from (f"  {task.row}: {task.n_runs}" for task in rows)
