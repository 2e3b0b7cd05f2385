"""The report in a real browser."""

import os
import shutil

import numpy as np
import pytest

from discrimap.comparison import Protocol, compare
from discrimap.datasets import Dataset
from discrimap.report import look_closer, summarise, to_html

CHROMIUM = shutil.which("chromium")
NASTY = "<script>document.title='run'</script>\"&`</script>"


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("no chromium; continuous integration must have it")
        pytest.skip("no chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = np.array([NASTY, "b", "c"])[np.arange(90) % 3]
    X = rng.standard_normal((90, 4)) + 4 * np.eye(4)[np.arange(90) % 3]
    y[0], y[4] = "b", "c"  # two wrong labels
    dataset = Dataset(NASTY, X, y, feature_names=[NASTY, "f", "g", "h"])
    protocol = Protocol(n_repeats=1, n_components=3)
    comparison = compare(X, y, ["pca", "lda"], protocol=protocol, data_name=NASTY)
    path = tmp_path_factory.mktemp("report") / "r.html"
    path.write_text(to_html(look_closer(summarise(comparison, dataset), dataset)))
    return path


@pytest.fixture
def page(browser, report):
    page = browser.new_page(viewport={"width": 1200, "height": 900}, color_scheme="light")
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(report.as_uri())
    page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    yield page
    page.close()
    assert complaints == []


VISIBLE = (
    "['map-training', 'map-held-out'].map((id) => document.getElementById(id).data[0].visible)"
)


def test_markup_in_the_data_is_shown_and_never_run(page):
    assert page.title() != "run"
    assert NASTY in page.inner_text("h1")
    assert page.inner_text("#legend button:first-child .name") == NASTY


def test_a_class_is_hidden_in_both_maps(page):
    page.click("#legend button[data-group='0']")
    assert page.evaluate(VISIBLE) == [False, False]
    page.click("#legend button[data-group='0']")
    assert page.evaluate(VISIBLE) == [True, True]


def test_axes_can_be_chosen(page):
    page.select_option("#method", label="PCA")
    first = "Array.from(document.getElementById('map-training').data[0].x)"
    before = page.evaluate(first)
    page.select_option("#axis-x", "2")
    page.wait_for_function(f"JSON.stringify({first}) !== {str(before).replace(' ', '')!r}")


def test_suspicious_labels_sort_and_are_found_in_the_map(page):
    rows = page.locator("#suspects .show")
    page.click("#suspects th:first-child button")
    numbers = [int(text) for text in rows.all_inner_texts()]
    assert numbers == sorted(numbers)
    assert {1, 5} <= set(numbers)
    for number in (1, 5):
        page.click(f"#suspects .show[data-row='{number}']")
        assert page.get_attribute("#pinned", "data-row") == str(number)
        assert page.inner_text("#pinned h4").startswith(f"Row {number} · ")
        rings = "['map-training', 'map-held-out'].map((id) => document.getElementById(id).data.at(-1).x.length)"
        assert sorted(page.evaluate(rings)) == [0, 1]


def test_dark_colours_and_narrow_screens(page):
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
