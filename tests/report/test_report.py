import re

import numpy as np
import pytest
from sklearn.datasets import load_wine

from discrimap.comparison import Comparison, MethodResult, Protocol, SplitMap, compare
from discrimap.datasets import Dataset
from discrimap.report import summarise, text_table, to_html


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    comparison = compare(X, y, ["pca", "lda"], protocol=Protocol(n_repeats=2), data_name="wine")
    return comparison, Dataset("wine", X, y, notices=("a notice",))


def made_by_hand(test_errors=(0.1, 0.2), permuted_errors=(0.5, 0.6), name="pca"):
    rng = np.random.default_rng(0)
    maps = SplitMap(
        rng.standard_normal((8, 2)), rng.standard_normal((4, 2)), np.arange(8), np.arange(8, 12)
    )
    good = MethodResult(
        name=name,
        label="PCA",
        status="done",
        n_components=2,
        test_errors=test_errors,
        train_errors=test_errors,
        permuted_errors=permuted_errors,
        seconds=0.5,
        first_map=maps,
    )
    bad = MethodResult("lda", "LDA", "failed", "ValueError: <b>no</b>")
    comparison = Comparison(
        "by <i>hand</i>", 12, 3, {"x": 6, "<script>": 6}, 0.5, Protocol(), (good, bad)
    )
    labels = np.array(["<script>", "x"] * 6)
    return summarise(comparison, Dataset("by hand", rng.standard_normal((12, 3)), labels))


def test_the_table_shows_means_and_spreads():
    text = text_table(made_by_hand((0.1, 0.2), (0.5, 0.6)))
    row = next(line for line in text.splitlines() if line.strip().startswith("PCA  "))
    assert re.split(r"  +", row.strip()) == [
        "PCA",
        "2",
        "15.0 ± 7.1 %",
        "15.0 ± 7.1 %",
        "55.0 ± 7.1 %",
        "0.50",
    ]
    assert "LDA: failed: ValueError: <b>no</b>" in text


def test_text_from_data_is_escaped_in_the_page():
    page = to_html(made_by_hand())
    assert "<script" not in page
    assert "&lt;script&gt; (6)" in page
    assert "by &lt;i&gt;hand" in page
    assert "ValueError: &lt;b&gt;no" in page


def test_the_page_needs_nothing_from_outside(wine):
    comparison, dataset = wine
    page = to_html(summarise(comparison, dataset))
    assert re.findall(r'(?:src|href)="(?!data:)', page) == []
    assert "a notice" in page
    for result in comparison.done:
        assert f"{100 * result.test_error:.1f} ±" in page


def test_a_comparison_without_results_still_has_a_page():
    failed = MethodResult("lda", "LDA", "failed", "broken")
    comparison = Comparison("none", 3, 2, {"a": 2, "b": 1}, 0.3, Protocol(), (failed,))
    dataset = Dataset("none", np.eye(3, 2), np.array(["a", "a", "b"]))
    page = to_html(summarise(comparison, dataset))
    assert "No method could be fitted" in page
    assert "failed: broken" in page
