"""A method that fails when it is fitted again loses its own part of the page only."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

from discrimap.comparison import Protocol, compare
from discrimap.datasets import Dataset
from discrimap.report import look_closer, summarise, to_html


@pytest.fixture
def comparison_and_data():
    X, y = load_iris(return_X_y=True)
    comparison = compare(X, y, ["pca", "lda"], protocol=Protocol(n_repeats=1))
    return comparison, Dataset("iris", X, y)


def test_the_page_says_which_refit_failed(comparison_and_data, monkeypatch):
    comparison, dataset = comparison_and_data

    def fails(*_, **__):
        raise np.linalg.LinAlgError("did not converge\nmore lines")

    monkeypatch.setattr("discrimap.inspection.refits.fit_maps", fails)
    monkeypatch.setattr("discrimap.inspection.refits.Refit.trial", fails)
    summary = look_closer(summarise(comparison, dataset), dataset)
    found = summary.inspection
    told = "A further fit failed: LinAlgError: did not converge"
    assert found.dimensions == told
    assert not isinstance(found.confusion, str)  # needs no fit
    assert found.suspects == "Every method fails or takes too long when it is fitted 5 times more."
    assert not isinstance(found.maps, str)
    assert [one.dimensions for one in found.others] == [told]
    assert to_html(summary).count(told) == 2


def test_a_juror_that_fails_is_not_asked(comparison_and_data, monkeypatch):
    comparison, dataset = comparison_and_data

    def fails(*_, **__):
        raise ValueError("no")

    monkeypatch.setattr(PCA, "fit_transform", fails)
    found = look_closer(summarise(comparison, dataset), dataset).inspection
    assert [label for label, _ in found.suspects.jurors] == ["LDA"]
