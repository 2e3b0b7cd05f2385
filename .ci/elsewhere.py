"""Run the numerically sensitive tests with the rounding of other processors, and with other seeds.

Rounding differs between processors: OpenBLAS, NumPy and numba choose their kernels by the available
instructions. All three can be set to use the instructions of an older processor. The tests must pass
in all cases, and with any seed of their random numbers. There is one run for each processor, in which
tests that draw no numbers run once, and the others once for each seed::

    python .ci/elsewhere.py                                  # all processors, five seeds
    python .ci/elsewhere.py --processor haswell --seed 3     # one of each
    python .ci/elsewhere.py --quick --draw 1f0c9a...         # one of each, drawn from a commit's hash
    python .ci/elsewhere.py --seed 7 tests/metrics -x        # other tests, other options of pytest
    python .ci/elsewhere.py --processor native --seed 3 --drawn tests   # all tests that draw numbers
"""

import argparse
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Processor -> kernels of OpenBLAS, processor of numba, prefixes of features that NumPy must not use.
PROCESSORS = {
    "native": None,
    "skylake": ("SkylakeX", "skylake-avx512", ()),
    "haswell": ("Haswell", "haswell", ("AVX512", "X86_V4")),
    "nehalem": ("Nehalem", "generic", ("AVX", "FMA", "F16C", "X86_V3", "X86_V4")),
}
SIMULATED = [name for name, settings in PROCESSORS.items() if settings]
SEEDS = range(1, 6)
DRAWN_SEEDS = 10
SENSITIVE = [
    f"tests/{room}"
    for room in (
        *("sda", "components", "projections", "fisher", "category", "comparators"),
        *("every_estimator", "kernel_sums", "optimisers", "linalg", "metrics"),
        "inspection/test_contributions.py",
    )
]
# Skipped with --quick: scikit-learn's checks test interfaces, use their own random numbers and take a
# third of the time; the coverage of intervals needs many fits; pynndescent is compiled for a minute.
LEFT_OUT_WHEN_QUICK = [
    "tests/every_estimator/test_common.py",
    "tests/inspection/test_contributions.py",
    "tests/linalg/test_graphs.py",
]


def main():
    """Run the tests as each processor, and list those with failures."""
    options, pytest_arguments = parse()
    processors, seeds = options.processor or SIMULATED, options.seed or list(SEEDS)
    if options.draw:
        number = int(options.draw, 16)
        processors = [sorted(SIMULATED)[number % len(SIMULATED)]]
        seeds = [number // len(SIMULATED) % DRAWN_SEEDS]
    if platform.machine() not in ("x86_64", "AMD64"):
        sys.exit(f"kernels can be chosen on x86 processors only; this is {platform.machine()}")
    if not has_avx512() and "skylake" in processors:
        print("skylake: skipped, because this processor has no AVX-512", flush=True)
        processors = [name for name in processors if name != "skylake"] or ["haswell"]

    failed = []
    for processor in processors:
        print(f"== as {processor}, with seeds {', '.join(map(str, seeds))}", flush=True)
        began = time.monotonic()
        code = run(processor, seeds, options, pytest_arguments)
        print(f"== {time.monotonic() - began:.0f} s, exit code {code}", flush=True)
        if code:
            failed.append(processor)
    print(*(f"failed: as {processor}" for processor in failed), sep="\n")
    return 1 if failed else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processor", choices=PROCESSORS, action="append")
    parser.add_argument("--seed", type=int, action="append", help=f"{SEEDS[0]} to {SEEDS[-1]}")
    parser.add_argument(
        "--draw", metavar="HASH", help="choose one processor and one seed by this hash"
    )
    parser.add_argument("--quick", action="store_true", help="skip the slowest tests")
    parser.add_argument("--jobs", default="auto", help="processes of pytest")
    return parser.parse_known_args()


def run(processor, seeds, options, pytest_arguments):
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(ROOT / "build" / "elsewhere" / processor),
        "DISCRIMAP_TEST_SEED": str(seeds[0]),  # of tests in other processes, and of fuzz tests
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"),
    }
    if PROCESSORS[processor]:
        blas, numba_cpu, forbidden = PROCESSORS[processor]
        environment |= {
            "OPENBLAS_CORETYPE": blas,
            "NPY_DISABLE_CPU_FEATURES": " ".join(numpy_features(forbidden)),
            "NUMBA_CPU_NAME": numba_cpu,
            "NUMBA_CPU_FEATURES": "",  # those of the named processor, not of this one
        }
    tests = [] if any(Path(ROOT, one).exists() for one in pytest_arguments) else SENSITIVE
    left_out = [f"--ignore={path}" for path in LEFT_OUT_WHEN_QUICK if options.quick]
    command = [sys.executable, "-m", "pytest", "--quiet", "--numprocesses", options.jobs]
    command += ["--dist", "worksteal", "--seeds", ",".join(map(str, seeds))]
    command += [*left_out, *tests, *pytest_arguments]
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def numpy_features(forbidden):
    """Return the features that NumPy dispatches to on this processor and that must be disabled.

    Names differ between releases, and NumPy warns about unknown and unavailable features.
    """
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return [
        feature
        for feature in __cpu_dispatch__
        if __cpu_features__[feature] and feature.startswith(tuple(forbidden))
    ]


def has_avx512():
    from numpy._core._multiarray_umath import __cpu_features__

    return any(
        __cpu_features__.get(feature, False) for feature in ("AVX512_SKX", "AVX512F", "X86_V4")
    )


if __name__ == "__main__":
    sys.exit(main())
