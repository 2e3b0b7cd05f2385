"""Points that are selected in the browser, and saved without a server."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from discrimap.comparison import Protocol, compare
from discrimap.datasets import Dataset
from discrimap.inspection.confusion import Confusion
from discrimap.report import look_closer, summarise, to_html

NAMES = np.array(["ant", "bee", "cow", "dog", "eel", "fox", "gnu", "hen", "<b>ibis</b>", 'j"ay,'])


def write(summary, path):
    path.write_text(to_html(summary), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def summary():
    rng = np.random.default_rng(0)
    kind = np.arange(150) % 10
    X = rng.standard_normal((150, 3))
    X[:, 0] += 6 * (kind % 4)
    X[:, 1] += 6 * (kind // 4)
    y = NAMES[kind]
    y[[0, 37]] = "bee", "ant"  # wrong labels
    ids = np.array([f'id "{row}", <i>{row}</i>' for row in range(150)])
    texts = np.array([f"<i>note</i> {row}" for row in range(150)])
    shades = np.tile(np.arange(150)[:, None, None], (1, 8, 8)).astype(np.uint8)
    more = {"id_name": "key", "ids": ids, "texts": texts, "images": shades}
    dataset = Dataset("my data/<x>", X, y, **more)
    protocol = Protocol(n_repeats=3)
    comparison = compare(X, y, ["pca", "lda"], protocol=protocol, data_name=dataset.name)
    found = look_closer(summarise(comparison, dataset), dataset)
    suspects = replace(found.inspection.suspects, n_estimated=4)
    return replace(found, inspection=replace(found.inspection, suspects=suspects)), dataset


@pytest.fixture(scope="module")
def report(summary, tmp_path_factory):
    return write(summary[0], tmp_path_factory.mktemp("report") / "r.html")


@pytest.fixture
def page(open_page, report):
    return open_page(report)


def saved(page, button):
    """Press a button that saves a file; return its name and lines."""
    with page.expect_download() as download:
        button.click()
    with open(download.value.path(), newline="", encoding="utf-8") as file:
        return download.value.suggested_filename, list(csv.reader(file))


def expected_lines(summary, rows):
    summary, dataset = summary
    suspects = {item.row: item.suggested for item in summary.inspection.suspects.items}
    return [
        [str(row + 1), dataset.ids[row], dataset.y[row], suspects.get(row, dataset.y[row])]
        for row in sorted(rows)
    ]


def drag(page, part, fractions, *, shift=False):
    """Drag along places of a map, given as shares of its width and height."""
    page.locator(".maps").scroll_into_view_if_needed()
    box = page.locator(f"#{part} .nsewdrag").first.bounding_box()
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in fractions]
    if shift:
        page.keyboard.down("Shift")
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=3)
    page.mouse.up()
    if shift:
        page.keyboard.up("Shift")


def rows_inside(page, maps, part, left, right, top, bottom):
    """Rows of the points of a map in a box of shares of its width and height."""
    (x0, x1), (y0, y1) = page.evaluate(
        f"['xaxis', 'yaxis'].map((axis) => document.getElementById('{part}').layout[axis].range)"
    )
    x, y = maps.methods[0].coordinates.T
    across, down = (x - x0) / (x1 - x0), (y1 - y) / (y1 - y0)
    inside = (across > left) & (across < right) & (down > top) & (down < bottom)
    inside &= maps.is_held_out == (part == "map-held-out")
    return maps.rows[inside].tolist()


WINDOWS = "['map-training', 'map-held-out'].map((id) => String(document.getElementById(id).layout.xaxis.range))"
HEADER = ["row", "id", "label", "suggested"]
BOX = (0.04, 0.55, 0.04, 0.6)


@pytest.mark.parametrize(("part", "how"), [("map-training", "lasso"), ("map-held-out", "select")])
def test_points_inside_a_lasso_or_a_box_are_counted_listed_and_saved(page, summary, part, how):
    left, right, top, bottom = BOX
    rows = rows_inside(page, summary[0].inspection.maps, part, *BOX)
    assert 5 < len(rows) < 60
    page.select_option("#drag", how)
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    drag(page, part, corners if how == "lasso" else [corners[0], corners[2]])
    page.wait_for_selector("#selection table")
    assert page.inner_text("#selection strong") == f"{len(rows)} points selected"
    assert page.text_content("#announcer") == f"{len(rows)} points selected"
    counts = dict(text.rsplit(" ", 1) for text in page.locator("#selection li").all_inner_texts())
    names, numbers = np.unique(summary[1].y[rows], return_counts=True)
    assert {name: int(count) for name, count in counts.items()} == dict(
        zip(names.tolist(), numbers.tolist(), strict=True)
    )
    name, (header, *lines) = saved(page, page.locator("#selection .save"))
    assert name == "my-data-x-selection.csv"
    assert header == HEADER
    assert lines == expected_lines(summary, rows)
    listed = page.locator("#selection tbody tr").all()
    assert [[cell.inner_text() for cell in row.locator("td").all()][:4] for row in listed] == lines
    # Points that are not selected are faint, in both maps.
    picked = "['map-training', 'map-held-out'].map((id) => document.getElementById(id).data.slice(0, 11).reduce((sum, one) => sum + one.selectedpoints.length, 0))"
    assert page.evaluate(picked) == [len(rows), 0][:: 1 if part == "map-training" else -1]
    page.click("#selection button:has-text('Clear')")
    assert page.inner_text("#selection") == "No point is selected."


def test_shift_adds_to_the_selection(page, summary):
    maps = summary[0].inspection.maps
    page.select_option("#drag", "select")
    drag(page, "map-training", [(0.04, 0.04), (0.4, 0.4)])
    page.wait_for_selector("#selection table")
    drag(page, "map-held-out", [(0.5, 0.5), (0.95, 0.95)], shift=True)
    rows = rows_inside(page, maps, "map-training", 0.04, 0.4, 0.04, 0.4)
    more = rows_inside(page, maps, "map-held-out", 0.5, 0.95, 0.5, 0.95)
    assert rows
    assert more
    page.wait_for_function(
        "(words) => document.querySelector('#selection strong').textContent === words",
        arg=f"{len(rows) + len(more)} points selected",
    )


def test_classes_that_are_hidden_are_not_selected(page, summary):
    page.click("#legend button[data-group='0']")
    page.click("#take-view")
    assert page.inner_text("#selection strong") == (
        f"{np.count_nonzero(summary[1].y != sorted(NAMES)[0])} points selected"
    )


def test_points_are_selected_with_the_keyboard_alone(page, summary):
    page.focus("#map-held-out")
    page.keyboard.press("ArrowRight")
    row = int(page.get_attribute("#pinned", "data-row")) - 1
    page.keyboard.press("Space")
    page.wait_for_selector("#selection table")
    _, lines = saved(page, page.locator("#selection .save"))
    assert lines == [HEADER, *expected_lines(summary, [row])]
    page.focus("#map-held-out")
    page.keyboard.press("Space")
    assert page.inner_text("#selection") == "No point is selected."
    # What the window shows is what a box would have selected.
    before = page.evaluate(WINDOWS)[0]
    page.focus("#zoom-in")
    page.keyboard.press("Enter")
    page.wait_for_function(f"(before) => {WINDOWS}.every((now) => now !== before)", arg=before)
    page.focus("#take-view")
    page.keyboard.press("Enter")
    maps = summary[0].inspection.maps
    rows = [
        row
        for part in ("map-training", "map-held-out")
        for row in rows_inside(page, maps, part, 0, 1, 0, 1)
    ]
    assert 10 < len(rows) < 140
    assert page.inner_text("#selection strong") == f"{len(rows)} points selected"
    window = page.evaluate(WINDOWS)
    page.click("#selection button:has-text('Clear')")
    page.click("#theme")  # draws anew, in the same window
    page.wait_for_timeout(200)
    assert page.evaluate(WINDOWS) == window
    page.click("#reset")
    page.wait_for_function(f"(before) => {WINDOWS}.every((now) => now !== before)", arg=window[0])


def test_suspects_are_saved_and_selected(page, summary):
    items = summary[0].inspection.suspects.items[: summary[0].inspection.suspects.n_estimated]
    rows = [item.row for item in items]
    assert {0, 37} <= set(rows)
    name, (header, *lines) = saved(page, page.locator("[data-table='suspects'].save-table"))
    assert name == "my-data-x-suspects.csv"
    assert header == HEADER
    assert sorted(lines, key=lambda line: int(line[0])) == expected_lines(summary, rows)
    page.click("[data-table='suspects'].take-table")
    assert page.locator("#selection tbody tr").count() == len(rows)


@pytest.mark.parametrize("method", ["pca", "lda"])
def test_a_cell_of_the_confusions_lists_its_samples(page, summary, method):
    summary_, dataset = summary
    page.locator("#confusions select").select_option(method)
    details = next(one for one in summary_.inspection.methods if one.name == method)
    i, j, count = details.confusion.worst_pairs(1)[0]
    rows = [
        row
        for row in np.flatnonzero(details.confusion.judged == j)
        if dataset.y[row] == details.confusion.class_names[i]
    ]
    assert len(rows) == count > 0
    place = [one.name for one in summary_.inspection.methods].index(method)
    page.click(f"#confusions-{place} td button[data-cell='{i},{j}']")
    _, lines = saved(page, page.locator("#cell-points .save"))
    assert lines == [HEADER, *expected_lines(summary, rows)]
    page.click("#cell-points button:has-text('Select in the maps')")
    assert page.locator("#selection tbody tr").count() == count
    assert page.input_value("#method") == method


def test_one_class_is_found_and_highlighted(page):
    opacity = "(name) => document.getElementById('map-training').data.find((one) => one.name === name).marker.opacity"
    page.fill("#find-class", "E")
    assert page.locator("#legend button[data-group]:visible .name").all_inner_texts() == [
        "bee",
        "eel",
        "hen",
    ]
    assert page.inner_text("#found-classes") == "3 matches"
    page.fill("#find-class", "eel")
    place = sorted(NAMES).index("eel")
    page.wait_for_function(f"({opacity})('class 0') < 0.2")
    assert page.evaluate(opacity, f"class {place}") > 0.5
    # It lies above all others, and its name alone is on the map.
    assert page.evaluate("document.getElementById('map-training').data.at(-3).name") == (
        f"class {place}"
    )
    assert page.locator("#map-training + .class-names span").all_inner_texts() == ["eel"]
    page.fill("#find-class", "")
    page.wait_for_function(f"({opacity})('class 0') > 0.5")
    assert page.locator("#legend button[data-group]:visible").count() == 10


def test_names_of_classes_stand_at_their_centres_and_do_not_overlap(page, summary):
    maps = summary[0].inspection.maps
    spans = page.locator("#map-training + .class-names span")
    texts = spans.all_inner_texts()
    assert {"<b>ibis</b>", 'j"ay,'} <= set(texts) <= set(NAMES)
    boxes = [span.bounding_box() for span in spans.all()]
    for k, one in enumerate(boxes):
        for other in boxes[:k]:
            assert (
                one["x"] + one["width"] <= other["x"] + 0.5
                or other["x"] + other["width"] <= one["x"] + 0.5
                or one["y"] + one["height"] <= other["y"] + 0.5
                or other["y"] + other["height"] <= one["y"] + 0.5
            )
    where = "([x, y]) => { const map = document.getElementById('map-training'), box = map.getBoundingClientRect(), { xaxis, yaxis } = map._fullLayout; return [box.left + xaxis._offset + xaxis.d2p(x), box.top + yaxis._offset + yaxis.d2p(y)]; }"
    for text, box in zip(texts, boxes, strict=True):
        code = sorted(NAMES).index(text)
        inside = (maps.target == code) & ~maps.is_held_out
        centre = np.median(maps.methods[0].coordinates[inside], axis=0)
        x, y = page.evaluate(where, centre.tolist())
        assert abs(box["x"] + box["width"] / 2 - x) < 20
        assert abs(box["y"] + box["height"] / 2 - y) < 20
    page.uncheck("#names")
    assert spans.count() == 0
    page.check("#names")
    page.click("#zoom-in")  # they go along with the window
    page.wait_for_function(
        "(before) => { const now = document.querySelector('#map-training + .class-names span'); return now && (now.textContent !== before[0] || Math.abs(now.getBoundingClientRect().x - before[1]) > 3); }",
        arg=[texts[0], boxes[0]["x"]],
    )


@pytest.fixture(scope="module")
def many_classes(summary, tmp_path_factory):
    """The same page with thirty classes, whose confusions are made up."""
    summary, _ = summary
    names = tuple(f"kind {c:02d}" for c in range(30))
    codes = np.arange(150) % 30
    judged = np.where(np.arange(150) % 7 == 0, (codes + 1) % 30, codes).astype(np.int32)
    counts = np.zeros((30, 30), dtype=int)
    np.add.at(counts, (codes, judged), 1)
    maps = replace(summary.inspection.maps, target=codes[summary.inspection.maps.rows])
    confusion = Confusion(names, counts, judged)
    inspection = replace(summary.inspection, maps=maps, confusion=confusion)
    made = replace(summary, class_names=names, inspection=inspection)
    return write(made, tmp_path_factory.mktemp("many") / "r.html"), codes, judged


def test_confusions_of_many_classes_are_a_picture(open_page, many_classes):
    path, codes, judged = many_classes
    page = open_page(path)
    canvas = page.locator("#confusions-0 canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    side = box["width"] / 30
    given, voted = codes[7], judged[7]
    assert given != voted
    page.mouse.move(box["x"] + (voted + 0.5) * side, box["y"] + (given + 0.5) * side)
    words = page.locator("#confusions-0 .heat-words")
    rows = np.flatnonzero((codes == given) & (judged == voted))
    assert f"of kind {given:02d} predicted as kind {voted:02d}" in words.inner_text()
    assert words.inner_text().startswith(str(len(rows)))
    page.mouse.down()
    page.mouse.up()
    listed = page.locator("#cell-points tbody tr td:first-child").all_inner_texts()
    assert listed == [str(row + 1) for row in rows]
    # The same with the keyboard: one to the right, and back again.
    canvas.focus()
    page.keyboard.press("ArrowRight")
    assert f"kind {voted + 1:02d}" in words.inner_text()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert page.locator("#cell-points tbody tr").count() == len(rows)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_text_and_picture_are_shown_with_a_point(page):
    page.click("#suspects .show[data-row='38']")
    assert page.inner_text("#pinned h4").startswith('Row 38 · id "37", <i>37</i> · ')
    assert page.inner_text("#pinned .words") == "<i>note</i> 37"
    # Each picture has the shade of its row: read it from the screen.
    with Image.open(io.BytesIO(page.locator("#pinned .picture").screenshot())) as seen:
        pixels = np.asarray(seen.convert("L")).astype(int)
    assert min(pixels.shape) >= 100
    assert np.abs(pixels[40:60, 40:60] - 37).max() <= 4
