"""Whether the best picture can be trusted, in plain words."""

from __future__ import annotations

from discrimap.comparison import Comparison
from discrimap.inspection import Evidence
from discrimap.report.wording import percent

# If the training error is lower than the held-out error by this much, the training map overfits.
LARGE_GAP = 0.1


def state_verdict(comparison: Comparison, evidence: Evidence | None) -> tuple[str, ...]:
    """State the result, whether chance explains it, and whether the training map misleads.

    The best of many methods is better than a single one by chance alone, so it is tested with
    :func:`discrimap.inspection.weigh_evidence`, which takes the best of as many each time.
    """
    if not comparison.done or evidence is None:
        return ("No method could be fitted; the reasons are given with each.",)
    best = comparison.done[0]
    held_out, control = percent(best.test_errors), percent(best.permuted_errors)
    many = f"the best of {evidence.n_methods} methods" if evidence.n_methods > 1 else "the method"
    shuffled = f"of the {evidence.n_points:,} points held out first shuffled"
    if comparison.task == "regression":
        found = (
            f"{best.label} predicts the target best: its neighbours miss {held_out} of the variance "
            f"of held-out points, against {control} with permuted targets."
        )
        nothing = (
            f"No evidence that the features predict the target: {many}, {best.label}, misses "
            f"{held_out} of the variance of held-out points, and {control} with permuted targets."
        )
        labels = "numbers"
    else:
        found = (
            f"{best.label} separates the classes best: it errs on {held_out} of held-out points, "
            f"against {control} with permuted labels."
        )
        nothing = (
            f"No evidence of class structure: {many}, {best.label}, errs on {held_out} of held-out "
            f"points, and on {control} with permuted labels."
        )
        labels = "labels"
    if evidence.is_convincing:
        sentences = [
            found,
            f"Chance does not explain it: with the {labels} {shuffled} {evidence.n_relabellings:,} "
            f"times, {many} did as well in {_frequency(evidence)}.",
        ]
    else:
        sentences = [
            nothing,
            f"With the {labels} {shuffled}, {many} does as well in {_frequency(evidence)}; less than "
            "1 % would be evidence.",
        ]
    if best.gap > LARGE_GAP:
        sentences.append(
            f"Its training map flatters: the error there is {percent(best.train_errors)}. Believe "
            "the held-out map."
        )
    return tuple(sentences)


def _frequency(evidence: Evidence) -> str:
    # The real order is counted in the p-value, but not in the sentence.
    times = round(evidence.p_value * (evidence.n_relabellings + 1)) - 1
    if times == 0:
        return "none of them" if evidence.is_convincing else "none"
    return f"{100 * evidence.p_value:.2g} % of the cases"
