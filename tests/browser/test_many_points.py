"""A hundred thousand points in the browser."""

from dataclasses import replace

import numpy as np
import pytest

from discrimap.comparison import Protocol, compare
from discrimap.datasets import Dataset
from discrimap.inspection import Inspection, Samples
from discrimap.inspection.maps import collect_maps
from discrimap.report import summarise, to_html

N_POINTS = 100_000
PATIENCE = 5.0  # seconds; a processor that plays graphics card is slow


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    rng = np.random.default_rng(0)
    kind = np.arange(N_POINTS) % 4
    X = rng.standard_normal((N_POINTS, 3)) + 5 * np.eye(4)[kind][:, :3]
    dataset = Dataset("many", X, np.array(list("abcd"))[kind])
    comparison = compare(X, dataset.y, ["pca"], protocol=Protocol(n_repeats=1), n_jobs=1)
    maps = collect_maps(comparison, Samples.from_dataset(dataset), np.arange(3))
    assert len(maps.rows) == N_POINTS
    nothing = "Left out here."
    inspection = Inspection("pca", "PCA", 2, maps, nothing, nothing, nothing, nothing)
    summary = replace(summarise(comparison, dataset), inspection=inspection)
    path = tmp_path_factory.mktemp("many") / "r.html"
    path.write_text(to_html(summary))
    return path


def test_a_hundred_thousand_points_are_drawn_and_pan_without_freezing(open_page, report):
    page = open_page(report, timeout=90)
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
    page.wait_for_function(
        f"(before) => JSON.stringify({ranges}) !== before",
        arg=page.evaluate("JSON.stringify", before),
        timeout=1000 * PATIENCE,
    )
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")
    waited = page.evaluate("clearInterval(window.watch), window.longestWait")
    after = page.evaluate(ranges)
    assert after[0] == after[1]  # both maps went along
    assert after[0][0] < before[0][0]
    assert waited < 1000 * PATIENCE
