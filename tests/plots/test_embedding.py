import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose, assert_array_equal

from discrimap.plots import class_colors, plot_embedding
from discrimap.plots.palette import UNLABELLED


def labelled_points(rng, n_classes, n_components=2, n_per_class=6):
    y = np.repeat(np.arange(n_classes), n_per_class)
    return rng.standard_normal((len(y), n_components)) + 5 * y[:, None], y


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def inside_texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("n_classes", [2, 10, 40])
def test_every_class_is_drawn_at_its_points_in_its_colour(rng, n_classes):
    Z, y = labelled_points(rng, n_classes)
    ax = plot_embedding(Z, y)
    assert len(ax.collections) == n_classes
    for label, color in enumerate(class_colors(n_classes)):
        drawn = ax.collections[label]
        assert_allclose(drawn.get_offsets(), Z[y == label])
        assert to_hex(drawn.get_facecolor()[0]).upper() == color
    assert legend_texts(ax) == [str(label) for label in range(n_classes)]


def test_few_classes_are_named_beside_and_many_also_above_their_medians(rng):
    assert inside_texts(plot_embedding(*labelled_points(rng, 10))) == []
    Z, y = labelled_points(rng, 40)
    ax = plot_embedding(Z, y)
    assert inside_texts(ax) == [str(label) for label in range(40)]
    for label, text in enumerate(ax.texts):
        assert_allclose(text.xy, np.median(Z[y == label], axis=0))
    ax.figure.canvas.draw()
    for text in ax.texts:
        # A class on one spot is not hidden behind its name.
        assert text.get_window_extent().y0 > ax.transData.transform(text.xy)[1]


@pytest.mark.parametrize("n_components", [1, 2, 3])
@pytest.mark.parametrize("n_classes", [2, 40])
def test_the_legend_lies_outside_the_axes_and_inside_the_figure(rng, n_classes, n_components):
    Z, y = labelled_points(rng, n_classes, n_components)
    names = np.array([f"class {i}" for i in range(n_classes)])[y]
    ax = plot_embedding(Z, names, is_test=np.arange(len(y)) % 2 == 0)
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    assert box.x0 >= ax.get_window_extent().x1 - 1
    assert box.x1 <= ax.figure.bbox.x1 + 1
    assert box.y0 >= -1
    assert ax.get_legend()._ncols == (3 if n_classes == 40 and n_components > 1 else 1)


def test_a_hundred_classes_have_names_inside_and_no_legend(rng):
    ax = plot_embedding(*labelled_points(rng, 100))
    assert ax.get_legend() is None
    assert len(inside_texts(ax)) == 100


def test_held_out_points_are_hollow(rng):
    Z, y = labelled_points(rng, 2)
    is_test = np.arange(len(y)) % 3 == 0
    ax = plot_embedding(Z, y, is_test=is_test)
    fitted, held_out = ax.collections[0], ax.collections[1]
    assert_allclose(fitted.get_offsets(), Z[(y == 0) & ~is_test])
    assert_allclose(held_out.get_offsets(), Z[(y == 0) & is_test])
    assert len(fitted.get_facecolor()) == 1
    assert len(held_out.get_facecolor()) == 0
    assert to_hex(held_out.get_edgecolor()[0]).upper() == class_colors(2)[0]
    assert legend_texts(ax) == ["0", "1", "fitted", "held out"]


def test_unlabelled_points_are_grey_and_below_the_others(rng):
    Z, y = labelled_points(rng, 3)
    y = np.where(np.arange(len(y)) % 2 == 0, -1, y)
    ax = plot_embedding(Z, y, unlabelled=True)
    grey = ax.collections[0]
    assert_allclose(grey.get_offsets(), Z[y == -1])
    assert to_hex(grey.get_facecolor()[0]).upper() == UNLABELLED
    assert grey.get_zorder() < min(drawn.get_zorder() for drawn in ax.collections[1:])
    assert legend_texts(ax) == ["unlabelled", "0", "1", "2"]
    # Without the flag, -1 is a class like any other.
    assert legend_texts(plot_embedding(Z, y)) == ["-1", "0", "1", "2"]


