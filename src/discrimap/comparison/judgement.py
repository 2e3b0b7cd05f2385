"""Evidence against chance, ties, and the method to inspect, from the results of all methods."""

from __future__ import annotations

from dataclasses import replace

from discrimap.comparison.designs import Design
from discrimap.comparison.evidence import Evidence, weigh_evidence
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import Comparison, FinishedRound, MethodResult
from discrimap.comparison.ties import LEVEL, Scores, adjust_by_holm, p_value_of_worse

MOST_SPLITS = 30  # number tested against chance; more splits take time and add no power


def judge(comparison: Comparison, design: Design) -> Comparison:
    """Sort the results, and find the methods that cannot be distinguished from the best.

    Parameters
    ----------
    comparison : Comparison
        Results in any order.
    design : Design
        Determines which permutations of the labels are equally likely without an effect.

    Returns
    -------
    comparison : Comparison
        The same with results sorted, ties with the best marked, the evidence against chance, and the
        name of the simplest method among the ties.
    """
    protocol = comparison.protocol
    done = sorted(comparison.done, key=lambda result: result.test_error)
    rest = [result for result in comparison.results if result.status != "done"]
    if not done:
        return comparison
    best, *others = done
    p_values = adjust_by_holm([_p_worse(other, best, protocol) for other in others])
    judged = [replace(best, p_worse=1.0, is_as_good_as_best=True)]
    for other, p in zip(others, p_values, strict=True):
        judged.append(replace(other, p_worse=float(p), is_as_good_as_best=bool(p >= LEVEL)))
    judged.sort(key=lambda result: not result.is_as_good_as_best)  # stable
    shown = min((result for result in judged if result.is_as_good_as_best), key=_complexity)
    evidence = _weigh(done, design, protocol)
    return replace(comparison, results=(*judged, *rest), evidence=evidence, shown=shown.name)


def _p_worse(one: MethodResult, best: MethodResult, protocol: Protocol) -> float:
    """Compare two methods on the same rows, in the largest round that both have finished."""
    ratio = protocol.test_size / (1 - protocol.test_size)  # held-out rows for each training row
    rounds = {(this.is_whole, this.is_whole or this.n_rows): this for this in best.rounds}
    for this in reversed(one.rounds):
        other = rounds.get((this.is_whole, this.is_whole or this.n_rows))
        common = () if other is None else tuple(sorted({*this.splits} & {*other.splits}))
        if other is not None and common:
            score = protocol.score
            return p_value_of_worse(
                _scores(this, common, score), _scores(other, common, score), ratio
            )
    return 1.0


def _scores(finished: FinishedRound, splits: tuple[int, ...], score: str) -> Scores:
    places = [finished.splits.index(split) for split in splits]
    return Scores(
        [finished.errors[place] for place in places],
        [finished.predictions[place].point_errors(score) for place in places],
    )


def _weigh(done: list[MethodResult], design: Design, protocol: Protocol) -> Evidence | None:
    """Test the methods that were scored on the same held-out points as the best one."""
    best, splits = done[0], []
    for place, split in enumerate(best.splits[:MOST_SPLITS]):
        rows = best.predictions[place].rows
        same = [
            result.predictions[result.splits.index(split)]
            for result in done
            if split in result.splits
        ]
        splits.append([one for one in same if len(one.rows) == len(rows)])
    return weigh_evidence(splits, design, protocol.score, protocol.seed)


def _complexity(result: MethodResult):
    """Sort linear before kernel before manifold methods, then by the choices they depend on.

    Of two methods without such choices, the supervised method comes first, because the report shows
    a map of the classes.
    """
    method = result.method
    return *method.simplicity, not method.supervised, result.test_error
