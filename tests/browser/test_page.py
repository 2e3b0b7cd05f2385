"""The report in a real browser."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from discrimap.comparison import Protocol, compare
from discrimap.datasets import Dataset
from discrimap.report import look_closer, summarise, to_html

NASTY = "<script>document.title='run'</script>\"&`</script>"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = np.array([NASTY, "b", "c"])[np.arange(90) % 3]
    X = rng.standard_normal((90, 4)) + 4 * np.eye(4)[np.arange(90) % 3]
    y[0], y[4] = "b", "c"  # two wrong labels
    dataset = Dataset(NASTY, X, y, feature_names=[NASTY, "f", "g", "h"])
    protocol = Protocol(n_repeats=1, n_components=3)
    comparison = compare(X, y, ["pca", "lda"], protocol=protocol, data_name=NASTY)
    summary = look_closer(summarise(comparison, dataset), dataset)
    path = tmp_path_factory.mktemp("report") / "r.html"
    path.write_text(to_html(summary))
    return path, dataset, summary.inspection.maps, summary


@pytest.fixture
def page(open_page, report):
    return open_page(report[0])


VISIBLE = "['map-training', 'map-held-out'].map((id) => document.getElementById(id).data.find((one) => one.name === 'class 0').visible)"


def test_markup_in_the_data_is_shown_and_never_run(page):
    assert page.title() != "run"
    assert NASTY in page.inner_text("h1")
    assert page.inner_text("#legend button:first-child .name") == NASTY


def test_a_class_is_hidden_in_both_maps(page):
    page.click("#legend button[data-group='0']")
    assert page.evaluate(VISIBLE) == [False, False]
    page.click("#legend button[data-group='0']")
    assert page.evaluate(VISIBLE) == [True, True]


def test_all_or_no_classes_are_shown(page):
    page.click("#show-none")
    assert page.evaluate(VISIBLE) == [False, False]
    pressed = "[...document.querySelectorAll('#legend [data-group]')].map((one) => one.ariaPressed)"
    assert page.evaluate(pressed) == ["false"] * 3
    page.click("#show-all")
    assert page.evaluate(VISIBLE) == [True, True]
    assert page.evaluate(pressed) == ["true"] * 3


def test_both_maps_zoom_in_and_out(page):
    spans = "['map-training', 'map-held-out'].map((id) => document.getElementById(id).layout.xaxis.range).map(([a, b]) => b - a)"
    whole = page.evaluate(spans)
    for button, factor in (
        ("#zoom-in", 0.6),
        ("#zoom-out", 1.0),
        ("#zoom-out", 1 / 0.6),
        ("#reset", 1.0),
    ):
        page.click(button)
        page.wait_for_function(
            f"([a, b]) => {spans}.every((now, k) => Math.abs(now - [a, b][k]) < 1e-6 * now)",
            arg=[factor * width for width in whole],
        )


def test_the_methods_can_be_sorted(page):
    names = page.locator("#methods tbody tr")
    page.click("#methods th:has-text('method') button")
    up = names.all_inner_texts()
    page.click("#methods th:has-text('method') button")
    assert up == names.all_inner_texts()[::-1]
    assert up[0].startswith("LDA")


def test_axes_can_be_chosen(page):
    page.select_option("#method", label="PCA")
    first = "Array.from(document.getElementById('map-training').data.find((one) => one.name === 'class 0').x)"
    before = page.evaluate(first)
    page.select_option("#axis-x", "2")
    page.wait_for_function(f"JSON.stringify({first}) !== {str(before).replace(' ', '')!r}")


def test_suspicious_labels_sort_and_are_found_in_the_map(page):
    rows = page.locator("#suspects .show")
    assert {int(text) for text in rows.all_inner_texts()} >= {1, 5}
    page.click("#suspects th:first-child button")
    numbers = [int(text) for text in rows.all_inner_texts()]
    assert numbers == sorted(numbers)
    for number in (1, 5):
        page.click(f"#suspects .show[data-row='{number}']")
        assert page.get_attribute("#pinned", "data-row") == str(number)
        assert page.inner_text("#pinned h4").startswith(f"Row {number} · ")
        rings = "['map-training', 'map-held-out'].map((id) => document.getElementById(id).data.at(-1).x.length)"
        assert sorted(page.evaluate(rings)) == [0, 1]


def test_the_rest_of_the_suspicious_labels_opens_by_keyboard(open_page, report, tmp_path):
    _, _, _, summary = report
    suspects = replace(summary.inspection.suspects, n_estimated=1)
    assert suspects.n_found > 1
    path = tmp_path / "r.html"
    inspection = replace(summary.inspection, suspects=suspects)
    path.write_text(to_html(replace(summary, inspection=inspection)))
    page = open_page(path)
    assert page.locator("#suspects tbody tr:visible").count() == 1
    assert page.locator("#suspects-rest tbody tr:visible").count() == 0
    page.focus("#labels summary")
    page.keyboard.press("Enter")
    assert page.locator("#suspects-rest tbody tr:visible").count() == suspects.n_found - 1
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_dark_colours_and_narrow_screens(page):
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


WHERE = """([id, x, y]) => {
  const map = document.getElementById(id), box = map.getBoundingClientRect();
  const { xaxis, yaxis } = map._fullLayout;
  return [box.left + xaxis._offset + xaxis.d2p(x), box.top + yaxis._offset + yaxis.d2p(y)];
}"""


@pytest.mark.parametrize("part", ["map-training", "map-held-out"])
def test_hover_names_row_label_values_and_neighbours(page, report, part):
    _, dataset, maps, _ = report
    places = maps.methods[0].coordinates
    training, drawn = (
        np.flatnonzero(maps.is_held_out == h) for h in (False, part != "map-training")
    )
    # The point that is furthest from all others is not taken for one of them.
    gaps = NearestNeighbors(n_neighbors=1).fit(places[drawn, :2]).kneighbors()[0][:, 0]
    point = drawn[gaps.argmax()]

    page.locator("#maps").scroll_into_view_if_needed()
    page.locator(".maps").scroll_into_view_if_needed()
    page.mouse.move(*page.evaluate(WHERE, [part, *map(float, places[point, :2])]))
    page.wait_for_selector("#tip:not([hidden])")

    row = maps.rows[point]
    what = "training" if part == "map-training" else "held out"
    assert page.inner_text("#tip h4") == f"Row {row + 1} · {dataset.y[row]} · {what}"
    assert page.locator("#tip dt").all_inner_texts() == list(maps.value_names)
    columns = [dataset.feature_names.index(name) for name in maps.value_names]
    values = [float(text) for text in page.locator("#tip dd").all_inner_texts()]
    np.testing.assert_allclose(values, dataset.X[row, columns], rtol=6e-4)

    distances = np.linalg.norm(places[training] - places[point], axis=1)
    order = [other for other in training[distances.argsort()] if other != point][:5]
    expected = [f"row {maps.rows[o] + 1} · {dataset.y[maps.rows[o]]}" for o in order]
    assert page.locator("#tip li").all_inner_texts() == expected

    page.mouse.move(5, 5)
    page.wait_for_selector("#tip", state="hidden")


def test_small_classes_lie_above_large_ones(page):
    names = "document.getElementById('map-training').data.map((one) => one.name)"
    # 31, 30 and 29 samples; points without a label lie below all.
    assert page.evaluate(names)[:4] == ["unlabelled", "class 2", "class 1", "class 0"]


def test_one_choice_of_method_for_all_sections(page, report):
    sections = ("features", "confusions", "dimensions")
    first, second = (one.name for one in report[3].inspection.methods)
    shown = {name: page.locator(f"#{name} [data-of-method]:visible") for name in sections}
    for panel in shown.values():
        assert panel.count() == 1
        assert panel.get_attribute("data-of-method") == first
    page.select_option("#features select", second)
    for panel in shown.values():
        assert panel.count() == 1
        assert panel.get_attribute("data-of-method") == second
    assert (
        page.locator("select.method-choice").evaluate_all("(all) => all.map((s) => s.value)")
        == [second] * 4
    )
    x = report[2].methods[1].coordinates[~report[2].is_held_out, 0]
    ends = "document.getElementById('map-training').layout.xaxis.range"
    page.wait_for_function(f"{ends}[0] < {x.min()} && {ends}[0] > {x.min() - np.ptp(x)}")
    page.select_option("#method", first)
    assert shown["dimensions"].get_attribute("data-of-method") == first


def test_the_table_of_methods_fits_on_a_desktop_and_numbers_on_a_phone(page):
    """At 1280 px nothing is cut; on a phone the loadings stand below their plots."""
    cut = "(element) => element.scrollWidth - element.clientWidth"
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.locator("#methods .scroll").evaluate(cut) <= 0
    loading, below = (
        page.locator(f"#features-0 {name}").nth(1) for name in ("td.loading", ".under")
    )
    assert (loading.is_visible(), below.is_visible()) == (True, False)
    page.set_viewport_size({"width": 390, "height": 800})
    assert (loading.is_visible(), below.is_visible()) == (False, True)
    assert loading.text_content() == below.text_content()


def test_one_component_has_no_second_axis_to_choose(open_page, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.standard_normal((60, 3)) + 4 * y[:, np.newaxis]
    comparison = compare(X, y, ["lda", "pca"], protocol=Protocol(n_repeats=1))
    path = tmp_path / "r.html"
    path.write_text(
        to_html(look_closer(summarise(comparison, comparison.dataset), comparison.dataset))
    )
    page = open_page(path)
    for label, has_second in (("LDA", False), ("PCA", True)):
        page.select_option("#method", label=label)
        assert page.is_visible("#axis-y") == has_second
        assert page.is_visible("#one-component") != has_second


def test_low_numbers_stand_out_from_a_dark_page(open_page, tmp_path):
    """All colours of the scale have a contrast of 3 and more."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    comparison = compare(X, X[:, 0], ["pca"], protocol=Protocol(n_repeats=1))
    path = tmp_path / "r.html"
    path.write_text(
        to_html(look_closer(summarise(comparison, comparison.dataset), comparison.dataset))
    )
    page = open_page(path)
    page.click("#theme")
    scale = "document.getElementById('map-training').data[1].marker.colorscale"
    page.wait_for_function(f"Array.isArray({scale})")
    paper = page.evaluate(
        "getComputedStyle(document.documentElement).getPropertyValue('--paper')"
    ).strip()
    for _, color in page.evaluate(scale):
        assert contrast(color, paper) > 3


def contrast(one, other):
    """Ratio of the relative luminances of two colours, as WCAG defines it."""

    def luminance(color):
        parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    low, high = sorted(luminance(color) + 0.05 for color in (one, other))
    return high / low
