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
        "# Scale: Dask collections compared with arrays in memory",
        "",
        "This page measures stochastic discriminant analysis (SDA) of dask collections, compared with arrays in",
        "memory: time, bytes moved between processes, and memory. The data are ten Gaussian classes in float32,",
        "and the map has two components. `python benchmarks/speed/scale.py` makes the runs and stores them in",
        f"`benchmarks/results/scale.jsonl`; machine: {result['machine']}. Workers are processes of one thread",
        "on the same machine; fits in memory use all cores. [Large data](../scale.md) describes what is",
        "distributed. *Required* is what every version of this library should reach.",
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
        f"- Bytes moved with two workers: {figures}. They depend on the size of the grid and not on the number "
        "of samples. The grid is slightly larger for more samples, because their range is larger. The bytes are "
        "counted by the processes; what they send in the same time without an evaluation (heartbeats) is "
        "subtracted."
    )
    ratio = memory[10_000_000]["seconds"] / memory[1_000_000]["seconds"]
    yield (
        f"- In memory, 1e7 samples take {ratio:.1f} times as long as 1e6 (required: at most 12)."
    )


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
    yield "## Two workers compared with one"
    yield ""
    yield from _table(rows)
    yield ""
    one, two = ([row["seconds"] for row in rows if row["place"] == p] for p in ("one", "two"))
    logs = [math.log(a / b) for a, b in zip(one, two, strict=True)]
    ratio = math.exp(statistics.fmean(logs))
    error = ratio * statistics.stdev(logs) / math.sqrt(len(logs))
    threads = max(row.get("threads_of_worker", 0) for row in rows)
    yield (
        f"Two workers are {ratio:.2f} ± {error:.2f} times as fast as one (required: at least 1.6). This is the "
        f"geometric mean of {', '.join(f'{a / b:.2f}' for a, b in zip(one, two, strict=True))}, with its standard "
        "error. The speed of the machine varies, so the clusters run in turn, and each time is the "
        f"median of 15 evaluations. A worker uses {threads} thread. The client and the scheduler share the cores "
        "with the workers."
    )


def _bandwidth(part):
    yield "## Memory bandwidth shared by the cores"
    yield ""
    yield (
        "The cores share the memory bandwidth, which limits the gain from a second worker. The table shows the "
        "rate of the two matrix products of an evaluation and of reading alone, for 1e6 x 200 values of float32 in "
        "one process, and for half of them in each of two processes at the same time."
    )
    yield ""
    yield "| operation | one process | two processes, each | gain of two processes |"
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
        f"With two workers on this machine, a task and its result take {1e3 * part['round_trip_seconds']:.1f} ms. "
        f"Summing a small array of both workers takes {1e3 * part['reduction_seconds']:.1f} ms more. Large arrays "
        f"are moved at {part['bytes_per_second'] / 1e9:.1f} GB per second."
    )


def _fits(rows):
    yield "## Whole fits in memory"
    yield ""
    yield "Compiled code was loaded by a small fit before."
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
    yield f"1e7 samples take {ratio:.1f} times as long as 1e6 (required: at most 12)."


def _agreement(rows):
    yield "## Difference between fits in chunks and in memory"
    yield ""
    yield (
        "40,000 samples of 20 features on two workers. The columns are the difference of the objective and the "
        "largest angle between the two maps (required: at most 1e-6 and 0.01 degrees)."
    )
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
    yield "## Data on disk that are larger than the memory"
    yield ""
    yield (
        f"The data are {row['bytes_on_disk'] / 1e9:.1f} GB of float32 in Zarr ({row['n_samples']:.0e} x "
        f"{row['n_features']}). Two workers have a memory limit of {row['memory_limit']} each. The fit takes "
        f"{row['seconds']:.0f} s, with {row['n_iter']} iterations and {row['n_evaluations']} evaluations of all "
        f"samples. Workers were {'' if row['workers_restarted'] else 'not '}restarted. The peak memory is {workers} "
        f"for the workers and {row['client_megabytes']:.0f} MB for the client."
    )


def _killed(row):
    yield "## A worker that is killed during a fit"
    yield ""
    yield (
        f"400,000 samples of 50 features. One of two workers is killed after iteration "
        f"{row['killed_after_iteration']} of {row['n_iter'][1]}. The objective differs by "
        f"{row['objective_difference']:.1e} and the subspace by {row['degrees']:.1e} degrees from those of an "
        f'undisturbed fit ({row["n_iter"][0]} iterations). The warning was: "{row["warning"]}"'
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
        "## Predicted time with more workers",
        "",
        "These figures are a prediction from a model with measured constants, not a measurement. An",
        "evaluation takes",
        "`points / workers * per_point + fixed + 2 * levels * (hop + fan_in * bytes / bandwidth)` seconds, with",
        "",
        f"- *per_point* = {1e9 * per_point:.0f} ns for a point of 50 features (from 1e7 and 1e6 samples with one worker),",
        f"- *fixed* = {1e3 * fixed:.0f} ms for the grids of all classes and the round trips (from 1e5 samples with two",
        "  workers, minus the time of their points),",
        f"- sums up and down a tree with *fan_in* = {FAN_IN}, *hop* = {1e3 * hop:.1f} ms for each level and",
        f"  *bytes* = {spectra / 1e6:.1f} MB for each worker at *bandwidth* = {bandwidth / 1e9:.1f} GB/s.",
        "",
        "All constants were measured between processes of one machine. A slower network increases the last term.",
        f"The last column is a fit with {evaluations} evaluations, as for 1e7 samples above.",
        "",
        "| workers (one core each) | seconds per evaluation of 1e9 points | of these, for the points | bytes "
        "moved in total | samples per worker | a fit |",
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
