"""Two hundred thousand points in the browser, and more of which a sample is drawn."""

import re
from dataclasses import replace

import numpy as np

from discrimap.comparison import Comparison, MethodResult, Protocol, SplitMap
from discrimap.datasets import Dataset
from discrimap.inspection import Inspection, NamedProblem
from discrimap.inspection.maps import MOST_POINTS as N_POINTS
from discrimap.inspection.maps import collect_maps
from discrimap.report import summarise, to_html

# Seconds in which the page must answer; a processor that plays graphics card, and does other things
# besides, may take longer to draw.
PATIENCE = 5.0


def write_report(path, n_points):
    """Put so many points into a page; their maps and errors are made up, and nothing is fitted."""
    rng = np.random.default_rng(0)
    kind = np.arange(n_points) % 4
    X = rng.standard_normal((n_points, 3)) + 5 * np.eye(4)[kind][:, :3]
    dataset = Dataset("many", X, np.array(list("abcd"))[kind])
    rows = rng.permutation(n_points)
    train, test = np.sort(rows[n_points // 3 :]), np.sort(rows[: n_points // 3])
    split = SplitMap(X[train, :2], X[test, :2], train, test)
    errors = ((0.1,), (0.1,), (0.7,))
    result = MethodResult("pca", "PCA", "done", "", 2, *errors, 1.0, first_map=split)
    counts = dict.fromkeys("abcd", n_points // 4)
    protocol = Protocol(n_repeats=1)
    comparison = Comparison("many", n_points, 3, counts, 0.75, protocol, (result,))
    maps = collect_maps(comparison, NamedProblem.from_dataset(dataset), np.arange(3))
    nothing = "Left out here."
    inspection = Inspection("pca", "PCA", 2, maps, nothing, nothing, nothing, nothing)
    summary = replace(summarise(comparison, dataset), inspection=inspection)
    path.write_text(to_html(summary))
    return path


def test_two_hundred_thousand_points_are_drawn_and_pan_without_freezing(open_page, tmp_path):
    report = write_report(tmp_path / "r.html", N_POINTS)
    # Rows, labels, two coordinates and three values of each point, and plotly's script.
    assert report.stat().st_size < 16e6
    page = open_page(report, timeout=90)
    assert "random sample" not in page.inner_text("#maps")
    drawn = page.evaluate(
        "['map-training', 'map-held-out'].flatMap((id) => document.getElementById(id).data)"
        ".map((trace) => [trace.type, trace.x.length])"
    )
    assert sum(n for kind, n in drawn if kind == "scattergl") == N_POINTS
    assert sum(n for _, n in drawn) == N_POINTS

    page.locator(".maps").scroll_into_view_if_needed()
    box = page.locator("#map-training .nsewdrag").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    ranges = "['map-training', 'map-held-out'].map((id) => document.getElementById(id).layout.xaxis.range)"
    before = page.evaluate(ranges)
    # The longest time between two turns of the main thread, from the press to all being drawn again.
    page.evaluate(
        """() => {
          let last = performance.now();
          window.longestWait = 0;
          window.watch = setInterval(() => {
            const now = performance.now();
            window.longestWait = Math.max(window.longestWait, now - last);
            last = now;
          }, 10);
        }"""
    )
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 5):
        page.mouse.move(x + 15 * step, y)
    page.mouse.up()
    # The other map goes along, after the first.
    page.wait_for_function(
        f"(before) => {ranges}.map(String).every((now, _, all) => now !== before && now === all[0])",
        arg=page.evaluate("String", before[0]),
    )
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")
    waited = page.evaluate("clearInterval(window.watch), window.longestWait")
    after = page.evaluate(ranges)
    assert after[0] == after[1]  # both maps went along
    assert after[0][0] < before[0][0]
    assert waited < 1000 * PATIENCE


def test_beyond_that_a_sample_is_drawn_and_the_page_says_so(tmp_path):
    """Without a browser: what is drawn of a sample is drawn as above."""
    text = write_report(tmp_path / "r.html", 250_000).read_text()
    assert "The maps show a random sample of 200,000 of 250,000 points." in text
    # The two maps are headed by what they hold of it: about two thirds and one third.
    n_training, n_held_out = (
        int(n.replace(",", "")) for n in re.findall(r"([\d,]+)</span> points, (?:not )?used", text)
    )
    assert n_training + n_held_out == N_POINTS
    assert abs(n_training - N_POINTS * 2 / 3) < 1000
