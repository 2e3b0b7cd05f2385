import pytest
from numpy.testing import assert_allclose

from discrimap.plots import plot_retention


def test_curves_are_drawn_against_the_neighbours_with_their_bands():
    curves = {"LDA": [0.9, 0.95], "PCA": [0.7, 0.8]}
    ax = plot_retention(curves, [1, 10], spread={"PCA": [0.1, 0.05]}, what="topology retention")
    for line, values in zip(ax.lines, curves.values(), strict=True):
        assert_allclose(line.get_xdata(), [1, 10])
        assert_allclose(line.get_ydata(), values)
    assert len(ax.collections) == 1
    band = ax.collections[0].get_paths()[0].vertices
    assert_allclose([band[:, 1].min(), band[:, 1].max()], [0.6, 0.85])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["LDA", "PCA"]
    assert ax.get_ylabel() == "topology retention"


def test_neighbours_count_from_one_by_default():
    assert_allclose(plot_retention({"a": [0.1, 0.2, 0.3]}).lines[0].get_xdata(), [1, 2, 3])


def test_curves_of_another_length_are_refused():
    with pytest.raises(ValueError, match=r"'b' has shape \(3,\), but 2 numbers"):
        plot_retention({"a": [0.1, 0.2], "b": [0.1, 0.2, 0.3]})
    with pytest.raises(TypeError, match="curves must be a non-empty mapping"):
        plot_retention([0.1, 0.2])


def test_families_share_colours_and_differ_in_the_line():
    curves = {"PCA 3-D": [0.1, 0.4], "DP 3-D": [0.3, 0.4], "DP 9-D": [0.5, 0.5]}
    families = {"DP 3-D": "DP", "DP 9-D": "DP"}
    other, first, second = plot_retention(curves, families=families).lines
    assert first.get_color() == second.get_color() != other.get_color()
    assert first.get_marker() == second.get_marker() != other.get_marker()
    assert [line.get_linestyle() for line in (other, first, second)] == ["-", "-", "--"]


def test_the_legend_goes_from_the_top_curve_down():
    legend = plot_retention({"low": [0.1, 0.9], "high": [0.5, 0.6]}).get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["high", "low"]
