import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose

from discrimap.plots import plot_loadings
from discrimap.plots.loadings import NEGATIVE, POSITIVE


def tick_texts(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def test_bars_are_the_largest_loadings_in_order_of_magnitude():
    ax = plot_loadings([0.1, -3.0, 2.0, -0.5], ["a", "b", "c", "d"], top=3)
    assert tick_texts(ax) == ["b", "c", "d"]
    assert_allclose([bar.get_width() for bar in ax.patches], [-3.0, 2.0, -0.5])
    assert_allclose([bar.get_y() + bar.get_height() / 2 for bar in ax.patches], [0, 1, 2])
    colors = [to_hex(bar.get_facecolor()).upper() for bar in ax.patches]
    assert colors == [NEGATIVE, POSITIVE, NEGATIVE]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the largest on top
    assert ax.get_xlabel() == "loading (largest 3 of 4)"


def test_intervals_are_drawn_where_they_lie_and_doubtful_bars_are_pale():
    loadings = np.array([2.0, -1.0, 0.5])
    low, high = np.array([1.5, -1.2, -0.1]), np.array([2.2, -0.3, 0.4])
    ax = plot_loadings(loadings, intervals=[low, high])
    segments = ax.collections[0].get_segments()
    assert_allclose([segment[:, 0] for segment in segments], np.column_stack([low, high]))
    assert_allclose([segment[:, 1] for segment in segments], [[0, 0], [1, 1], [2, 2]])
    assert [bar.get_alpha() for bar in ax.patches] == [1.0, 1.0, 0.3]
    assert tick_texts(ax) == ["feature 0", "feature 1", "feature 2"]
    assert ax.get_xlabel() == "loading"


def test_several_components_stand_side_by_side():
    loadings = np.array([[1.0, 0.0, 2.0], [-4.0, 0.1, 0.0]])
    ax = plot_loadings(loadings, list("abc"), top=2, intervals=[loadings - 0.2, loadings + 0.2])
    assert tick_texts(ax) == ["a", "c"]  # a has -4 in the second component
    assert_allclose([bar.get_width() for bar in ax.patches], [1.0, 2.0, -4.0, 0.0])
    centres = [bar.get_y() + bar.get_height() / 2 for bar in ax.patches]
    assert_allclose(centres, [-0.2, 0.8, 0.2, 1.2])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "component 1",
        "component 2",
    ]


def test_given_axes_are_used_and_long_names_keep_both_ends():
    ax = plt.subplots()[1]
    name = "concentration of something in the blood, at day 14"
    assert plot_loadings([1.0], [name], ax=ax, title="first") is ax
    assert tick_texts(ax)[0].startswith("concentration of")
    assert tick_texts(ax)[0].endswith("at day 14")
    assert len(tick_texts(ax)[0]) == 32
    assert ax.get_title(loc="left") == "first"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"loadings": [1.0, np.nan]}, "NaN"),
        ({"loadings": []}, "loadings must have shape"),
        ({"loadings": np.zeros((2, 2, 2))}, r"\(2, 2, 2\)"),
        ({"loadings": np.zeros((9, 2))}, "9 components"),
        ({"loadings": [1.0, 2.0], "feature_names": ["a"]}, "1 names, but loadings have 2"),
        ({"loadings": [1.0, 2.0], "intervals": [[0.0], [1.0]]}, r"shape \(2, 2\)"),
        ({"loadings": [1.0], "intervals": [[2.0], [1.0]]}, "lower ends first"),
        ({"loadings": [1.0], "top": 0}, "top must be"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        plot_loadings(**arguments)
