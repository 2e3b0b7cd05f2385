"""The sentences of a verdict follow from the results."""

import re

import pytest

from discrimap.comparison import Comparison, Evidence, MethodResult, Protocol
from discrimap.comparison.evidence import LEVEL
from discrimap.comparison.verdict import LARGE_GAP


def result(name, label, error, *, as_good=True, gap=0.0):
    errors = tuple(error + shift for shift in (-0.01, 0.01) * 5)
    return MethodResult(
        name,
        label,
        "done",
        n_components=2,
        test_errors=errors,
        train_errors=tuple(e - gap for e in errors),
        permuted_errors=(0.6, 0.7),
        p_worse=1.0 if as_good else 0.001,
        is_as_good_as_best=as_good,
    )


def verdict(*results, p_value=0.0001, task="classification", score="error", shown=None):
    return Comparison(
        "data",
        100,
        5,
        {} if task == "regression" else {"a": 40, "b": 60},
        1.0 if task == "regression" else 0.4,
        Protocol(score=score),
        results,
        task,
        evidence=Evidence(p_value, (p_value,) * 10, len(results), 999),
        shown=shown or results[0].name,
    ).verdict


def test_ties_are_counted_and_the_simplest_is_named():
    answer, chance, *rest = verdict(
        result("kda", "KDA", 0.02),
        result("lda", "LDA", 0.04),
        result("sda", "SDA", 0.3, as_good=False),
        shown="lda",
    )
    assert answer == (
        "The classes separate: 2 of 3 methods err on 2-4 % of held-out points and do not differ significantly "
        "on 10 splits. Shown: LDA, the simplest of them (4.0 ± 1.1 %)."
    )
    assert chance.startswith("Chance does not explain it (the best of 3 methods against held-out")
    assert chance.endswith("p < 0.001); always guessing the largest class errs on 40.0 %.")
    assert rest == []


def test_one_winner_is_named_beside_the_next():
    answer = verdict(result("dc", "DC", 0.1), result("lda", "LDA", 0.3, as_good=False))[0]
    assert answer == (
        "The classes separate: DC separates them best and errs on 10.0 ± 1.1 % of held-out points; the "
        "next, LDA, on 30.0 ± 1.1 %."
    )


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (0.1, "The classes separate: "),
        (0.3, "in part: "),
        (0.39, "hardly better than always guessing"),
    ],
)
def test_the_headline_compares_with_guessing(error, words):
    assert words in verdict(result("lda", "LDA", error))[0]


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("p_value", [0.5 * LEVEL, LEVEL, 0.5])
def test_what_chance_explains_is_no_finding(task, p_value):
    answer, chance, *_ = verdict(result("pca", "PCA", 0.3), p_value=p_value, task=task)
    is_found = p_value < LEVEL
    assert answer.startswith("No evidence") != is_found
    assert chance.startswith("Chance does not" if is_found else "Chance may")
    assert float(re.search(r"p = ([\d.]+)", chance)[1]) == pytest.approx(p_value)
    assert ("target" in answer or "predicted" in answer) == (task == "regression")


@pytest.mark.parametrize("gap", [0.9 * LARGE_GAP, 1.1 * LARGE_GAP])
def test_a_training_map_that_is_too_optimistic_is_named(gap):
    cautions = verdict(result("sda", "SDA", 0.2, gap=gap))[2:]
    assert any("too optimistic" in words for words in cautions) == (gap > LARGE_GAP)


def test_methods_that_never_see_labels_are_named_among_the_best():
    cautions = verdict(result("lda", "LDA", 0.1), result("pca", "PCA", 0.12))[2:]
    assert cautions == (
        "PCA, which does not use the labels, is as good: the classes are visible without them.",
    )


def test_a_balanced_error_has_its_own_words():
    answer, chance, *_ = verdict(result("lda", "LDA", 0.1), score="balanced")
    assert "each class counting the same" in answer
    assert "largest" not in chance
