"""Stochastic discriminant analysis on dask collections: time, bytes and memory by size and workers.

Each part runs in processes of its own and writes its figures into ``benchmarks/results/scale.jsonl``.
Parts:

    evaluation   value and gradient for n = 1e5, 1e6, 1e7 samples of 50 features: in memory, with
                 one worker process and with two
    workers      n = 1e6 samples of 200 features, two workers and one, in turn, ten times
    bandwidth    the two products with the samples alone, in one process and in two at a time
    latency      time to sum grids of two workers, and to send them
    fits         whole fits in memory, n = 1e6 and 1e7
    agreement    difference between fits in chunks and in memory, for several chunkings
    disk         8 GB on disk, two workers with a memory limit of 2 GB each
    killed       a worker that is killed during a fit

    python benchmarks/speed/scale.py evaluation workers bandwidth latency fits agreement disk killed
"""

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.results import add_options, numbered, open_store

N_CLASSES = 10
N_CHUNKS = 20
SIZES = (100_000, 1_000_000, 10_000_000)
DISK_SHAPE = (10_000_000, 200)


def make_chunk(number, n_rows, n_features, only_labels=False):
    """Ten Gaussian classes; a chunk is the same wherever it is made."""
    rng = np.random.default_rng([7, number])
    labels = rng.integers(0, N_CLASSES, n_rows)
    if only_labels:
        return labels
    means = 1.2 * np.random.default_rng(3).standard_normal((N_CLASSES, n_features))
    X = rng.standard_normal((n_rows, n_features), dtype=np.float32)
    X += means.astype(np.float32)[labels]
    return X


def in_memory(n_samples, n_features, n_chunks=N_CHUNKS):
    n_rows = n_samples // n_chunks
    X = np.empty((n_samples, n_features), dtype=np.float32)
    for number in range(n_chunks):
        X[number * n_rows : (number + 1) * n_rows] = make_chunk(number, n_rows, n_features)
    labels = [make_chunk(number, n_rows, n_features, True) for number in range(n_chunks)]
    return X, np.concatenate(labels)


def in_blocks(n_samples, n_features, n_chunks=N_CHUNKS):
    import dask
    import dask.array as da

    n_rows = n_samples // n_chunks
    make = dask.delayed(make_chunk, pure=True)
    X = [
        da.from_delayed(make(number, n_rows, n_features), (n_rows, n_features), np.float32)
        for number in range(n_chunks)
    ]
    y = [
        da.from_delayed(make(number, n_rows, n_features, True), (n_rows,), np.int64)
        for number in range(n_chunks)
    ]
    return da.concatenate(X), da.concatenate(y)


def make_objective(X, y, n_features):
    from discrimap import StochasticDiscriminantAnalysis
    from discrimap.samples.validation import validate_labelled
    from discrimap.sda.objective import StochasticDiscriminantObjective, pair_targets

    samples = validate_labelled(StochasticDiscriminantAnalysis(), X, y)
    targets = pair_targets(samples.n_classes, 1 / samples.n_classes)
    objective = StochasticDiscriminantObjective(samples, targets, n_components=2)
    # A map as in the middle of a fit: classes a few units apart.
    W = np.random.default_rng(5).standard_normal((n_features, 2)) / np.sqrt(n_features)
    return objective, W


def count_sent_bytes():
    """From now on, count what this process writes to its connections with other processes."""
    from distributed.comm import tcp

    write = tcp.TCP.write
    tcp.n_bytes_sent = 0

    async def counted(*args, **kwargs):
        n_bytes = await write(*args, **kwargs)
        tcp.n_bytes_sent += n_bytes
        return n_bytes

    tcp.TCP.write = counted


def sent_bytes():
    from distributed.comm import tcp

    return tcp.n_bytes_sent


def threads_of_worker():
    """Threads that linear algebra, transforms and compiled loops may use."""
    import numba
    from threadpoolctl import threadpool_info

    from discrimap.kernel_sums.transforms import n_threads

    pools = [pool["num_threads"] for pool in threadpool_info()]
    return max([*pools, n_threads(), numba.get_num_threads()])


