import numpy as np
import pytest

from discrimap.inspection.budget import Budget
from discrimap.inspection.confusion import count_confusions
from discrimap.inspection.other_methods import look_at_others


@pytest.fixture
def comparison(corners, compared):
    return compared(corners, ["pca", "lda", "plsda", "kda"])


def test_every_method_but_the_shown_one_is_looked_at(corners, comparison):
    found = look_at_others(comparison, corners, Budget(60))
    names = [result.name for result in comparison.done if result.name != comparison.shown]
    assert [one.name for one in found] == names
    assert len(names) == 3
    results = {result.name: result for result in comparison.done}
    for one in found:
        result = results[one.name]
        assert (one.label, one.n_components) == (result.label, result.n_components)
        np.testing.assert_array_equal(
            one.confusion.counts, count_confusions(result, corners).counts
        )
        if one.name == "kda":
            assert one.features.startswith(f"{one.label} is not linear")
        else:
            assert one.features.name == one.dimensions.name == one.name
            assert set(one.features.ranking[:3].tolist()) == {0, 1, 2}  # the planted ones


def test_without_time_there_are_confusions_alone(corners, comparison):
    for one in look_at_others(comparison, corners, Budget(0)):
        assert not isinstance(one.confusion, str)
        assert isinstance(one.features, str)
        assert "too long" in one.dimensions


def test_the_loadings_of_all_come_before_the_intervals_of_some(corners, compared, monkeypatch):
    """Where a method's share is too short for twenty refits, it still has one fit."""
    comparison = compared(corners, ["pca", "lda", "plsda"])
    monkeypatch.setattr("discrimap.inspection.refits.Refit.seconds", lambda *_: 2.0)
    monkeypatch.setattr("discrimap.inspection.other_methods.FEWEST_SECONDS", 1.0)
    for one in look_at_others(comparison, corners, Budget(60)):
        assert isinstance(one.features, str)  # at most one second in all
    # A share of some three seconds, of which half is too little for one fit of two.
    monkeypatch.setattr("discrimap.inspection.other_methods.FEWEST_SECONDS", 7.0)
    for one in look_at_others(comparison, corners, Budget(60)):
        assert one.features.n_bootstrap == 0
        assert one.features.intervals is None
