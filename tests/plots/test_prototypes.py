import numpy as np
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose

from discrimap.plots import class_colors, plot_prototypes


def test_each_label_stands_at_its_place_in_its_colour(rng):
    prototypes = rng.standard_normal((5, 3))
    ax = plot_prototypes(prototypes, list("abcde"), title="labels")
    places = np.array([drawn.get_offsets()[0] for drawn in ax.collections])
    assert_allclose(places, prototypes[:, :2])
    colors = [to_hex(drawn.get_facecolor()[0]).upper() for drawn in ax.collections]
    assert colors == class_colors(5)
    assert [text.get_text() for text in ax.texts] == list("abcde")
    assert_allclose([text.xy for text in ax.texts], prototypes[:, :2])
    assert ax.get_title(loc="left") == "labels"


def test_one_component_is_a_line():
    ax = plot_prototypes([[1.0], [3.0]], [0, 1])
    assert_allclose([drawn.get_offsets()[0] for drawn in ax.collections], [[1, 0], [3, 0]])
    assert len(ax.get_yticks()) == 0


def test_names_and_places_must_match():
    with pytest.raises(ValueError, match=r"classes has 1 names, but prototypes has 2 rows"):
        plot_prototypes([[1.0, 2.0], [3.0, 4.0]], ["a"])
