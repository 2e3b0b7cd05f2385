"""The page of dask collections beside arrays in memory: docs/benchmarks/scale.md."""

import math
import statistics

from benchmarks.results import Store

PREDICTED_POINTS = 1e9
PREDICTED_WORKERS = (10, 100, 1000)
FAN_IN = 16  # of discrimap.samples.on_dask.runtime


def page(folder):
    store = Store("scale", folder)
    result = store.tree()
    if not result:
        return ""
    parts = {
        name: store.rows(name) if name in LISTS else result[name]
        for name in SECTIONS
        if name in result
    }
    lines = [
        "# Scale: dask collections beside arrays in memory",
        "",
        "Stochastic discriminant analysis of ten Gaussian classes, float32, in the plane. Made by",
        f"`python benchmarks/speed/scale.py`; {result['machine']}. Workers are processes of one thread",
        "on the same machine; in memory all cores are used. See [scale](../scale.md) for what is",
        "distributed and how.",
        "",
    ]
    for name, section in SECTIONS.items():
        if name in parts:
            lines += [*section(parts[name]), ""]
    if {"evaluation", "latency", "fits"} <= set(parts):
        lines += _prediction(parts["evaluation"], parts["latency"], parts["fits"])
    return "\n".join(lines).rstrip() + "\n"


def _evaluation(rows):
    yield "## One evaluation: value and gradient"
    yield ""
    yield from _table(rows)
    yield ""
    two, memory = _by_size(rows, "two"), _by_size(rows, "memory")
    figures = " and ".join(
        f"{two[n]['bytes'] / 1e6:.2f} MB at {n:.0e} samples ({two[n]['bytes'] / two[n]['grid_bytes']:.2f} "
        f"times the grid of {' x '.join(map(str, two[n]['modes']))} modes for ten classes)"
        for n in (100_000, 1_000_000)
    )
    yield (
        f"- bytes moved with two workers: {figures}. They follow the grid and not the samples; the grid "
        "is a little larger where more samples have more distant outermost ones. Counted by the "
        "processes themselves, less what they send without an evaluation in the same time (heartbeats)."
    )
    ratio = memory[10_000_000]["seconds"] / memory[1_000_000]["seconds"]
    yield f"- in memory, 1e7 samples against 1e6: {ratio:.1f} times as long (bar: at most 12)"


def _table(rows):
    yield "| samples x features | where | seconds | bytes moved | peak memory of the client | of each worker |"
    yield "|---|---|---|---|---|---|"
    places = {"memory": "in memory", "one": "one worker", "two": "two workers"}
    for row in rows:
        workers = ", ".join(f"{size:.0f} MB" for size in row["worker_megabytes"]) or "-"
        moved = f"{row['bytes'] / 1e6:.2f} MB" if row["worker_megabytes"] else "-"
        yield (
            f"| {row['n_samples']:.0e} x {row['n_features']} | {places[row['place']]} "
            f"| {row['seconds']:.3f} | {moved} | {row['client_megabytes']:.0f} MB | {workers} |"
        )


def _workers(rows):
    yield "## Two workers against one"
    yield ""
    yield from _table(rows)
    yield ""
    one, two = ([row["seconds"] for row in rows if row["place"] == p] for p in ("one", "two"))
    logs = [math.log(a / b) for a, b in zip(one, two, strict=True)]
    ratio = math.exp(statistics.fmean(logs))
    error = ratio * statistics.stdev(logs) / math.sqrt(len(logs))
    threads = max(row.get("threads_of_worker", 0) for row in rows)
    yield (
        f"- two workers against one: {ratio:.2f} ± {error:.2f} times as fast (bar: at least 1.6), "
        f"geometric mean of {' '.join(f'{a / b:.2f}' for a, b in zip(one, two, strict=True))} and "
        "its standard error: clusters one after the other, medians of 15 evaluations, because this "
        f"machine does not keep its speed. A worker uses {threads} thread; client and scheduler have "
        "no core of their own here."
    )


def _bandwidth(part):
    yield "## Memory that the cores share"
    yield ""
    yield (
        "The two products with the samples of an evaluation, and reading alone: 1e6 x 200 float32 in "
        "one process, and half of it in each of two at a time."
    )
    yield ""
    yield "| | one process | two processes, each | faster together |"
    yield "|---|---|---|---|"
    for name, rate in part["one"][0].items():
        both = [row[name] for row in part["two"]]
        yield (
            f"| `{name}` | {rate:.1f} GB/s | {' and '.join(f'{one:.1f}' for one in both)} GB/s "
            f"| {2 * min(both) / rate:.2f} times |"
        )


def _latency(part):
    yield "## Latency"
    yield ""
    yield (
        f"Two workers on this machine: {1e3 * part['round_trip_seconds']:.1f} ms for a task and its "
        f"result, {1e3 * part['reduction_seconds']:.1f} ms more to sum something small of both, "
        f"{part['bytes_per_second'] / 1e9:.1f} GB a second for something large."
    )


