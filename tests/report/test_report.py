import base64
import csv
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree.ElementTree import TreeBuilder

import numpy as np
import pytest
from sklearn.datasets import load_wine

from discrimap.comparison import Comparison, Evidence, MethodResult, Protocol, SplitMap, compare
from discrimap.comparison.evidence import Prediction
from discrimap.datasets import Dataset
from discrimap.inspection.suspects import Suspect, Suspects
from discrimap.registry import METHODS
from discrimap.report import look_closer, summarise, suspects_csv, text_table, to_html, to_json
from discrimap.report.charts import feature_rows
from discrimap.report.citations import bibtex_of
from discrimap.report.provenance import record_provenance


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    comparison = compare(X, y, ["pca", "lda"], protocol=Protocol(n_repeats=2), data_name="wine")
    dataset = Dataset("wine", X, y, notices=("a notice",))
    return look_closer(summarise(comparison, dataset), dataset)


def made_by_hand(
    test_errors=(0.1, 0.2),
    permuted_errors=(0.5, 0.6),
    train_errors=(0.09, 0.13),
):
    rng = np.random.default_rng(0)
    maps = SplitMap(
        rng.standard_normal((8, 2)), rng.standard_normal((4, 2)), np.arange(8), np.arange(8, 12)
    )
    good = MethodResult(
        name="pca",
        label="PCA",
        status="done",
        n_components=2,
        test_errors=test_errors,
        train_errors=train_errors,
        permuted_errors=permuted_errors,
        seconds=0.5,
        n_fitted=8,
        splits=(0, 1),
        first_map=maps,
        p_worse=1.0,
        is_as_good_as_best=True,
    )
    bad = MethodResult("lda", "LDA", "failed", "ValueError: <b>no</b>")
    comparison = Comparison(
        "by <i>hand</i>",
        12,
        3,
        {"x": 6, "<script>": 6},
        0.5,
        Protocol(n_repeats=2),
        (good, bad),
        evidence=Evidence(0.001, (0.001, 0.002), 1, 999),
        shown="pca",
    )
    labels = np.array(["<script>", "x"] * 6)
    return summarise(comparison, Dataset("by hand", rng.standard_normal((12, 3)), labels))


class Page(HTMLParser):
    """The elements of a page as a tree, and what they hold."""

    def __init__(self, text):
        super().__init__()
        self._builder = TreeBuilder()
        self.feed(text)
        self.root = self._builder.close()
        self.elements = list(self.root.iter())

    def handle_starttag(self, tag, attributes):
        self._builder.start(tag, dict(attributes))
        if tag in ("meta", "input", "wbr"):
            self._builder.end(tag)

    def handle_startendtag(self, tag, attributes):
        self._builder.start(tag, dict(attributes))
        self._builder.end(tag)

    def handle_endtag(self, tag):
        self._builder.end(tag)

    def handle_data(self, data):
        self._builder.data(data)

    def part(self, name):
        """The element with this id."""
        (found,) = (element for element in self.elements if element.get("id") == name)
        return found

    def rows(self, name):
        """The cells of the tables of a section, below their headings."""
        rows = self.part(name).iterfind(".//tbody/tr")
        return [[cell for cell in row if cell.tag in ("th", "td")] for row in rows]

    @property
    def facts(self):
        facts = self.part("data").iterfind(".//dl/div")
        return {words_of(fact.find("dt")): words_of(fact.find("dd")) for fact in facts}

    @property
    def verdict(self):
        return tuple(map(words_of, self.part("verdict").iterfind("p")))

    @property
    def has_found_something(self):
        return "nothing" not in self.part("verdict").get("class").split()

    @property
    def map_data(self):
        return json.loads(self.part("map-data").text)


def words_of(element):
    return " ".join("".join(element.itertext()).split())


