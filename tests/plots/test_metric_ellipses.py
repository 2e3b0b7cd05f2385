import numpy as np
import pytest
from numpy.testing import assert_allclose

from discrimap.plots import plot_metric_ellipses

POINTS = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])


def test_an_ellipse_holds_the_steps_of_the_given_length(rng):
    angle = 0.3
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    J = turn @ np.diag([4.0, 25.0]) @ turn.T
    ax = plot_metric_ellipses(POINTS, [J] * 3, length=2.0)
    ellipse = ax.patches[1]
    on_unit_circle = np.array([[np.cos(t), np.sin(t)] for t in np.linspace(0, 6, 7)])
    steps = ellipse.get_patch_transform().transform(on_unit_circle) - POINTS[1]
    assert_allclose(np.einsum("ki,ij,kj->k", steps, J, steps), 4.0)


def test_a_direction_that_does_not_count_stops_before_the_next_point():
    ax = plot_metric_ellipses(POINTS, [np.diag([0.0, 1.0]), np.zeros((2, 2)), np.eye(2)], length=1)
    widths = [ellipse.width for ellipse in ax.patches]
    assert_allclose(widths, [9.6, 9.6, 2])
    assert ax.patches[1].get_alpha() < ax.patches[0].get_alpha()


def test_shapes_are_checked():
    with pytest.raises(ValueError, match=r"points must have shape"):
        plot_metric_ellipses(np.ones((3, 4)), np.ones((3, 2, 2)))
    with pytest.raises(ValueError, match=r"information must have shape \(3, 2, 2\)"):
        plot_metric_ellipses(POINTS, np.ones((2, 2)))
