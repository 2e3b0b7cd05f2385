"""A table that tries to run something, from the command line to the browser."""

import csv

import numpy as np
import pytest

from discrimap import cli

ATTACKS = (
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=2>",
    "\"'><svg onload=alert(3)>",
    "`${window.pwned=4}`{{ 7*7 }}<!--",
    "</title></style><script>alert(5)</script>\u2028",
)
NOTE = "note<script>alert(6)</script>"


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    table, page = folder / "<b>x<b>.csv", folder / "r.html"
    rng = np.random.default_rng(0)
    kind = np.arange(60) % 3
    numbers = rng.standard_normal((60, 3)) + 5 * np.eye(3)[kind]
    kind[0] = 1  # a suspicious label, named in a table of its own
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*ATTACKS[:3], NOTE, ATTACKS[3]])
        for i in range(60):
            words = ATTACKS[i % 5]
            writer.writerow([*numbers[i], words, ATTACKS[kind[i]]])
    command = ["compare", str(table), "--target", ATTACKS[3], "--methods", "pca,lda"]
    assert cli.main([*command, "--repeats", "1", "--jobs", "1", "--out", str(page)]) == 0
    return page


def test_hostile_text_is_shown_and_never_run(open_page, hostile_page):
    page = open_page(hostile_page)
    assert page.evaluate("window.pwned") is None
    # Theme, data of the maps, plotly (packed and unpacked) and the page's own: nothing more, and no
    # element of an attack.
    assert page.locator("script").count() == 5
    assert page.locator("img, [onerror], [onload]").count() == 0
    assert "<b>x<b>" in page.inner_text("h1")
    assert page.locator("#legend .name").all_inner_texts() == sorted(ATTACKS[:3])
    features = page.locator("#features tbody th").all_inner_texts()
    assert set(ATTACKS[:3]) < set(features)
    # Text cells became columns of 0 and 1, named by their text (white space as a browser shows it).
    assert {f"{NOTE}={words.strip()}" for words in ATTACKS} < set(features)
    assert page.locator("#suspects tbody tr").first.locator("td").nth(1).inner_text() == ATTACKS[1]
    for attack in ATTACKS[:3]:
        assert attack in page.inner_text("#confusions")


def test_hostile_text_is_not_run_by_pointing_at_it(open_page, hostile_page):
    page = open_page(hostile_page)
    page.click("#suspects .show[data-row='1']")
    assert page.inner_text("#pinned h4").startswith(f"Row 1 · {ATTACKS[1]} · ")
    assert set(ATTACKS[:3]) < set(page.locator("#pinned dt").all_inner_texts())
    assert page.locator("#pinned script, #pinned img, #pinned svg").count() == 0
    page.focus("#map-training")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.pwned") is None
    assert page.locator("script").count() == 5


def test_unsure_contributions_are_faint(open_page, hostile_page):
    page = open_page(hostile_page)  # its text columns say nothing about the classes
    opacity = "Array.from(document.querySelectorAll('#features tbody svg'), (svg) => [svg.classList.contains('unsure'), Number(getComputedStyle(svg).opacity)])"
    assert set(map(tuple, page.evaluate(opacity))) == {(True, 0.45), (False, 1)}
