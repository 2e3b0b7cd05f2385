"""Fits with the default number of threads, compared with fits with one, 16 and 64 threads.

    python benchmarks/speed/threads.py [--methods sda,components] [--sizes 200,2000] [--repeats 3]
    python benchmarks/speed/threads.py --real       # research data, some with many features
    python benchmarks/speed/threads.py --busy       # beside another process on every core
    python benchmarks/speed/threads.py --grain      # what waking another thread costs
    python benchmarks/speed/threads.py --decompositions [--busy]   # threads of linear algebra

Each setting has its own process, which is kept for all fits. The processes take turns, so that other
programs on the machine affect all of them equally. A row gives the seconds of the fastest fit with one
thread and the ratios of the others to it: at most 1.1 for the default, at most 1.5 for
more threads than cores, and above 100,000 samples at most 1 / 1.5 on two cores.

The rows "read X" and "X'X" show what the machine allows. They are passes over the same samples by
threads of Python and NumPy alone: the sum of all numbers, which is limited by memory, and the Gram
matrix, which is limited by arithmetic. A fit that reads its samples a few times lies between them.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from discrimap.registry import METHODS, get_method
from discrimap.threads import available_threads, one_thread, run_tasks

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS")
SETTINGS = {"one": "1", "default": None, "16": "16", "64": "64"}
SIZES = (200, 1_000, 5_000, 20_000, 100_000, 1_000_000)
# Largest size of methods that compare all samples, or have no fit of a million in a minute.
MOST = {
    "kda": 5_000, "kernel-category": 5_000, "kspca": 5_000, "gkdr": 5_000, "fisher-tsne": 1_000,
    "nca": 5_000, "manifold-regularization": 20_000, "dp": 100_000, "lpp": 100_000,
}  # fmt: skip
# Size from which passes over the samples alone are measured; below, starting threads takes longer.
LEAST_PASS = 100_000
N_FEATURES, N_CLASSES = 20, 5
# Name and number of samples, drawn at random.
REAL = ("usps:9298", "mfeat_fou:2000", "lvqpak:3924", "mnist5k:600", "coil20:1300", "mnist5k:3000")
ORDERS = (300, 600, 1200, 2000)


def problem(n_samples):
    rng = np.random.default_rng(0)
    y = rng.integers(0, N_CLASSES, n_samples)
    X = rng.standard_normal((N_CLASSES, N_FEATURES))[y]
    return X + rng.standard_normal((n_samples, N_FEATURES)), y


def real_problem(name_and_size):
    from sklearn.preprocessing import StandardScaler

    from discrimap.datasets import load

    name, n_samples = name_and_size.split(":")
    dataset = load(name)
    rows = np.random.default_rng(0).permutation(len(dataset.y))[: int(n_samples)]
    X = np.asarray(dataset.X[rows], dtype=np.float64)
    return StandardScaler().fit_transform(X), dataset.y[rows]


def pass_over(task, X):
    """Call the task for blocks of rows, on as many threads as a fit has."""
    size = max(len(X) // 64, 4096)
    blocks = [X[first : first + size] for first in range(0, len(X), size)]
    n_threads = available_threads()
    if n_threads == 1:
        return sum(map(task, blocks))
    with ThreadPoolExecutor(n_threads) as pool, one_thread():
        return sum(pool.map(task, blocks))


PASSES = {
    "read X": lambda X, y: pass_over(np.sum, X),
    "X'X": lambda X, y: pass_over(lambda block: np.dot(block.T, block), X),
}


def answer_orders():
    """The process of one setting: a line of JSON in, a line of JSON out."""
    warnings.simplefilter("ignore")
    data, known = None, None
    for line in sys.stdin:
        order = json.loads(line)
        if order["data"] != known:
            known = order["data"]
            data = real_problem(known) if isinstance(known, str) else problem(known)
        work = (
            PASSES.get(order["method"]) or get_method(order["method"]).make(2, random_state=0).fit
        )
        wall, processor = time.perf_counter(), time.process_time()
        work(*data)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        print(json.dumps([wall, processor]), flush=True)


def start(setting):
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    if SETTINGS[setting] is not None:
        environment |= dict.fromkeys(VARIABLES, SETTINGS[setting])
    return subprocess.Popen(
        [sys.executable, __file__, "--answer"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def measure(processes, method, data, repeats):
    """The least wall and processor seconds of each setting."""
    times = {name: [] for name in processes}
    for repeat in range(repeats + 1):
        for name, process in processes.items():
            process.stdin.write(json.dumps({"method": method, "data": data}) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            if repeat > 0 or answer[0] > 10:  # the first compiles and loads
                times[name].append(answer)
        if max(sum(wall for wall, _ in rows) for rows in times.values()) > 20:
            break
    return {name: np.min(rows, axis=0) for name, rows in times.items()}


def spin():
    while True:
        sum(range(10_000))


def measure_grain():
    """Time of two sleeping tasks side by side beyond that of one: what a second thread costs."""
    nothing = np.zeros(1)
    for _ in range(3):
        begin = time.perf_counter()
        for _ in range(1000):
            run_tasks(lambda _: nothing.sum(), range(8), 1e9)
        side_by_side = time.perf_counter() - begin
        begin = time.perf_counter()
        for _ in range(1000):
            run_tasks(lambda _: nothing.sum(), range(8), 0.0)
        in_turn = time.perf_counter() - begin
        print(f"waking a thread costs {1e3 * (side_by_side - in_turn):.0f} microseconds")


def measure_decompositions():
    """Time of decompositions with all threads of linear algebra, relative to one thread."""
    from scipy import linalg
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(0)
    print(f"{'order':>6}{'eigh one, s':>13}{'all':>7}{'svd one, s':>13}{'all':>7}")
    for order in ORDERS:
        wide = rng.standard_normal((order, 2 * order))
        row = f"{order:6}"
        for work, matrix in ((linalg.eigh, wide @ wide.T), (linalg.svdvals, wide)):
            times = {}
            for n_threads in (1, os.cpu_count()):
                with threadpool_limits(n_threads):
                    times[n_threads] = min(seconds_of(work, matrix) for _ in range(3))
            row += f"{times[1]:13.3f}{times[os.cpu_count()] / times[1]:7.2f}"
        print(row, flush=True)


def seconds_of(work, *arguments):
    begin = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--methods", default=",".join(m.name for m in METHODS if m.is_ours and m.classes)
    )
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--settings", default=",".join(SETTINGS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--grain", action="store_true")
    parser.add_argument("--decompositions", action="store_true")
    parser.add_argument("--answer", action="store_true")
    arguments = parser.parse_args()
    for name in arguments.methods.split(","):
        get_method(name)  # raises an error for unknown names, before anything is measured
    if arguments.answer:
        return answer_orders()
    if arguments.grain:
        return measure_grain()
    others = []
    if arguments.busy:
        others = [multiprocessing.Process(target=spin, daemon=True) for _ in range(os.cpu_count())]
        for other in others:
            other.start()
    if arguments.decompositions:
        measure_decompositions()
        for other in others:
            other.kill()
        return None
    names = list(dict.fromkeys(["one", *arguments.settings.split(",")]))
    processes = {name: start(name) for name in names}
    sizes = REAL if arguments.real else [int(size) for size in arguments.sizes.split(",")]
    print(f"{available_threads()} threads available{', all cores busy' * arguments.busy}")
    headings = "".join(f"{name:>10}{'CPU':>8}" for name in names[1:])
    print(f"{'method':24}{'data':>14}{'one, s':>10}{headings}")
    for method in [*PASSES, *arguments.methods.split(",")]:
        for size in sizes:
            if not arguments.real and size > MOST.get(method, SIZES[-1]):
                continue
            if method in PASSES and (arguments.real or size < LEAST_PASS):
                continue
            times = measure(processes, method, size, arguments.repeats)
            ratios = "".join(
                f"{times[name][0] / times['one'][0]:10.2f}{times[name][1] / times['one'][1]:8.2f}"
                for name in names[1:]
            )
            print(f"{method:24}{size!s:>14}{times['one'][0]:10.4f}{ratios}", flush=True)
    for process in [*processes.values(), *others]:
        process.kill()


if __name__ == "__main__":
    main()
