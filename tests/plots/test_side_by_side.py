import numpy as np
import pytest
from matplotlib.figure import Figure

from discrimap.metrics import knn_error
from discrimap.plots import plot_side_by_side


@pytest.fixture
def maps(rng):
    y = np.arange(40) % 2
    return {
        "a": rng.standard_normal((40, 2)),
        "b": rng.standard_normal((40, 2)) + 9 * y[:, None],
    }, y


def test_each_title_gives_the_held_out_error_of_its_map(maps):
    maps, y = maps
    is_test = np.arange(40) >= 30
    axes = plot_side_by_side(maps, y, is_test=is_test)
    for ax, (title, Z) in zip(axes, maps.items(), strict=True):
        error = 100 * knn_error(Z[:30], y[:30], Z[30:], y[30:], n_neighbors=1)
        assert ax.get_title(loc="left") == f"{title}\nheld-out 1-NN error {error:.1f} %"


def test_without_held_out_points_no_error_is_quoted(maps):
    axes = plot_side_by_side(*maps)
    assert [ax.get_title(loc="left") for ax in axes] == ["a", "b"]
    assert len({id(ax.figure) for ax in axes}) == 1


def test_axes_must_fit_the_maps(maps):
    with pytest.raises(ValueError, match="3 axes, but there are 2 maps"):
        plot_side_by_side(*maps, axes=Figure().subplots(1, 3))
    with pytest.raises(ValueError, match="empty"):
        plot_side_by_side({}, maps[1])
