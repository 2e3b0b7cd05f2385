import numpy as np
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from discrimap import CategorySpace
from discrimap.plots import class_colors, plot_category_axes


@pytest.fixture
def iris_map():
    X, y = load_iris(return_X_y=True)
    return CategorySpace().fit_transform(X, y), y


def test_three_classes_make_a_3d_picture_with_three_lines_through_the_origin(iris_map):
    Z, y = iris_map
    ax = plot_category_axes(Z, y, title="iris")
    assert ax.get_title(loc="left") == "iris"
    assert [ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()] == [f"axis of {k}" for k in range(3)]
    for k, (line, color) in enumerate(zip(ax.lines, class_colors(3), strict=True)):
        ends = np.array(line.get_data_3d()).T
        assert np.flatnonzero(ends[0]).tolist() == np.flatnonzero(ends[1]).tolist() == [k]
        assert ends[0, k] < min(Z.min(), 0) < max(Z.max(), 0) < ends[1, k]
        assert to_hex(line.get_color()).upper() == color
    assert_allclose(np.array(ax.collections[1]._offsets3d).T, Z[y == 1])


def test_a_3d_picture_is_to_scale_and_whole(iris_map):
    Z, y = iris_map
    ax = plot_category_axes(Z * 40, np.array(["disk hernia", "normal", "spondylolisthesis"])[y])
    spans = [np.ptp(limits) for limits in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())]
    assert_allclose(ax._box_aspect / ax._box_aspect[0], np.array(spans) / spans[0])
    ax.figure.canvas.draw()
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        box = axis.label.get_window_extent()
        assert min(box.x0, box.y0) >= 0
        assert box.x1 <= ax.get_legend().get_window_extent().x0


def test_a_long_name_is_cut_on_its_axis_as_in_the_legend(iris_map):
    Z, y = iris_map
    names = np.array(["a", "b", "spondylolisthesis"])[y]
    ax = plot_category_axes(Z, names)
    assert ax.get_zlabel() == "axis of spondylolisth…"
    assert ax.get_legend().get_texts()[2].get_text() == "spondylolisth…"


def test_two_of_the_classes_in_the_order_asked_for(iris_map):
    Z, y = iris_map
    names = np.array(["setosa", "versicolor", "virginica"])
    ax = plot_category_axes(Z, names[y], classes=names, show=["virginica", "setosa"])
    assert ax.get_xlabel() == "axis of virginica"
    assert ax.get_ylabel() == "axis of setosa"
    assert ax.get_aspect() == 1
    # All samples are there, each class at its own columns and in its own colour.
    for k, color in enumerate(class_colors(3)):
        assert_allclose(ax.collections[k].get_offsets(), Z[y == k][:, [2, 0]])
        assert to_hex(ax.collections[k].get_facecolor()[0]).upper() == color
    assert to_hex(ax.lines[0].get_color()).upper() == class_colors(3)[2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"show": [0]}, "2 or 3 different classes, not 1"),
        ({"show": [0, 0]}, "2 or 3 different classes"),
        ({"show": [0, 7]}, "show names 7, which is not one of the classes"),
        ({"classes": [0, 1]}, "3 columns for 2 classes"),
    ],
)
def test_what_is_refused(iris_map, change, message):
    with pytest.raises(ValueError, match=message):
        plot_category_axes(*iris_map, **change)


def test_four_classes_need_a_choice(rng):
    Z, y = rng.standard_normal((12, 4)), np.arange(12) % 4
    with pytest.raises(ValueError, match=r"not 4 \(0, 1, 2, 3\); choose them with show"):
        plot_category_axes(Z, y)
    assert len(plot_category_axes(Z, y, show=[0, 1, 3]).lines) == 3
