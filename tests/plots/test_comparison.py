from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose

from discrimap.plots import plot_comparison
from discrimap.plots.comparison import CONTROL, HELD_OUT

ROWS = [
    ("PCA", [0.30, 0.40], [0.60, 0.70]),
    ("LDA", [0.02, 0.04, 0.06], [0.66]),
    ("NCA", [0.10], None),
]


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def means_drawn(ax, color):
    """Place and value of the large marks of one colour."""
    lines = [line for line in ax.lines if line.get_markersize() > 5]
    chosen = [line for line in lines if to_hex(line.get_markeredgecolor()).upper() == color]
    return np.array([[line.get_ydata()[0], line.get_xdata()[0]] for line in chosen])


def test_methods_are_sorted_with_their_means_and_controls():
    ax = plot_comparison(ROWS)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["LDA", "NCA", "PCA"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the best on top
    assert_allclose(means_drawn(ax, HELD_OUT), [[-0.17, 4], [0.83, 10], [1.83, 35]])
    assert_allclose(means_drawn(ax, CONTROL), [[0.17, 66], [2.17, 65]])
    assert [text.get_text() for text in ax.texts] == ["4.0 ± 2.0 %", "10.0 %", "35.0 ± 7.1 %"]
    assert legend_texts(ax) == ["held-out error", "with permuted labels"]


def test_the_spread_is_one_standard_deviation_and_every_repeat_a_dot():
    ax = plot_comparison(ROWS[1:2])
    segments = [drawn.get_segments()[0][:, 0] for drawn in ax.collections]
    assert_allclose(segments, [[2, 6], [66, 66]])
    dots = [line.get_xdata() for line in ax.lines if 0 < line.get_markersize() < 5]
    assert_allclose(dots[0], [2, 4, 6])


@pytest.mark.parametrize("n_methods", [2, 10, 40])
def test_every_method_has_a_row_of_its_own(rng, n_methods):
    rows = [(f"m{i}", rng.random(3), rng.random(3)) for i in range(n_methods)]
    ax = plot_comparison(rows)
    ax.figure.canvas.draw()
    boxes = [tick.get_window_extent() for tick in ax.get_yticklabels()]
    assert len(boxes) == n_methods
    assert all(upper.y0 > lower.y1 for upper, lower in pairwise(boxes))


def test_chance_is_a_dashed_line():
    ax = plot_comparison(ROWS, chance=2 / 3)
    dashed = [line for line in ax.lines if len(line.get_xdata()) == 2 and line.is_dashed()]
    assert_allclose([line.get_xdata() for line in dashed], [[200 / 3, 200 / 3]])
    assert legend_texts(ax)[-1] == "chance"


def test_without_controls_there_is_no_place_for_them():
    ax = plt.subplots()[1]
    assert plot_comparison(ROWS[2:], ax=ax, title="wine") is ax
    assert legend_texts(ax) == ["held-out error"]
    assert_allclose(means_drawn(ax, HELD_OUT), [[0, 10]])
    assert ax.get_title(loc="left") == "wine"


def test_the_title_does_not_cover_the_legend():
    ax = plot_comparison(ROWS, chance=0.5, title="a long title " * 4)
    ax.figure.canvas.draw()
    title = ax._left_title
    assert title.get_window_extent().y0 >= ax.get_legend().get_window_extent().y1 - 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": []}, "rows is empty"),
        ({"rows": [("a", [0.1])]}, r"rows\[0\] must be"),
        ({"rows": [("a", [], None)]}, "errors of 'a' must be a list"),
        ({"rows": [("a", None, [0.1])]}, "errors of 'a' must be a list"),
        ({"rows": [("a", [0.1, np.nan], None)]}, "errors of 'a' must lie"),
        ({"rows": [("a", [0.1], [12.0])]}, "control_errors of 'a' must lie"),
        ({"rows": ROWS, "chance": 66.7}, "chance must be"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        plot_comparison(**arguments)