def numbers_in(text):
    return [float(found.replace(",", "")) for found in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


def in_percent(errors):
    """Mean and, from two on, spread, up to the last digit that is written."""
    spread = [np.std(errors, ddof=1)] if len(errors) > 1 else []
    return pytest.approx([100 * x for x in (np.mean(errors), *spread)], abs=0.0501)


def unpacked(text, dtype):
    return np.frombuffer(base64.b64decode(text), dtype)


def test_the_table_shows_means_and_spreads():
    comparison = (summary := made_by_hand()).comparison
    lines = [line.strip() for line in text_table(summary).splitlines()]
    good, bad = comparison.results
    (row,) = (line for line in lines if line.startswith(f"* {good.label}  "))
    (headings,) = (line for line in lines if line.startswith("method "))
    cells = dict(zip(*(re.split(r"  +", line) for line in (headings, row)), strict=True))
    assert numbers_in(cells["d"]) == [good.n_components]
    assert numbers_in(cells["held-out error"]) == in_percent(good.test_errors)
    assert numbers_in(cells["training error"]) == in_percent(good.train_errors)
    assert numbers_in(cells["permuted labels"]) == in_percent(good.permuted_errors)
    assert numbers_in(cells["seconds"]) == [good.seconds]
    assert numbers_in(cells["rows x splits"]) == [good.n_fitted, len(good.splits)]
    assert lines[-1].split(": ", 2) == [bad.label, bad.status, bad.reason]
    n_sentences = len(summary.verdict)
    assert lines[:n_sentences] == list(summary.verdict)
    protocol = comparison.protocol
    assert numbers_in(lines[n_sentences + 1]) == [
        comparison.n_samples,
        comparison.n_features,
        len(comparison.class_counts),
        protocol.n_neighbors,
        protocol.n_components,
        protocol.n_repeats,
    ]


def test_text_from_data_is_escaped_in_the_page():
    comparison = (summary := made_by_hand()).comparison
    page = Page(to_html(summary))
    counts = re.findall(r"(\S+) \((\d+)\)", words_of(page.part("data")))
    assert {name: int(count) for name, count in counts} == comparison.class_counts
    (heading,) = page.root.iter("h1")
    assert words_of(heading).startswith(f"{comparison.data_name}:")
    failed = comparison.results[1]
    assert words_of(page.rows("methods")[1][1]) == f"{failed.status}: {failed.reason}"
    tags = [element.tag for element in page.elements]
    assert {"b", "i"}.isdisjoint(tags)
    assert tags.count("script") == 2  # both are ours


def test_one_split_has_no_spread_and_none_is_claimed(wine):
    X, y = load_wine(return_X_y=True)
    dataset = Dataset("wine", X, y)
    comparison = compare(X, y, ["pca"], protocol=Protocol(n_repeats=1))
    once = look_closer(summarise(comparison, dataset), dataset)
    for summary, has_spread in ((wine, True), (once, False)):
        page = Page(to_html(summary))
        curve = summary.inspection.dimensions
        assert curve.has_spread == has_spread
        shown = [numbers_in(words_of(error)) for _, error in page.rows("dimensions-0")]
        assert shown == [in_percent(errors) for errors in curve.errors]
        for result, cells in zip(summary.comparison.done, page.rows("methods"), strict=True):
            for cell, errors in zip(
                (cells[1], cells[3], cells[4]),
                (result.test_errors, result.permuted_errors, result.train_errors),
                strict=True,
            ):
                assert numbers_in(words_of(cell)) == in_percent(errors)
        dimensions, methods = (words_of(page.part(name)) for name in ("dimensions-0", "methods"))
        assert f"With {curve.enough} component" in dimensions
        assert ("standard deviation" in methods) == has_spread
        assert ("one split" in dimensions) != has_spread
        assert ("\u00b1" in words_of(page.part("content"))) == has_spread
        table = text_table(summary)
        assert ("\u00b1" in table) == has_spread
        assert (" sd " in table) == has_spread


@pytest.mark.parametrize(
    ("errors", "not_tried", "words"),
    [
        ([(0.3,), (0.2,), (0.1,)], (7,), "still falling at 5 components; more were not tried"),
        (
            [(0.3,), (0.1,), (0.2,)],
            (7,),
            "More than 5 components were not tried, for lack of time.",
        ),
        (
            [(0.3,), (0.1,), (0.2,)],
            (4,),
            "on 1 of the 3 splits, for lack of time. With 2 components",
        ),
        (
            [(0.3,) * 3, (0.1,) * 3, (0.2,) * 3],
            (),
            "by its number of components, on 3 splits. With 2",
        ),
    ],
)
def test_the_page_says_what_a_curve_rests_on(wine, errors, not_tried, words):
    curve = replace(
        wine.inspection.dimensions,
        n_components=(1, 2, 5),
        errors=tuple(errors),
        not_tried=not_tried,
        n_splits=3,
    )
    summary = replace(wine, inspection=replace(wine.inspection, dimensions=curve))
    assert words in words_of(Page(to_html(summary)).part("dimensions-0"))


def test_the_page_needs_nothing_from_outside(wine):
    text = to_html(wine)
    page = Page(text)
    links = [
        value
        for element in page.elements
        for name, value in element.items()
        if name in ("src", "href", "srcset", "action", "data")
    ]
    assert links
    assert all(link.startswith("#") for link in links)
    policy = next(e.get("content") for e in page.root.iter("meta") if e.get("http-equiv"))
    assert policy.startswith("default-src 'none'; ")
    assert "http:" not in policy
    assert "https:" not in policy


def test_the_page_holds_every_section_in_order(wine):
    page = Page(to_html(wine))
    sections = [
        "data",
        "methods",
        "maps",
        "features",
        "labels",
        "confusions",
        "dimensions",
        "run",
    ]
    assert [section.get("id") for section in page.root.iter("section")] == sections
    parts = [element.get("id") for element in page.elements]
    assert parts.index("verdict") < parts.index("data")
    assert page.verdict == wine.verdict == wine.comparison.verdict
    assert page.has_found_something == wine.evidence.is_convincing
    notes = [words_of(note) for note in page.part("data").iter("li")]
    assert notes == ["A notice"]  # with a capital, as a sentence begins
    entries = {run.name: run.bibtex for run in wine.provenance.methods}
    assert [entry.text for entry in page.root.iter("pre")] == list(entries.values())
    assert entries["lda"].startswith("@article{rao1948")


def test_the_page_shows_the_numbers_of_the_comparison(wine):
    page, comparison = Page(to_html(wine)), wine.comparison
    shown = [numbers_in(number) for number in page.facts.values()]
    counts = [comparison.n_samples, comparison.n_features, len(comparison.class_counts)]
    assert shown[:3] == [[count] for count in counts]
    assert shown[3:] == [in_percent([comparison.chance_error])]
    for result, cells in zip(comparison.done, page.rows("methods"), strict=True):
        label, error, _, control, training, gap, n_components, basis, seconds = cells
        assert numbers_in(words_of(basis)) == [result.n_fitted, len(result.splits)]
        assert label.text.strip() == result.label
        assert ("≈ best" in words_of(label)) == result.is_as_good_as_best
        assert ("shown" in words_of(label)) == (result.name == comparison.shown)
        assert float(error.get("data-sort")) == result.test_error
        assert float(control.get("data-sort")) == np.mean(result.permuted_errors)
        assert float(training.get("data-sort")) == np.mean(result.train_errors)
        assert float(gap.get("data-sort")) == result.gap
        assert int(n_components.get("data-sort")) == result.n_components
        assert float(seconds.get("data-sort")) == result.seconds
        assert numbers_in(error.text) == in_percent(result.test_errors)


def test_the_page_shows_the_numbers_of_the_inspection(wine):
    page, inspection = Page(to_html(wine)), wine.inspection
    confusion = [[words_of(cell) for cell in cells] for cells in page.rows("confusions-0")]
    assert tuple(name for name, *_ in confusion) == inspection.confusion.class_names
    counts = [[float(count) for count in row] for _, *row, _ in confusion]
    np.testing.assert_array_equal(counts, inspection.confusion.counts)
    suspects = [[words_of(cell) for cell in cells] for cells in page.rows("labels")]
    assert suspects
    assert [(int(row) - 1, given, other) for row, given, other, *_ in suspects] == [
        (item.row, item.given, item.suggested) for item in inspection.suspects.items
    ]
    assert inspection.suspects.n_checked == 178
    names = [words_of(cells[0]) for cells in page.rows("features-0")]
    features = inspection.features
    assert names == [features.feature_names[feature] for feature in features.ranking]
    _, _, value, interval, *_ = (words_of(cell) for cell in page.rows("features-0")[0])
    first = features.ranking[0]
    shown = [float(x.replace("\u2212", "-").replace(",", "")) for x in interval.split(" to ")]
    assert float(value.replace("\u2212", "-")) == pytest.approx(
        features.loadings[0, first], rel=0.006
    )
    assert shown == pytest.approx(features.intervals[:, 0, first], rel=0.006)

    maps, drawn = inspection.maps, page.map_data
    assert [entry["name"] for entry in drawn["classes"]] == list(wine.class_names)
    assert drawn["nNeighbors"] == wine.comparison.protocol.n_neighbors
    assert drawn["nTraining"] == np.count_nonzero(~maps.is_held_out)
    assert drawn["valueNames"] == list(maps.value_names)
    np.testing.assert_array_equal(unpacked(drawn["rows"], "<u4"), maps.rows + 1)
    np.testing.assert_array_equal(unpacked(drawn["labels"], "<i4"), maps.target)
    np.testing.assert_array_equal(
        unpacked(drawn["values"], "<f4"), maps.values.astype("<f4").ravel()
    )
    for entry, method in zip(drawn["methods"], maps.methods, strict=True):
        assert (entry["name"], entry["label"]) == (method.name, method.label)
        assert entry["nComponents"] == method.coordinates.shape[1]
        coordinates = unpacked(entry["coordinates"], "<f4")
        np.testing.assert_array_equal(coordinates, method.coordinates.astype("<f4").ravel())


@pytest.mark.parametrize("name", ["90 % interval", "variation between refits"])
def test_page_and_json_call_the_intervals_by_their_name(wine, name):
    features = replace(wine.inspection.features, interval_name=name)
    summary = replace(wine, inspection=replace(wine.inspection, features=features))
    section = Page(to_html(summary)).part("features-0")
    headings = [words_of(heading) for heading in section.iter("th")]
    assert headings.count(name) == len(features.loadings)
    lead = words_of(section.find("p"))
    assert ("Lines are 90 % intervals" in lead) == (name == "90 % interval")
    assert ("Lines show the variation between 50 refits" in lead) == (name != "90 % interval")
    assert json.loads(to_json(summary))["inspection"]["features"]["interval_name"] == name


@pytest.mark.parametrize("scale", [1e-8, 1e-4, 1.0, 1e4, 1e8])
def test_loadings_have_three_digits_at_any_scale(wine, scale):
    features = wine.inspection.features
    loadings, intervals = scale * features.loadings, scale * features.intervals
    loadings[:, 0], intervals[:, :, 0] = 1e-17 * scale, 0.0  # a constant feature, up to rounding
    rows = dict(feature_rows(replace(features, loadings=loadings, intervals=intervals)))
    for feature, name in enumerate(features.feature_names):
        for component, whisker in enumerate(rows[name]):
            texts = [whisker.value, *whisker.interval.split(" to ")]
            values = [loadings[component, feature], *intervals[:, component, feature]]
            written = [float(x.replace("\u2212", "-").replace(",", "")) for x in texts]
            assert written == pytest.approx(values, rel=0.00501, abs=1e-12 * scale)
            assert all(len(re.sub(r"e.*|[^\d]", "", x).lstrip("0")) >= 3 for x in texts) or (
                feature == 0 and texts == ["0", "0", "0"]
            )


def test_the_page_of_ten_thousand_points_stays_below_eight_megabytes():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((10_000, 100))
    y = np.arange(10_000) % 10
    X[:, :10] += 3 * np.eye(10)[y]
    held_out = np.arange(6667, 10_000)
    split = SplitMap(X[:6667, :2], X[6667:, :2], np.arange(6667), held_out)
    prediction = Prediction(held_out, y[held_out], rng.permutation(y[held_out]))
    results = tuple(
        MethodResult(
            method.name,
            method.label,
            "done",
            "",
            2,
            (0.1,),
            (0.1,),
            (0.9,),
            seconds=1.0,
            splits=(0,),
            first_map=split,
            predictions=(prediction,),
        )
        for method in METHODS
    )
    counts = {str(label): 1000 for label in range(10)}
    comparison = Comparison("large", 10_000, 100, counts, 0.9, Protocol(), results)
    ids = np.array([f"sample-{row:024d}" for row in range(10_000)])
    noise = rng.integers(0, 256, (10_000, 32, 32), dtype=np.uint8)
    words = np.array([f"{row} {'word ' * 50}" for row in range(10_000)])
    more = {"id_name": "name", "ids": ids, "texts": words, "images": noise}
    dataset = Dataset("large", X, y, **more)
    # No time for refits: every part says so, the maps are there all the same.
    summary = look_closer(summarise(comparison, dataset), dataset, seconds=0.0)
    text = to_html(summary)
    assert 4e6 < len(text.encode()) < 8e6
    page, inspection = Page(text), summary.inspection
    assert len(inspection.maps.methods) >= 10
    assert len(inspection.maps.value_names) >= 8
    drawn = page.map_data
    assert len(unpacked(drawn["rows"], "<u4")) == len(dataset.X)
    assert drawn["nTraining"] == len(split.train)
    best = [result.name for result in results[: len(inspection.maps.methods)]]
    assert [entry["name"] for entry in drawn["methods"]] == best
    assert drawn["ids"] == ids[inspection.maps.rows].tolist()
    for row, text in zip(inspection.maps.rows[:9], drawn["texts"][:9], strict=True):
        assert len(text) > 30
        assert words[row].startswith(text.removesuffix("\u2026"))
    assert inspection.maps.pictures.n_pictures == drawn["pictures"]["n"] > 1000
    counts = inspection.confusion.counts
    assert counts.sum() == len(held_out)
    for place, method in enumerate(METHODS):
        panel = page.part(f"confusions-{place}")
        assert panel.get("data-of-method") == method.name
        assert panel.get("hidden", "shown") == (None if place else "shown")
        cells = [[words_of(cell) for cell in row[1:-1]] for row in page.rows(f"confusions-{place}")]
        np.testing.assert_array_equal(np.array(cells, dtype=int), counts)
    for name, reason in {
        "features-0": inspection.features,
        "labels": inspection.suspects,
        "dimensions-0": inspection.dimensions,
    }.items():
        assert "too long" in reason
        assert [words_of(words) for words in page.part(name).iter("p")] == [reason]
        assert page.rows(name) == []


def test_json_holds_what_the_page_shows(wine):
    values = json.loads(to_json(wine))
    for row, result in zip(values["results"], wine.comparison.results, strict=True):
        assert row["name"] == result.name
        for errors in ("test_errors", "train_errors", "permuted_errors"):
            assert tuple(row[errors]) == getattr(result, errors)
    assert {row["name"] for row in values["results"]} == {"pca", "lda"}
    assert values["verdict"] == list(wine.verdict)
    assert values["evidence"]["p_value"] == pytest.approx(wine.evidence.p_value, rel=1e-6)
    maps, drawn = values["inspection"]["maps"], wine.inspection.maps
    assert sorted(maps["rows"]) == list(range(1, 179))
    for entry, method in zip(maps["methods"], drawn.methods, strict=True):
        assert np.shape(entry["coordinates"]) == (178, 2)
        np.testing.assert_allclose(entry["coordinates"], method.coordinates, rtol=1e-6)
    assert values["inspection"]["confusion"]["counts"] == wine.inspection.confusion.counts.tolist()
    # Samples that one of the two splits held out.
    predictions = wine.comparison.shown_result.predictions
    held_out = {row for one in predictions for row in one.rows}
    assert np.sum(values["inspection"]["confusion"]["counts"]) == len(held_out) < 178
    assert "judged" not in values["inspection"]["confusion"]
    for run in values["provenance"]["methods"]:
        assert run["bibtex"] == bibtex_of(run["name"]) != ""


def suspects_of(n_found, n_estimated, id_name="name", n_checked=2000):
    items = tuple(
        Suspect(7 * i, f"id {i}" if id_name else None, "a", 'b,"c"', 0.0, 1.0, 1 - i / n_checked)
        for i in range(n_found)
    )
    return Suspects((("LDA", 2),), 15, n_checked, n_found, n_estimated, id_name, items)


def with_suspects(summary, suspects):
    return replace(summary, inspection=replace(summary.inspection, suspects=suspects))


def shown_suspects(page, name):
    """The rows of one of the tables of suspicious labels; none if it is not there."""
    tables = [element for element in page.elements if element.get("id") == name]
    return [
        [words_of(cell) for cell in row] for table in tables for row in table.iterfind("tbody/tr")
    ]


@pytest.mark.parametrize("id_name", ["name", None])
def test_page_json_and_csv_hold_the_same_suspects_and_count_rows_alike(wine, id_name):
    suspects = suspects_of(12, 3, id_name)
    summary = with_suspects(wine, suspects)
    page = Page(to_html(summary))
    listed, rest = (shown_suspects(page, name) for name in ("suspects", "suspects-rest"))
    assert (len(listed), len(rest)) == (3, 9)
    found = json.loads(to_json(summary))["inspection"]["suspects"]
    assert (found["n_found"], found["n_estimated"], found["id_name"]) == (12, 3, id_name)
    header, *lines = csv.reader(suspects_csv(suspects).splitlines())
    ids = ["id"] if id_name else []
    assert header == ["row", *ids, "given", "suggested", "score", "listed"]
    for i, (cells, item, line) in enumerate(zip(listed + rest, found["items"], lines, strict=True)):
        row = 7 * i + 1
        ids = [f"id {i}"] if id_name else []
        assert cells[: len(line) - 2] == [str(row), *ids, "a", 'b,"c"']
        assert (item["row"], item["id"]) == (row, ids[0] if ids else None)
        score, is_listed = line[-2:]
        assert line[:-2] == [str(row), *ids, "a", 'b,"c"']
        assert float(score) == item["score"] == pytest.approx(suspects.items[i].score, rel=1e-6)
        assert is_listed == ("true" if i < 3 else "false")


def test_the_page_holds_five_hundred_suspects_and_the_files_all(wine):
    suspects = suspects_of(1234, 56)
    summary = with_suspects(wine, suspects)
    page = Page(to_html(summary))
    assert len(shown_suspects(page, "suspects")) == 56
    assert len(shown_suspects(page, "suspects-rest")) == 444
    assert "500 most suspicious" in words_of(page.part("labels"))
    assert len(json.loads(to_json(summary))["inspection"]["suspects"]["items"]) == 1234
    assert len(suspects_csv(suspects).splitlines()) == 1235


@pytest.mark.parametrize(
    ("n_found", "n_estimated", "estimate", "is_overlap_told"),
    [
        (0, 0, "None of 2,000 labels is estimated to be wrong.", False),
        (9, 0, "None of 2,000 labels is estimated to be wrong.", True),
        (9, 1, "1 of 2,000 labels is estimated to be wrong.", True),
        (9, 9, "9 of 2,000 labels are estimated to be wrong.", False),
    ],
)
def test_the_page_says_how_many_labels_are_estimated_to_be_wrong(
    wine, n_found, n_estimated, estimate, is_overlap_told
):
    page = Page(to_html(with_suspects(wine, suspects_of(n_found, n_estimated))))
    section = page.part("labels")
    assert words_of(section.find("p/strong")) == estimate
    assert ("where classes overlap; these are not counted" in words_of(section)) == is_overlap_told
    # What is not listed can be opened, and is closed at first.
    details = [element.get("open") for element in section.iter("details")]
    assert details == ([None] if n_found > n_estimated else [])


def test_numbers_far_off_are_all_listed(rng):
    X = rng.standard_normal((100, 2)) * [10, 1]
    y = X[:, 0].copy()
    y[7] += 200
    dataset = Dataset("numbers", X, y)
    comparison = compare(X, y, ["pca"], task="regression", protocol=Protocol(n_repeats=1))
    summary = look_closer(summarise(comparison, dataset), dataset)
    found = summary.inspection.suspects
    assert found.items[0].row == 7
    assert found.n_estimated == found.n_found
    page = Page(to_html(summary))
    assert f"{found.n_found} of 100 numbers" in words_of(page.part("labels"))
    rows = [row for row, *_ in shown_suspects(page, "suspects")]
    assert rows == [str(item.row + 1) for item in found.items]
    assert shown_suspects(page, "suspects-rest") == []


def test_a_comparison_without_results_still_has_a_page():
    failed = MethodResult("lda", "LDA", "failed", "broken")
    comparison = Comparison("none", 3, 2, {"a": 2, "b": 1}, 0.3, Protocol(), (failed,))
    dataset = Dataset("none", np.eye(3, 2), np.array(["a", "a", "b"]))
    summary = look_closer(summarise(comparison, dataset), dataset)
    page = Page(to_html(summary))
    assert summary.evidence is summary.inspection is None
    assert page.verdict == summary.verdict == comparison.verdict
    (verdict,) = page.verdict
    assert verdict.startswith("No method")
    assert not page.has_found_something
    rows = [[words_of(cell) for cell in cells] for cells in page.rows("methods")]
    assert rows == [[failed.label, f"{failed.status}: {failed.reason}"]]
    assert "map-data" not in [element.get("id") for element in page.elements]


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


def ending_of(**known):
    comparison = made_by_hand().comparison
    result = replace(comparison.results[0], **{"iterations": (7, 9), **known})
    return record_provenance(replace(comparison, results=(result,))).methods[0].ending


SIGNS = {"flat", "slow", "at least one fit", "converge", "max_iter", "at most", "no iterations"}


@pytest.mark.parametrize(
    ("known", "signs", "numbers"),
    [
        ({"stopping_reasons": ("flat", "slow")}, {"flat", "slow"}, [1, 1]),
        ({"stopping_reasons": ("flat", "slow", "flat")}, {"flat", "slow"}, [2, 1]),
        ({"notices": ("it did not converge",)}, {"at least one fit", "converge"}, []),
        ({"parameters": {"max_iter": 9}}, {"max_iter"}, [9]),
        ({"parameters": {"max_iter": 10}}, {"at most"}, [9]),
        ({"iterations": ()}, {"no iterations"}, []),
    ],
)
def test_how_a_fit_ended_is_told_and_never_guessed(known, signs, numbers):
    ending = ending_of(**known)
    assert {sign for sign in SIGNS if sign in ending} == signs
    assert numbers_in(ending) == numbers


def test_a_reason_to_stop_that_all_fits_share_is_told_as_it_is():
    assert ending_of(stopping_reasons=("the gradient is small",) * 2) == "the gradient is small"


@pytest.mark.parametrize("name", ["sda", "dc", "mrmi", "category", "kernel-category"])
def test_the_reason_to_stop_comes_from_the_method(name):
    X, y = load_wine(return_X_y=True)
    X, y = X[::4, :3], y[::4]
    comparison = compare(X, y, [name], protocol=Protocol(n_repeats=1), n_jobs=1)
    (reason,) = comparison.results[0].stopping_reasons
    assert record_provenance(comparison).methods[0].ending == reason != ""
