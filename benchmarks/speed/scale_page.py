"""The page of benchmarks/speed/scale.py, made from its figures."""

import math

PREDICTED_POINTS = 1e9
PREDICTED_WORKERS = (10, 100, 1000)
FAN_IN = 16
HOP_SECONDS = 0.005  # from worker to scheduler to worker
BYTES_PER_SECOND = 1e9  # between two machines
EVALUATIONS = 30


def write_page(result, path):
    parts = result["parts"]
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
    if "evaluation" in parts:
        lines += _prediction(parts["evaluation"])
    path.write_text("\n".join(lines).rstrip() + "\n")


def _evaluation(rows):
    yield "## One evaluation: value and gradient"
    yield ""
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
    yield ""
    if {row["n_samples"] for row in rows} >= {1_000_000, 10_000_000}:
        two = _by_size(rows, "two")
        memory = _by_size(rows, "memory")
        yield (
            f"- bytes moved with two workers, 1e6 samples against 1e5: "
            f"{two[1_000_000]['bytes'] / two[100_000]['bytes']:.2f} times (the loopback interface as a "
            "whole, so that heartbeats count too)"
        )
        ratio = memory[10_000_000]["seconds"] / memory[1_000_000]["seconds"]
        yield f"- in memory, 1e7 samples against 1e6: {ratio:.1f} times as long (asked: at most 12)"


def _workers(rows):
    yield from _evaluation(rows)
    seconds = {row["place"]: row["seconds"] for row in rows}
    yield (
        f"- two workers against one: {seconds['one'] / seconds['two']:.2f} times as fast (asked: at "
        "least 1.6)"
    )


def _fits(rows):
    yield "## Whole fits in memory"
    yield ""
    yield "| samples x features | seconds | iterations | peak memory |"
    yield "|---|---|---|---|"
    for row in rows:
        yield (
            f"| {row['n_samples']:.0e} x {row['n_features']} | {row['seconds']:.1f} "
            f"| {row['n_iter']} | {row['megabytes']:.0f} MB |"
        )
    yield ""
    yield f"- 1e7 samples against 1e6: {rows[1]['seconds'] / rows[0]['seconds']:.1f} times as long"


def _agreement(rows):
    yield "## The fit in blocks against the fit in memory"
    yield ""
    yield "40,000 samples of 20 features on two workers; asked: 1e-6 and 0.01 degrees."
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
        f"{row['seconds']:.0f} s, {row['n_iter']} iterations of the last descent; workers restarted: "
        f"{'yes' if row['workers_restarted'] else 'no'}. Peak memory of the workers {workers}, of the "
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


def _prediction(rows):
    """A model of an evaluation: points divided by workers, and what does not shrink with them."""
    one, two = _by_size(rows, "one"), _by_size(rows, "two")
    per_point = (one[10_000_000]["seconds"] - one[1_000_000]["seconds"]) / 9e6
    fixed = two[100_000]["seconds"]
    spectra = two[1_000_000]["bytes"] / 2
    lines = [
        "## What more workers would do",
        "",
        "A model, not a measurement: an evaluation takes",
        "`points / workers * per_point + fixed + levels * (hop + bytes / bandwidth)`, with",
        f"{1e9 * per_point:.0f} ns per point of 50 features (one worker, 1e7 against 1e6 samples),",
        f"{fixed:.2f} s that do not shrink (two workers, 1e5 samples), sums in a tree of fan-in {FAN_IN},",
        f"{1e3 * HOP_SECONDS:.0f} ms for a hop and {spectra / 1e6:.1f} MB for each worker at 1 GB/s.",
        "",
        "| workers (one core each) | seconds per evaluation of 1e9 points | bytes moved in all | samples "
        "of each, held | a fit of 30 evaluations |",
        "|---|---|---|---|---|",
    ]
    for workers in PREDICTED_WORKERS:
        levels = math.ceil(math.log(workers, FAN_IN))
        tree = levels * (HOP_SECONDS + FAN_IN * spectra / BYTES_PER_SECOND)
        seconds = PREDICTED_POINTS / workers * per_point + fixed + tree
        held = PREDICTED_POINTS * 50 * 4 / workers / 1e9
        lines.append(
            f"| {workers} | {seconds:.2f} | {workers * spectra / 1e6:.0f} MB | {held:.1f} GB "
            f"| {EVALUATIONS * seconds / 60:.1f} min |"
        )
    return lines


def _by_size(rows, place):
    return {row["n_samples"]: row for row in rows if row["place"] == place}


SECTIONS = {
    "evaluation": _evaluation,
    "workers": _workers,
    "fits": _fits,
    "agreement": _agreement,
    "disk": _disk,
    "killed": _killed,
}
