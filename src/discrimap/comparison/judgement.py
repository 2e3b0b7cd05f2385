"""What the results of all methods say together: evidence, ties, and the method to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from discrimap.comparison.designs import Design
from discrimap.comparison.evidence import Evidence, weigh_evidence
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import MethodResult
from discrimap.comparison.ties import LEVEL, Scores, p_values_of_worse
from discrimap.registry import get_method

FAMILIES = ("linear", "kernel", "manifold")  # the simplest first


@dataclass(frozen=True, eq=False)
class Judgement:
    """Results that know whether they are as good as the best, evidence, and the method to look at."""

    results: tuple[MethodResult, ...]
    evidence: Evidence | None
    shown: str | None


def judge(
    results: Sequence[MethodResult], design: Design, protocol: Protocol, ratio: float
) -> Judgement:
    """Find the methods that cannot be told from the best, and the simplest of them.

    Parameters
    ----------
    results : sequence of MethodResult
        Best first.
    design : Design
        Which orders of the labels are equally likely without an effect.
    protocol : Protocol
        The score and the seed.
    ratio : float
        Held-out samples for each training sample.
    """
    done = [result for result in results if result.status == "done"]
    if not done:
        return Judgement(tuple(results), None, None)
    n_splits = min(len(result.predictions) for result in done)
    evidence = weigh_evidence(
        [[result.predictions[k] for result in done] for k in range(n_splits)],
        design,
        protocol.score,
        protocol.seed,
    )
    scores = [
        Scores(
            result.test_errors,
            [prediction.point_errors(protocol.score) for prediction in result.predictions],
        )
        for result in done
    ]
    p_values = p_values_of_worse(scores, ratio)
    judged = [
        replace(result, p_worse=float(p), is_as_good_as_best=bool(p >= LEVEL))
        for result, p in zip(done, p_values, strict=True)
    ]
    shown = min((result for result in judged if result.is_as_good_as_best), key=_complexity)
    rest = [result for result in results if result.status != "done"]
    return Judgement((*judged, *rest), evidence, shown.name)


def _complexity(result: MethodResult):
    """Sort linear methods before kernels before manifolds, then by the choices they depend on.

    Of two methods without any, the one that knows the labels comes first: the picture is to be of the
    classes.
    """
    method = get_method(result.name)
    return (
        FAMILIES.index(method.family),
        method.n_settings,
        not method.supervised,
        result.test_error,
    )