@pytest.mark.parametrize("n_classes", [2, 40])
def test_one_component_is_drawn_as_one_strip_per_class(rng, n_classes):
    Z, y = labelled_points(rng, n_classes, n_components=1)
    ax = plot_embedding(Z, y)
    for label, drawn in enumerate(ax.collections):
        offsets = np.asarray(drawn.get_offsets())
        assert_allclose(offsets[:, 0], Z[y == label, 0])
        assert np.abs(offsets[:, 1] - label).max() < 0.4
        assert len(np.unique(offsets[:, 1])) == len(offsets)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [str(i) for i in range(n_classes)]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # first class on top
    assert ax.get_legend() is None


def test_three_components_are_drawn_in_space(rng):
    Z, y = labelled_points(rng, 2, n_components=3)
    ax = plot_embedding(Z, y)
    assert ax.name == "3d"
    drawn = np.column_stack(ax.collections[0]._offsets3d)
    assert_allclose(np.sort(drawn, axis=0), np.sort(Z[y == 0], axis=0))
    given = plt.figure().add_subplot(projection="3d")
    assert plot_embedding(Z, y, ax=given) is given


def test_given_axes_are_used_and_the_data_left_alone(rng):
    Z, y = labelled_points(rng, 3)
    Z.flags.writeable = y.flags.writeable = False
    figure, ax = plt.subplots()
    assert plot_embedding(Z, y, ax=ax, title="three classes") is ax
    assert ax.get_title(loc="left") == "three classes"
    assert plt.get_fignums() == [figure.number]


def test_tables_text_labels_and_long_names(rng):
    Z, y = labelled_points(rng, 2)
    names = np.array(["setosa", "a very long name of a class"])[y]
    ax = plot_embedding(pd.DataFrame(Z), pd.Series(names))
    assert legend_texts(ax) == ["a very long n…", "setosa"]
    assert_array_equal(ax.collections[1].get_offsets(), Z[y == 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot_embedding(np.zeros((4, 5)), [0, 0, 1, 1]), "Z has 5 columns"),
        (lambda: plot_embedding(np.zeros((4, 2)), [0, 1]), "y has 2 labels, but Z has 4"),
        (lambda: plot_embedding([0.0, 1.0], [0, 1]), "Z must have shape"),
        (lambda: plot_embedding([[np.nan, 1.0]], [0]), "Z contains NaN"),
        (lambda: plot_embedding(np.eye(2), [0, 1], is_test=[True]), r"is_test has shape \(1,\)"),
        (lambda: plot_embedding(np.eye(2), [0, 1], is_test=[0, 7]), "is_test must hold True"),
        (lambda: plot_embedding(np.eye(3), [0, 1, 1], ax=plt.subplots()[1]), "ax must be a 3-D"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("n_classes", [3, 40])
def test_a_class_keeps_its_colour_where_another_is_absent(rng, n_classes):
    Z, y = labelled_points(rng, n_classes)
    rest = y != 1
    ax = plot_embedding(Z[rest], y[rest], classes=np.arange(n_classes))
    assert to_hex(ax.collections[1].get_facecolor()[0]).upper() == class_colors(n_classes)[2]
    assert legend_texts(ax) == [str(label) for label in range(n_classes)]


def test_a_class_that_is_not_listed_is_refused(rng):
    Z, y = labelled_points(rng, 3)
    with pytest.raises(ValueError, match="not in classes: 2; add them"):
        plot_embedding(Z, y, classes=[0, 1])


def test_small_classes_lie_above_large_ones(rng):
    y = np.repeat([0, 1, 2], [5, 60, 20])
    ax = plot_embedding(rng.standard_normal((85, 2)), y)
    order = {len(one.get_offsets()): one.get_zorder() for one in ax.collections}
    assert order[60] < order[20] < order[5]