def peak_megabytes():
    """Largest resident memory of this process; not that of the one it was started from."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def start_cluster(n_workers, memory_limit=0):
    from distributed import Client

    from discrimap.samples.on_dask.local_cluster import start_local_cluster

    cluster = start_local_cluster(n_workers, memory_limit=memory_limit)
    return cluster, Client(cluster)


def measure_evaluation(place, n_samples, n_features, n_repeats):
    """Seconds and bytes of one evaluation, and the peak memory of each process."""
    client = None
    if place == "memory":
        X, y = in_memory(n_samples, n_features)
    else:
        _, client = start_cluster({"one": 1, "two": 2}[place])
        X, y = in_blocks(n_samples, n_features)
    objective, W = make_objective(X, y, n_features)
    objective.value_and_grad(W)
    seconds = []
    for _ in range(n_repeats):
        start = time.perf_counter()
        value, grad = objective.value_and_grad(W)
        seconds.append(time.perf_counter() - start)
    return {
        "place": place,
        "n_samples": n_samples,
        "n_features": n_features,
        "seconds": float(np.median(seconds)),
        "all_seconds": seconds,
        **(
            figures_of_cluster(client, objective, W, float(np.median(seconds)))
            if client
            else {"worker_megabytes": []}
        ),
        "client_megabytes": peak_megabytes(),
        "value": float(value),
        "gradient_norm": float(np.linalg.norm(grad)),
    }


def figures_of_cluster(client, objective, W, seconds, n_repeats=5):
    """Bytes that an evaluation moves, beside what moves in the same time without one."""
    from discrimap.samples.on_dask.pair_sums import MARGIN

    sums = objective.sums
    low, high = sums.box
    modes = sums.shelf.grid(MARGIN * (high - low)).modes
    count_sent_bytes()
    client.run(count_sent_bytes)

    def moved(action):
        before = sent_bytes() + sum(client.run(sent_bytes).values())
        action()
        return sent_bytes() + sum(client.run(sent_bytes).values()) - before

    together = [moved(lambda: objective.value_and_grad(W)) for _ in range(n_repeats)]
    idle = [moved(lambda: time.sleep(seconds)) for _ in range(n_repeats)]
    return {
        "bytes": float(np.median(together) - np.median(idle)),
        "idle_bytes": float(np.median(idle)),
        "modes": modes,
        # Half of the modes, as complex numbers, for each class.
        "grid_bytes": 16 * N_CLASSES * (int(np.prod(modes)) + 1) // 2,
        "worker_megabytes": sorted(client.run(peak_megabytes).values()),
        "threads_of_worker": max(client.run(threads_of_worker).values()),
    }


def measure_bandwidth(n_rows, seconds):
    """Gigabytes a second of the products with the samples on one core."""
    from threadpoolctl import threadpool_limits

    n_features = 200
    X = np.ones((n_rows, n_features), dtype=np.float32)
    W, few = np.ones((n_features, 2), dtype=np.float32), np.ones((2, n_rows), dtype=np.float32)
    products = {"X @ W": lambda: X @ W, "g @ X": lambda: few @ X, "X.sum()": lambda: X.sum()}
    rates = {}
    with threadpool_limits(1):
        for name, product in products.items():
            stop, times = time.perf_counter() + seconds, []
            while time.perf_counter() < stop:
                start = time.perf_counter()
                product()
                times.append(time.perf_counter() - start)
            rates[name] = X.nbytes / float(np.median(times)) / 1e9
    return rates


def measure_latency():
    """Seconds of a round trip, of summing the grids of two workers, and bytes a second."""
    from discrimap.samples.on_dask.runtime import Cluster, add, reduce_in_tree

    _, client = start_cluster(2)
    runtime = Cluster(client)

    def grids(size):
        parts = [runtime.submit(np.ones, size, complex, home=home) for home in runtime.homes]
        client.gather([runtime.submit(len, part) for part in parts])
        return parts

    def median(action, n_repeats=30):
        times = []
        for _ in range(n_repeats):
            start = time.perf_counter()
            runtime.result(action())
            times.append(time.perf_counter() - start)
        return float(np.median(times))

    def reduction(parts):
        return runtime.submit(len, reduce_in_tree(runtime, parts, runtime.homes, add))

    trip = median(lambda: runtime.submit(len, (), home=runtime.homes[0]))
    small, large = grids(10), grids(1 << 22)
    summed = median(lambda: reduction(small))
    seconds_large = median(lambda: reduction(large), 5)
    n_bytes = 16 * (1 << 22)
    return {
        "round_trip_seconds": trip,
        "reduction_seconds": summed - trip,
        "bytes_per_second": n_bytes / (seconds_large - summed),
    }


def measure_fit(n_samples, n_features):
    from discrimap import StochasticDiscriminantAnalysis

    X, y = in_memory(n_samples, n_features)
    few = slice(0, 400_000)  # loads compiled code, for few samples and for many
    StochasticDiscriminantAnalysis(random_state=0).fit(X[few], y[few])
    steps = []
    start = time.perf_counter()
    sda = StochasticDiscriminantAnalysis(
        random_state=0, callback=lambda step: steps.append(step.n_evaluations)
    ).fit(X, y)
    return {
        "n_samples": n_samples,
        "n_features": n_features,
        "seconds": time.perf_counter() - start,
        "n_iter": int(sda.n_iter_),
        "n_evaluations": steps[-1],
        "megabytes": peak_megabytes(),
    }


def measure_agreement():
    """Fits of the same samples in memory and in several chunkings on two workers."""
    import dask.array as da
    from scipy.linalg import subspace_angles

    from discrimap import StochasticDiscriminantAnalysis

    X, y = in_memory(40_000, 20)
    order = np.argsort(y, kind="stable")
    chunkings = {
        "4 equal chunks": (10_000,) * 4,
        "40 chunks": (1_000,) * 40,
        "uneven and empty chunks": (1, 0, 20_000, 0, 9_999, 10_000),
    }
    cases = [(name, X, y, chunks) for name, chunks in chunkings.items()]
    cases.append(("rows sorted by class: chunks miss classes", X[order], y[order], (5_000,) * 8))
    _, _client = start_cluster(2)
    rows = []
    for dtype in ("float32", "float64"):
        for name, samples, labels, chunks in cases:
            samples = samples.astype(dtype)
            here = StochasticDiscriminantAnalysis(random_state=0).fit(samples, labels)
            there = StochasticDiscriminantAnalysis(random_state=0).fit(
                da.from_array(samples, chunks=(chunks, samples.shape[1])),
                da.from_array(labels, chunks=(chunks,)),
            )
            angles = subspace_angles(
                here.components_.T.astype(float), there.components_.T.astype(float)
            )
            rows.append(
                {
                    "chunks": name,
                    "dtype": dtype,
                    "objective": here.objective_,
                    "objective_difference": abs(here.objective_ - there.objective_),
                    "degrees": float(np.rad2deg(angles.max())),
                }
            )
    return rows


def measure_disk(folder):
    """A fit to 8 GB that are read again at every step, for want of memory."""
    import dask.array as da

    from discrimap import StochasticDiscriminantAnalysis

    n_samples, n_features = DISK_SHAPE
    n_chunks = 500  # of 16 MB
    path = folder / "samples.zarr"
    if not path.exists():
        import zarr

        shape = (n_samples // n_chunks, n_features)
        array = zarr.create_array(
            str(path), shape=DISK_SHAPE, chunks=shape, dtype="float32", compressors=None
        )
        for number in range(n_chunks):
            rows = slice(number * shape[0], (number + 1) * shape[0])
            array[rows] = make_chunk(number, *shape)
    size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    _, y = in_blocks(n_samples, n_features, n_chunks)
    _, client = start_cluster(2, "2GB")
    pids = client.run(os.getpid)
    steps = []
    start = time.perf_counter()
    sda = StochasticDiscriminantAnalysis(
        random_state=0, verbose=2, callback=lambda step: steps.append(step.n_evaluations)
    ).fit(da.from_zarr(str(path)), y)
    seconds = time.perf_counter() - start
    same = client.run(os.getpid) == pids
    return {
        "bytes_on_disk": size,
        "n_samples": n_samples,
        "n_features": n_features,
        "memory_limit": "2GB",
        "seconds": seconds,
        "n_iter": int(sda.n_iter_),
        "n_evaluations": steps[-1],
        "objective": sda.objective_,
        "stopping_reason": sda.stopping_reason_,
        "workers_restarted": not same,
        "client_megabytes": peak_megabytes(),
        "worker_megabytes": sorted(client.run(peak_megabytes).values()),
    }


def measure_killed():
    """A fit of which one worker is killed after three iterations, beside one left alone."""
    from scipy.linalg import subspace_angles

    from discrimap import StochasticDiscriminantAnalysis

    _, client = start_cluster(2)
    X, y = in_blocks(400_000, 50)
    alone = StochasticDiscriminantAnalysis(random_state=0, tol=1e-6).fit(X, y)
    pids = list(client.run(os.getpid).values())
    killed = []

    def kill(step):
        if step.n_iter == 3 and not killed:
            os.kill(pids[0], signal.SIGKILL)
            killed.append(step.n_iter)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        disturbed = StochasticDiscriminantAnalysis(random_state=0, tol=1e-6, callback=kill).fit(
            X, y
        )
    angles = subspace_angles(
        alone.components_.T.astype(float), disturbed.components_.T.astype(float)
    )
    return {
        "killed_after_iteration": killed[0],
        "n_iter": [int(alone.n_iter_), int(disturbed.n_iter_)],
        "objective_difference": abs(alone.objective_ - disturbed.objective_),
        "degrees": float(np.rad2deg(angles.max())),
        "warning": next((str(w.message) for w in caught if "went away" in str(w.message)), None),
    }


def in_new_process(*arguments):
    """Run one measurement with memory of its own, and return what it prints."""
    command = [sys.executable, __file__, "--one", *map(str, arguments)]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(answer.stdout.splitlines()[-1])


def run_one(kind, *arguments):
    measures = {
        "evaluation": lambda place, n, p, k: measure_evaluation(place, int(n), int(p), int(k)),
        "fit": lambda n, p: measure_fit(int(n), int(p)),
        "bandwidth": lambda n, seconds: measure_bandwidth(int(n), float(seconds)),
        "latency": measure_latency,
        "agreement": measure_agreement,
        "disk": lambda folder: measure_disk(Path(folder)),
        "killed": measure_killed,
    }
    print(json.dumps(measures[kind](*arguments)))


def run_part(part, folder):
    places = ("memory", "one", "two")
    if part == "evaluation":
        return [
            in_new_process("evaluation", place, n, 50, 3 if n > 1_000_000 else 7)
            for n in SIZES
            for place in places
        ]
    if part == "workers":
        # In turn, because the speed of a machine that others share changes within minutes.
        return [
            in_new_process("evaluation", place, 1_000_000, 200, 15)
            for _ in range(10)
            for place in places
        ]
    if part == "bandwidth":
        # As many rows in all, so that the time of each would halve if nothing was shared.
        with ThreadPoolExecutor(2) as pool:
            alone = in_new_process("bandwidth", 1_000_000, 3)
            both = list(pool.map(lambda _: in_new_process("bandwidth", 500_000, 3), range(2)))
        return {"one": [alone], "two": both}
    if part == "fits":
        return [in_new_process("fit", n, 50) for n in SIZES[1:]]
    if part == "disk":
        try:
            return in_new_process("disk", folder)
        finally:
            shutil.rmtree(folder / "samples.zarr", ignore_errors=True)
    return in_new_process(part)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, default=Path("/tmp"), help="for the 8 GB")
    add_options(parser)
    arguments = parser.parse_args()
    if arguments.one:
        return run_one(*arguments.one)
    store = open_store("scale", arguments)
    machine = f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores"
    for part in arguments.parts:
        figures = run_part(part, arguments.folder)
        records = numbered(part, figures) if isinstance(figures, list) else {(part,): figures}
        store.update({("machine",): machine} | records, forget=(part,))
        print(part, json.dumps(figures), file=sys.stderr)


if __name__ == "__main__":
    main()
