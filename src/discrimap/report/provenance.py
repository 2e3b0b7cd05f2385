"""What was run: versions, seed, parameters, iterations, how each fit ended, what to cite."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from discrimap._version import __version__
from discrimap.comparison import Comparison, MethodResult
from discrimap.comparison.wording import count_of
from discrimap.report.citations import bibtex_of

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "finufft", "openTSNE", "pynndescent")


@dataclass(frozen=True)
class MethodRun:
    """One method as it was run."""

    name: str
    label: str
    class_path: str
    parameters: Mapping[str, str]  # as Python would write them
    iterations: tuple[int, ...]
    ending: str
    bibtex: str


@dataclass(frozen=True)
class Provenance:
    """What is needed to repeat the comparison."""

    discrimap: str
    python: str
    platform: str
    packages: Mapping[str, str]
    protocol: Mapping[str, Any]
    methods: tuple[MethodRun, ...]


def record_provenance(comparison: Comparison) -> Provenance:
    """Collect versions and the parameters of every method that was tried."""
    return Provenance(
        discrimap=__version__,
        python=platform.python_version(),
        platform=platform.platform(terse=True),
        packages={name: _version_of(name) for name in PACKAGES},
        protocol=comparison.to_dict()["protocol"],
        methods=tuple(_run_of(result) for result in comparison.results),
    )


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # two packages have no wheels for some machines
        return "not installed"


def _run_of(result: MethodResult) -> MethodRun:
    method = result.method
    # The seed differs from split to split and is derived from that of the protocol.
    parameters = {k: v for k, v in result.parameters.items() if k != "random_state"}
    return MethodRun(
        name=result.name,
        label=result.label,
        class_path=f"{method.module}.{method.class_name}",
        parameters={name: repr(value) for name, value in parameters.items()},
        iterations=result.iterations,
        ending=_ending(result),
        bibtex=bibtex_of(result.name),
    )


def _ending(result: MethodResult) -> str:
    """Describe how the fits ended, as far as the method reports it."""
    if result.status != "done":
        return f"{result.status}: {result.reason}"
    if result.stopping_reasons:
        counts = Counter(result.stopping_reasons)
        if len(counts) == 1:
            return next(iter(counts))
        return "; ".join(f"{reason} ({count_of(n, 'split')})" for reason, n in counts.items())
    # Warnings of scikit-learn's own estimators, including those of the fits of the control.
    unfinished = [notice for notice in result.notices if "converge" in notice]
    if unfinished:
        return f"in at least one fit: {unfinished[0]}"
    most = result.parameters.get("max_iter")
    if result.iterations and isinstance(most, int) and max(result.iterations) >= most:
        return f"max_iter={most} iterations were reached"
    if result.iterations:
        return f"after {count_of(max(result.iterations), 'iteration')} at most"
    return "no iterations reported"
