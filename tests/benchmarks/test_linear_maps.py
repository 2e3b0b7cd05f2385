"""The choice of epsilon and the comparisons of the page of linear maps."""

import numpy as np
import pytest
from benchmarks import sda_epsilon
from benchmarks.pages import linear_maps


def rows_with_means(*means):
    """Two splits whose mean errors, LDA's first, are those given."""
    return [[mean - 0.01 for mean in means], [mean + 0.01 for mean in means]]


def test_of_powers_that_cannot_be_told_apart_that_nearest_to_the_paper_is_used():
    # The third is the best on average; the second differs from it by less than its standard error.
    found = {
        "a": rows_with_means(0.5, 0.40, 0.21, 0.20, 0.30),
        "b": rows_with_means(0.5, 0.42, 0.18, 0.20, 0.31),
        "c": rows_with_means(0.5, 0.41, 0.22, 0.20, 0.32),
    }
    used, differences, errors = sda_epsilon.chosen(found)
    assert used == 1
    assert differences == pytest.approx([0.41 - 0.61 / 3, 0, 0.2 - 0.61 / 3, 0.31 - 0.61 / 3])
    # Differences of the first from the second: .19, .24, .19.
    assert errors[0] == pytest.approx(np.std([0.19, 0.24, 0.19], ddof=1) / np.sqrt(3))
    assert errors[1] == 0


def test_automatic_sda_is_regularised_where_features_are_many():
    errors = {"SDA": 0.3, "RSDA": 0.2, "LDA": 0.6}
    fits = {name: {m: [{"error": e}] for m, e in errors.items()} for name in ("wide", "narrow")}
    shapes = {"wide": {"n": 100, "p": 21}, "narrow": {"n": 100, "p": 20}}
    found = linear_maps.differences(shapes, fits, linear_maps.AUTO, "LDA")
    assert found["wide"] == pytest.approx([-40])
    assert found["narrow"] == pytest.approx([-30])
