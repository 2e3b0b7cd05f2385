"""Parts of the inspection that need further fits, in worker processes or in this one."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import MethodResult, describe_error
from discrimap.comparison.shared_data import SharedData, load_shared
from discrimap.comparison.workers import Workers
from discrimap.inspection.budget import Budget
from discrimap.inspection.named_problem import NamedProblem

# A process is ended if a part takes this many times the seconds that it has, and so many more.
PATIENCE = 4.0
LEAST_PATIENCE = 20.0


@dataclass(frozen=True)
class Job:
    """One part of one method: ``part(result, samples, protocol, budget)``."""

    part: Callable[..., Any]
    result: MethodResult
    seconds: Callable[[], float]  # that it has, asked when its turn comes
    step: str = ""  # what it does, for the progress


def run_jobs(
    jobs: Sequence[Job],
    samples: NamedProblem,
    protocol: Protocol,
    workers: Workers | None = None,
    on_step: Callable[[str], None] | None = None,
) -> list[Any]:
    """Run jobs in their order, as many at a time as there are workers.

    Parameters
    ----------
    jobs : sequence of Job
        What to do.
    samples : NamedProblem
        The data.
    protocol : Protocol
        Scaling, splits and seed.
    workers : Workers, optional
        Processes to run them in; by default they run one after the other in this process.
    on_step : callable, optional
        Called with the description of a step when its first job begins.

    Returns
    -------
    found : list
        What the parts returned, in the order of the jobs; for one that failed, a sentence.
    """
    told: set[str] = {""}

    def begin(job: Job) -> float:
        if on_step is not None and job.step not in told:
            told.add(job.step)
            on_step(job.step)
        return job.seconds()

    if workers is None:
        return [attempt(job.part, job.result, samples, protocol, begin(job)) for job in jobs]
    shared = workers.share(replace(samples, ids=None, texts=None, images=None))
    found: dict[int, Any] = {}
    running: dict[Any, int] = {}
    try:
        for place, job in enumerate(jobs):
            if len(running) == workers.n_workers:
                _collect(running, found)
            seconds = begin(job)
            future = workers.submit(
                _attempt_in_worker,
                *(job.part, _light(job.result), shared, protocol, seconds),
                limit=PATIENCE * seconds + LEAST_PATIENCE,
            )
            running[future] = place
        while running:
            _collect(running, found)
    except BaseException:
        workers.stop()
        raise
    return [found[place] for place in range(len(jobs))]


def _collect(running: dict[Any, int], found: dict[int, Any]) -> None:
    """Wait for a job to end, and store what it returned."""
    ended, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
    for future in ended:
        place = running.pop(future)
        try:
            found[place] = future.result()
        except TimeoutError:
            found[place] = "A further fit did not end in time."
        except Exception as error:  # for instance because memory was exhausted
            found[place] = f"A further fit failed: {describe_error(error)}"


def _light(result: MethodResult) -> MethodResult:
    """Return a result without its maps and predictions, which no part needs and which take long to send."""
    return replace(result, first_map=None, predictions=(), rounds=())


def _attempt_in_worker(
    part: Callable[..., Any],
    result: MethodResult,
    shared: SharedData,
    protocol: Protocol,
    seconds: float,
) -> Any:
    return attempt(part, result, load_shared(shared), protocol, seconds)


def attempt(
    part: Callable[..., Any],
    result: MethodResult,
    samples: NamedProblem,
    protocol: Protocol,
    seconds: float,
) -> Any:
    """Return one part, or the error as a sentence, so that the other parts are still computed."""
    try:
        return part(result, samples, protocol, Budget(seconds))
    except Exception as error:
        return f"A further fit failed: {describe_error(error)}"