def _fits(rows):
    yield "## Whole fits in memory"
    yield ""
    yield "| samples x features | seconds | iterations | evaluations of all samples | peak memory |"
    yield "|---|---|---|---|---|"
    for row in rows:
        yield (
            f"| {row['n_samples']:.0e} x {row['n_features']} | {row['seconds']:.1f} "
            f"| {row['n_iter']} | {row['n_evaluations']} | {row['megabytes']:.0f} MB |"
        )
    yield ""
    ratio = rows[1]["seconds"] / rows[0]["seconds"]
    yield f"- 1e7 samples against 1e6: {ratio:.1f} times as long (bar: at most 12)"


def _agreement(rows):
    yield "## The fit in blocks against the fit in memory"
    yield ""
    yield "40,000 samples of 20 features on two workers; bars: 1e-6 and 0.01 degrees."
    yield ""
    yield "| chunks | type | difference of the objective | largest angle in degrees |"
    yield "|---|---|---|---|"
    for row in rows:
        yield (
            f"| {row['chunks']} | {row['dtype']} | {row['objective_difference']:.1e} "
            f"| {row['degrees']:.1e} |"
        )


def _disk(row):
    workers = " and ".join(f"{size:.0f} MB" for size in row["worker_megabytes"])
    yield "## More on disk than in memory"
    yield ""
    yield (
        f"{row['bytes_on_disk'] / 1e9:.1f} GB of float32 in Zarr ({row['n_samples']:.0e} x "
        f"{row['n_features']}), two workers with a limit of {row['memory_limit']} each: fitted in "
        f"{row['seconds']:.0f} s, {row['n_iter']} iterations ({row['n_evaluations']} evaluations) with all "
        f"samples; workers restarted: {'yes' if row['workers_restarted'] else 'no'}. Peak memory of the workers {workers}, of the "
        f"client {row['client_megabytes']:.0f} MB."
    )


def _killed(row):
    yield "## A worker killed in the middle of a fit"
    yield ""
    yield (
        f"400,000 samples of 50 features, one of two workers killed after iteration "
        f"{row['killed_after_iteration']} of {row['n_iter'][1]}: the objective differs by "
        f"{row['objective_difference']:.1e} and the subspace by {row['degrees']:.1e} degrees from a fit "
        f'left alone ({row["n_iter"][0]} iterations). The warning: "{row["warning"]}"'
    )


def _prediction(rows, latency, fits):
    """A model of an evaluation: points divided by workers, and what does not shrink with them."""
    one, two = _by_size(rows, "one"), _by_size(rows, "two")
    per_point = (one[10_000_000]["seconds"] - one[1_000_000]["seconds"]) / 9e6
    fixed = max(two[100_000]["seconds"] - per_point * 100_000 / 2, 0.0)
    spectra = two[1_000_000]["bytes"] / 2
    hop, bandwidth = latency["reduction_seconds"], latency["bytes_per_second"]
    evaluations = max(row["n_evaluations"] for row in fits)
    lines = [
        "## What more workers would do",
        "",
        "A model with measured constants, not a measurement: an evaluation takes",
        "`points / workers * per_point + fixed + 2 * levels * (hop + fan_in * bytes / bandwidth)`, with",
        f"{1e9 * per_point:.0f} ns per point of 50 features (one worker, 1e7 against 1e6 samples),",
        f"{1e3 * fixed:.0f} ms that do not shrink (two workers, 1e5 samples, less their points: the grids of",
        f"all classes and the round trips), sums up and down a tree of fan-in {FAN_IN} with",
        f"{1e3 * hop:.1f} ms a level and {spectra / 1e6:.1f} MB for each worker at {bandwidth / 1e9:.1f} GB/s, all as",
        "measured between processes of this machine; a network that is slower than that adds to the last",
        f"term. A fit has {evaluations} evaluations, as the larger one above.",
        "",
        "| workers (one core each) | seconds per evaluation of 1e9 points | of these, the points | bytes "
        "moved in all | samples of each, held | a fit |",
        "|---|---|---|---|---|---|",
    ]
    for workers in PREDICTED_WORKERS:
        levels = math.ceil(math.log(workers, FAN_IN))
        tree = 2 * levels * (hop + FAN_IN * spectra / bandwidth)
        points = PREDICTED_POINTS / workers * per_point
        seconds = points + fixed + tree
        held = PREDICTED_POINTS * 50 * 4 / workers / 1e9
        lines.append(
            f"| {workers} | {seconds:.2f} | {points:.2f} | {2 * workers * spectra / 1e6:.0f} MB "
            f"| {held:.1f} GB | {evaluations * seconds / 60:.1f} min |"
        )
    return lines


def _by_size(rows, place):
    return {row["n_samples"]: row for row in rows if row["place"] == place}


SECTIONS = {
    "evaluation": _evaluation,
    "workers": _workers,
    "bandwidth": _bandwidth,
    "latency": _latency,
    "fits": _fits,
    "agreement": _agreement,
    "disk": _disk,
    "killed": _killed,
}
LISTS = ("evaluation", "workers", "fits", "agreement")  # parts with several rows
