import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist

from discrimap import StochasticDiscriminantAnalysis
from discrimap.plots import plot_alpha_search, plot_distances
from discrimap.plots.distances import _cost
from discrimap.samples.in_memory import ArraySamples
from discrimap.sda.objective import StochasticDiscriminantObjective, pair_targets


@pytest.fixture
def ax():
    return Figure().add_subplot()


def test_the_search_is_drawn_in_order_with_the_choice(ax):
    plot_alpha_search([1.0, 1e-4, 1e-2], [0.3, 0.5, 0.2], best=1.0, ax=ax)
    curve, line = ax.get_lines()
    assert_allclose(curve.get_xdata(), [1e-4, 1e-2, 1.0])
    assert_allclose(curve.get_ydata(), [0.5, 0.2, 0.3])
    assert_allclose(line.get_xdata(), 1.0)


@pytest.mark.parametrize(
    ("alphas", "errors", "message"),
    [([1.0, 2.0], [0.1], r"shape \(2,\) and errors \(1,\)"), ([0.0, 1.0], [0.1, 0.2], "holds 0")],
)
def test_a_search_that_cannot_be_drawn_is_refused(alphas, errors, message):
    with pytest.raises(ValueError, match=message):
        plot_alpha_search(alphas, errors)


def test_the_cost_is_the_objective_of_points_at_one_distance():
    # Three classes at the corners of a triangle, each class a point.
    sizes = np.array([2, 5, 3])
    labels = np.repeat([0, 1, 2], sizes)
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    objective = StochasticDiscriminantObjective(
        ArraySamples(corners[labels], labels), pair_targets(3, 0.2), n_components=2, engine="exact"
    )
    for distance in (0.5, 2.0, 5.0):
        value = objective.value_and_grad(distance * np.eye(2))[0]
        assert _cost(distance, sizes, 0.2) == pytest.approx(value, rel=1e-9, abs=1e-12)
    assert _cost(2.0, sizes, 0.2) == pytest.approx(0.0, abs=1e-12)


def test_the_histograms_hold_every_pair(ax, rng):
    y = np.repeat([0, 1, 2], 10)
    Z = 3 * rng.standard_normal((3, 2))[y] + 0.1 * rng.standard_normal((30, 2))
    plot_distances(Z, y, epsilon=0.2, ax=ax)
    within, between = ax.containers
    edges = np.array(
        [bar.get_x() for bar in within] + [within[-1].get_x() + within[-1].get_width()]
    )
    same = (y[:, None] == y)[np.triu_indices(30, 1)]
    for bars, part in ((within, pdist(Z)[same]), (between, pdist(Z)[~same])):
        counts = np.histogram(part, edges)[0]
        assert counts.sum() == len(part)
        assert_allclose([bar.get_height() for bar in bars], counts / counts.max(), atol=0.11)
    ideal = next(line for line in ax.get_lines() if line.get_linestyle() == "--")
    assert_allclose(ideal.get_xdata(), 2.0)


def test_the_default_similarity_is_that_of_the_estimator(ax, rng):
    X, y = rng.standard_normal((30, 4)), np.repeat([0, 1, 2], 10)
    sda = StochasticDiscriminantAnalysis(n_init=1).fit(X, y)
    plot_distances(sda.transform(X), y, ax=ax)
    ideal = next(line for line in ax.get_lines() if line.get_linestyle() == "--")
    assert_allclose(ideal.get_xdata(), np.sqrt(1 / sda.epsilon_ - 1))


@pytest.mark.parametrize(
    ("Z", "y", "epsilon", "message"),
    [
        (np.zeros(3), [0, 0, 1], 0.5, r"Z has shape \(3,\)"),
        (np.zeros((3, 1)), [0, 0, 0], 0.5, "y holds 1 classes"),
        (np.zeros((3, 1)), [0, 0, 1], 1.0, "epsilon=1.0"),
    ],
)
def test_distances_that_cannot_be_drawn_are_refused(Z, y, epsilon, message):
    with pytest.raises(ValueError, match=message):
        plot_distances(Z, y, epsilon=epsilon)


def test_the_legend_of_the_distances_hides_nothing(rng):
    figure = Figure(layout="constrained")
    y = np.repeat([0, 1, 2], 10)
    ax = plot_distances(
        rng.standard_normal((30, 2)), y, ax=figure.add_subplot(), title="all of them"
    )
    FigureCanvasAgg(figure).draw()
    legend = ax.get_legend().get_window_extent()
    assert ax.get_window_extent().y1 <= legend.y0
    assert legend.y1 <= ax._left_title.get_window_extent().y0
