import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.datasets import load_wine

from discrimap.comparison import Comparison, MethodResult, Protocol, SplitMap, compare
from discrimap.datasets import Dataset
from discrimap.registry import METHODS
from discrimap.report import look_closer, summarise, text_table, to_html, to_json
from discrimap.report.citations import bibtex_of
from discrimap.report.provenance import record_provenance


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    comparison = compare(X, y, ["pca", "lda"], protocol=Protocol(n_repeats=2), data_name="wine")
    dataset = Dataset("wine", X, y, notices=("a notice",))
    return look_closer(summarise(comparison, dataset), dataset)


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


class Page(HTMLParser):
    """The elements of a page and the words outside of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.words, self._inside = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag in ("script", "style"):
            self._inside.append(tag)

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self._inside.pop()

    def handle_data(self, data):
        if not self._inside:
            self.words.append(data)


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
    page = Page(to_html(made_by_hand()))
    text = " ".join(page.words)
    assert "<script> (6)" in text
    assert "by <i>hand</i>" in text
    assert "ValueError: <b>no</b>" in text
    assert {"b", "i"}.isdisjoint(tag for tag, _ in page.elements)
    assert sum(tag == "script" for tag, _ in page.elements) == 2  # both are ours


def test_one_split_has_no_spread_and_none_is_claimed(wine):
    X, y = load_wine(return_X_y=True)
    dataset = Dataset("wine", X, y)
    comparison = compare(X, y, ["pca"], protocol=Protocol(n_repeats=1))
    once = look_closer(summarise(comparison, dataset), dataset)
    for summary, n_splits in ((wine, 2), (once, 1)):
        text = " ".join(Page(to_html(summary)).words)
        for words in ("within one standard error", "standard deviation of", "\u00b1"):
            assert (words in text) == (n_splits > 1)
        assert ("\u00b1 sd of" in text_table(summary)) == (n_splits > 1)
    assert "on the one split there was" in text
    curve = once.inspection.dimensions
    assert curve.means[curve.n_components.index(curve.enough)] == min(curve.means)


def test_the_page_needs_nothing_from_outside(wine):
    text = to_html(wine)
    page = Page(text)
    links = [
        value
        for _, attributes in page.elements
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "action", "data")
    ]
    assert links
    assert all(link.startswith("#") for link in links)
    policy = next(a["content"] for tag, a in page.elements if tag == "meta" and "http-equiv" in a)
    assert policy.startswith("default-src 'none'; ")
    assert "http:" not in policy
    assert "https:" not in policy


def test_the_page_holds_every_section_in_order(wine):
    page = Page(to_html(wine))
    sections = [attributes.get("id") for tag, attributes in page.elements if tag == "section"]
    assert sections == [
        "data",
        "methods",
        "maps",
        "features",
        "labels",
        "confusions",
        "dimensions",
        "run",
    ]
    text = " ".join(" ".join(page.words).split())
    assert text.index("separates the classes best") < text.index("The data")
    assert "A notice" in text  # with a capital, as a sentence begins
    for result in wine.comparison.done:
        assert f"{100 * result.test_error:.1f} ±" in text
    assert "@article{rao1948" in text


def test_the_page_of_ten_thousand_points_stays_below_eight_megabytes():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((10_000, 100))
    y = np.arange(10_000) % 10
    X[:, :10] += 3 * np.eye(10)[y]
    split = SplitMap(X[:6667, :2], X[6667:, :2], np.arange(6667), np.arange(6667, 10_000))
    results = tuple(
        MethodResult(
            method.name, method.label, "done", "", 2, (0.1,), (0.1,), (0.9,), 1.0, first_map=split
        )
        for method in METHODS
    )
    counts = {str(label): 1000 for label in range(10)}
    comparison = Comparison("large", 10_000, 100, counts, 0.9, Protocol(), results)
    dataset = Dataset("large", X, y)
    # No time for refits: every part says so, the maps are there all the same.
    summary = look_closer(summarise(comparison, dataset), dataset, seconds=0.0)
    page = to_html(summary)
    assert 5e6 < len(page.encode()) < 8e6
    assert len(summary.inspection.maps.methods) >= 10
    assert len(summary.inspection.maps.value_names) >= 8
    assert "takes too long" in page


def test_json_holds_what_the_page_shows(wine):
    values = json.loads(to_json(wine))
    assert {row["name"] for row in values["results"]} == {"pca", "lda"}
    assert values["verdict"] == list(wine.verdict)
    maps = values["inspection"]["maps"]
    assert len(maps["rows"]) == 178
    assert np.shape(maps["methods"][0]["coordinates"]) == (178, 2)
    assert np.shape(values["inspection"]["confusion"]["counts"]) == (3, 3)
    assert values["provenance"]["methods"][0]["bibtex"].startswith("@")


def test_a_comparison_without_results_still_has_a_page():
    failed = MethodResult("lda", "LDA", "failed", "broken")
    comparison = Comparison("none", 3, 2, {"a": 2, "b": 1}, 0.3, Protocol(), (failed,))
    dataset = Dataset("none", np.eye(3, 2), np.array(["a", "a", "b"]))
    page = to_html(look_closer(summarise(comparison, dataset), dataset))
    assert "No method could be fitted" in page
    assert "failed: broken" in page


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_has_its_paper_in_bibtex(method):
    entry = bibtex_of(method.name)
    cited = method.citation
    title = re.search(r"title\s*=\s*\{(.*?)\}", entry)[1]
    assert cited.split()[0].rstrip(",") in entry  # first author
    assert title.lower().replace(",", "")[:25] in cited.lower().replace(",", "")
    year = re.search(r"year\s*=\s*\{(\d+)\}", entry)
    assert year is None or year[1] in cited
    assert entry.count("{") == entry.count("}")


@pytest.mark.parametrize(
    ("known", "ending"),
    [
        ({"stopping_reasons": ("the gradient is small",) * 2}, "the gradient is small"),
        ({"stopping_reasons": ("small", "slow")}, "small (1 split); slow (1 split)"),
        ({"notices": ("it did not converge",)}, "in at least one fit: it did not converge"),
        ({"parameters": {"max_iter": 9}}, "max_iter=9 iterations were reached"),
        ({"parameters": {"max_iter": 10}}, "after 9 iterations at most"),
        ({"iterations": ()}, "no iterations reported"),
    ],
)
def test_how_a_fit_ended_is_told_and_never_guessed(known, ending):
    comparison = made_by_hand().comparison
    result = replace(comparison.results[0], **{"iterations": (7, 9), **known})
    provenance = record_provenance(replace(comparison, results=(result,)))
    assert provenance.methods[0].ending == ending


@pytest.mark.parametrize("name", ["sda", "dc", "mrmi", "category", "kernel-category"])
def test_the_reason_to_stop_comes_from_the_method(name):
    X, y = load_wine(return_X_y=True)
    X, y = X[::4, :3], y[::4]
    comparison = compare(X, y, [name], protocol=Protocol(n_repeats=1), n_jobs=1)
    (reason,) = comparison.results[0].stopping_reasons
    assert record_provenance(comparison).methods[0].ending == reason != ""
