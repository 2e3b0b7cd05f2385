import re

import numpy as np
import pytest

from discrimap.plots import class_colors, class_markers
from discrimap.plots.palette import OKABE_ITO, UNLABELLED, _seen_coordinates, rgb_of


@pytest.mark.parametrize("n_classes", [0, 1, 2, 8, 10, 40, 100])
def test_every_class_has_a_look_of_its_own(n_classes):
    colors, markers = class_colors(n_classes), class_markers(n_classes)
    assert len(colors) == len(markers) == n_classes
    assert len(set(zip(colors, markers, strict=True))) == n_classes
    assert all(re.fullmatch("#[0-9A-F]{6}", color) for color in colors)


def test_a_class_keeps_its_look_when_classes_are_added():
    assert tuple(class_colors(8)) == OKABE_ITO
    assert class_colors(40)[:10] == class_colors(10)
    assert class_colors(10)[:8] == class_colors(8)
    assert class_markers(40)[:10] == class_markers(10)


@pytest.mark.parametrize(("n_classes", "least"), [(8, 0.07), (12, 0.07), (40, 0.04)])
def test_colors_differ_for_normal_and_colour_blind_eyes(n_classes, least):
    colors = [*class_colors(n_classes), UNLABELLED]
    seen = _seen_coordinates(np.array([rgb_of(color) for color in colors], dtype=float))
    for eye in seen:  # normal, without medium cones, without long cones
        distance = np.linalg.norm(eye[:, None] - eye[None, :], axis=-1)
        assert distance[np.triu_indices(len(colors), 1)].min() > least


def test_oklab_of_known_colours():
    # White has lightness 1 and no hue; the values of red are Ottosson's.
    seen = _seen_coordinates(np.array([[255.0, 255.0, 255.0], [255.0, 0.0, 0.0]]))
    np.testing.assert_allclose(seen[0], [[1, 0, 0], [0.62796, 0.22486, 0.12585]], atol=2e-4)
    # A grey is grey to every eye.
    np.testing.assert_allclose(seen[:, 0], [[1, 0, 0]] * 3, atol=2e-3)
