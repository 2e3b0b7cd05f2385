"""Summary of a comparison in a few sentences: the result first, then its uncertainty."""

from __future__ import annotations

from discrimap.comparison.evidence import LEVEL
from discrimap.comparison.result import Comparison, MethodResult
from discrimap.comparison.wording import percent, percent_range

# The training map overfits if its error is lower than the held-out error by more than this.
LARGE_GAP = 0.1
# Classes separate if the error of the shown method divided by the error of guessing is below this.
SEPARATED = 0.5
HARDLY = 0.95  # classes hardly separate above this ratio
# With fewer splits, methods can rarely be distinguished.
ENOUGH_SPLITS = 10


def state_verdict(comparison: Comparison) -> tuple[str, ...]:
    """State the result, whether chance explains it, and warnings.

    The error of the best of many methods is optimistic. It is therefore tested with
    :func:`discrimap.comparison.evidence.weigh_evidence`, which selects the best of all methods
    again for each permutation.
    """
    shown, evidence = comparison.shown_result, comparison.evidence
    if shown is None or evidence is None:
        return ("No method could be fitted; the reason is given for each method.",)
    found = _finding(comparison, shown) if evidence.is_convincing else _nothing(comparison)
    return (found, _chance(comparison), *_cautions(comparison, shown))


def _finding(comparison: Comparison, shown: MethodResult) -> str:
    equals, n_done = comparison.as_good_as_best, len(comparison.done)
    errors = percent_range([result.test_error for result in equals])
    what = _what_is_missed(comparison)
    if len(equals) == 1:
        best, rest = comparison.done[0], comparison.done[1:]
        next_best = (
            f"; the next, {rest[0].label}, on {percent(rest[0].test_errors)}" if rest else ""
        )
        verb = "predicts the target best" if _is_numbers(comparison) else "separates them best"
        return (
            f"{_headline(comparison, shown)}: {best.label} {verb if rest else 'was tried alone'} and errs on "
            f"{percent(best.test_errors)} of {what}{next_best}."
        )
    count = "both" if len(equals) == n_done == 2 else f"{len(equals)} of {n_done}"
    return (
        f"{_headline(comparison, shown)}: {count} methods err on {errors} of {what} and do not differ "
        f"significantly on {_splits(*equals)}. Shown: {shown.label}, the simplest of them "
        f"({percent(shown.test_errors)})."
    )


def _headline(comparison: Comparison, shown: MethodResult) -> str:
    share = shown.test_error / comparison.chance_error
    if _is_numbers(comparison):
        return "The features predict the target" if share < SEPARATED else "A part is predicted"
    if share < SEPARATED:
        return "The classes separate"
    if share < HARDLY:
        return "The classes separate in part"
    return f"The features predict the classes hardly better than {_guessing(comparison)}"


def _nothing(comparison: Comparison) -> str:
    best = comparison.done[0]
    what = _what_is_missed(comparison)
    claim = (
        "that the features predict the target" if _is_numbers(comparison) else "of class structure"
    )
    return (
        f"No evidence {claim}: {_best_of(comparison)}, {best.label}, errs on "
        f"{percent(best.test_errors)} of {what}, and {_guessing(comparison)} on "
        f"{100 * comparison.chance_error:.1f} %."
    )


def _chance(comparison: Comparison) -> str:
    evidence = comparison.evidence
    assert evidence is not None
    labels = "numbers" if _is_numbers(comparison) else "labels"
    p = f"p = {evidence.p_value:.2g}" if evidence.p_value >= 0.001 else "p < 0.001"
    how = (
        f"{_best_of(comparison)} against held-out {labels} in random order, "
        f"{_splits(comparison.done[0])}, {p}"
    )
    if not evidence.is_convincing:
        return f"Chance may explain it: {how}; less than {LEVEL:g} would be evidence."
    return (
        f"Chance does not explain it ({how}); {_guessing(comparison)} errs on "
        f"{100 * comparison.chance_error:.1f} %."
    )


def _cautions(comparison: Comparison, shown: MethodResult):
    if shown.gap > LARGE_GAP:
        yield (
            f"The training map of {shown.label} is too optimistic: its error is "
            f"{percent(shown.train_errors)}. Use the held-out map."
        )
    equals = comparison.as_good_as_best
    blind = [result.label for result in equals if not result.method.supervised]
    is_found = comparison.evidence is not None and comparison.evidence.is_convincing
    stands_out = is_found and shown.test_error < SEPARATED * comparison.chance_error
    if blind and len(equals) > len(blind) and stands_out:
        yield (
            f"{' and '.join(blind)}, which {'do' if len(blind) > 1 else 'does'} not use the labels, "
            f"{'are' if len(blind) > 1 else 'is'} as good: the classes are visible without them."
        )
    n_splits = len(shown.test_errors)
    if n_splits < ENOUGH_SPLITS and len(comparison.done) > 1:
        yield (
            f"{_splits(shown).capitalize()} rarely {'show' if n_splits > 1 else 'shows'} differences between "
            f"methods: with {ENOUGH_SPLITS} splits, fewer methods may be as good as the best."
        )


def _guessing(comparison: Comparison) -> str:
    if _is_numbers(comparison):
        return "always predicting the mean"
    if comparison.protocol.score == "balanced":
        return "guessing"
    return "always guessing the largest class"


def _what_is_missed(comparison: Comparison) -> str:
    if _is_numbers(comparison):
        return "the variance of held-out points"
    if comparison.protocol.score == "balanced":
        return "held-out points, each class counting the same,"
    return "held-out points"


def _best_of(comparison: Comparison) -> str:
    n_done = len(comparison.done)
    return f"the best of {n_done} methods" if n_done > 1 else "the method"


def _splits(*results: MethodResult) -> str:
    """Return the number of splits as text, or the smallest and the largest number."""
    fewest, most = (end(len(result.test_errors) for result in results) for end in (min, max))
    if most == 1:
        return "one split"
    return f"{most} splits" if fewest == most else f"{fewest} to {most} splits"


def _is_numbers(comparison: Comparison) -> bool:
    return comparison.task == "regression"
