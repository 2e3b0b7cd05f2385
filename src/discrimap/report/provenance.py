"""Record of a comparison: versions, seed, parameters, iterations, stopping reasons, citations."""

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
    """Parameters and outcome of one method."""

    name: str
    label: str
    class_path: str
    parameters: Mapping[str, str]  # values as Python literals
    iterations: tuple[int, ...]
    ending: str
    bibtex: str


@dataclass(frozen=True)
class Provenance:
    """The information needed to repeat the comparison."""

    discrimap: str
    python: str
    platform: str
    packages: Mapping[str, str]
    protocol: Mapping[str, Any]
    methods: tuple[MethodRun, ...]


def record_provenance(comparison: Comparison) -> Provenance:
    """Collect the versions and the parameters of every method of the comparison."""
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
    except PackageNotFoundError:  # two packages have no wheels on some platforms
        return "not installed"


def _run_of(result: MethodResult) -> MethodRun:
    method = result.method
    # The seed differs between splits and is derived from the seed of the protocol.
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
    """Describe why the fits stopped, if the method reports it."""
    if result.status != "done":
        return f"{result.status}: {result.reason}"
    if result.stopping_reasons:
        counts = Counter(result.stopping_reasons)
        if len(counts) == 1:
            return next(iter(counts))
        return "; ".join(f"{reason} ({count_of(n, 'split')})" for reason, n in counts.items())
    # Convergence warnings of scikit-learn estimators, including the control fits.
    unfinished = [notice for notice in result.notices if "converge" in notice]
    if unfinished:
        return f"in at least one fit: {unfinished[0]}"
    most = result.parameters.get("max_iter")
    if result.iterations and isinstance(most, int) and max(result.iterations) >= most:
        return f"max_iter={most} iterations were reached"
    if result.iterations:
        return f"after {count_of(max(result.iterations), 'iteration')} at most"
    return "no iterations reported"
