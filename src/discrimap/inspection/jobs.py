"""Run the parts of the inspection that need fits, in worker processes or in the current process."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import MethodResult, describe_error
from discrimap.comparison.workers import Workers
from discrimap.inspection.budget import Budget
from discrimap.inspection.named_problem import NamedProblem

# A process is terminated if a part exceeds PATIENCE times its seconds plus LEAST_PATIENCE seconds.
PATIENCE = 4.0
LEAST_PATIENCE = 20.0


@dataclass(frozen=True)
class Job:
    """One part of one method: ``part(result, samples, protocol, budget)``."""

    part: Callable[..., Any]
    result: MethodResult
    seconds: Callable[[], float]  # returns its time limit; called when the job starts
    step: str = ""  # description for the progress


def run_jobs(
    jobs: Sequence[Job],
    samples: NamedProblem,
    protocol: Protocol,
    workers: Workers | None = None,
    on_step: Callable[[str], None] | None = None,
) -> list[Any]:
    """Run jobs in the given order, as many at the same time as there are workers.

    Parameters
    ----------
    jobs : sequence of Job
        The jobs to run.
    samples : NamedProblem
        The data.
    protocol : Protocol
        Scaling, splits and seed.
    workers : Workers, optional
        Processes that run the jobs. By default the jobs run one after the other in this process.
    on_step : callable, optional
        Called with the description of a step when its first job starts.

    Returns
    -------
    found : list
        The results of the jobs, in the order of the jobs. A failed job gives a sentence.
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
                attempt,
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
    """Wait until a job ends, and store its result."""
    ended, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
    for future in ended:
        place = running.pop(future)
        try:
            found[place] = future.result()
        except TimeoutError:
            found[place] = "A further fit did not end in time."
        except Exception as error:  # for example, if memory is exhausted
            found[place] = f"A further fit failed: {describe_error(error)}"


def _light(result: MethodResult) -> MethodResult:
    """Return a result without maps and predictions: these are not needed and take long to send."""
    return replace(result, first_map=None, predictions=(), rounds=())


def attempt(
    part: Callable[..., Any],
    result: MethodResult,
    samples: NamedProblem,
    protocol: Protocol,
    seconds: float,
) -> Any:
    """Compute one part; an error is returned as a sentence, so that the other parts still run."""
    try:
        return part(result, samples, protocol, Budget(seconds))
    except Exception as error:
        return f"A further fit failed: {describe_error(error)}"
