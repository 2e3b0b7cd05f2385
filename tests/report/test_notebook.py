"""What a comparison and a fitted estimator give to a notebook; tests/browser/ looks at it."""

import html
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import discrimap
from discrimap.comparison import MethodResult, Protocol
from discrimap.errors import InputError
from discrimap.report import frames, show
from discrimap.report.notebook import MOST_POINTS


@pytest.fixture(scope="module")
def comparison():
    X, y = load_wine(return_X_y=True)
    return discrimap.compare(
        X, y, ["pca", "lda"], protocol=Protocol(n_repeats=2), data_name="<wine>"
    )


def page_in(frame):
    """The page inside a frame."""
    return html.unescape(re.search(r'srcdoc="(.*?)"', frame, re.DOTALL)[1])


def test_the_frame_holds_one_page_that_may_run_scripts_and_save_files_alone(comparison):
    frame = comparison._repr_html_()
    assert frame.count("<") == frame.count(">") == 2  # the page inside is escaped
    assert 'sandbox="allow-scripts allow-downloads"' in frame
    page = page_in(frame)
    assert page.startswith("<!doctype html>")
    assert "default-src 'none'" in html.unescape(page)
    for sentence in comparison.verdict:
        assert html.escape(sentence, quote=False) in page
    assert "<wine>" not in page


def test_ten_lines_tell_the_verdict_and_the_best_methods(comparison):
    lines = repr(comparison).splitlines()
    assert lines[0] == "Comparison of <wine>: 178 samples, 3 classes"
    assert tuple(lines[1:3]) == comparison.verdict[:2]
    for line, result in zip(lines[3:5], comparison.done, strict=True):
        assert result.label in line
        assert f"{100 * result.test_error:.1f}" in line
    many = replace(comparison, results=comparison.results[:1] * 30)
    assert len(repr(many).splitlines()) == 10
    assert repr(many).splitlines()[-1].startswith("24 more methods: ")


def test_notices_on_a_table_are_shown_where_a_notebook_user_looks(rng):
    table = pl.DataFrame(
        {
            "name": [f"P{row:03d}" for row in range(40)],
            "x": rng.standard_normal(40),
            "colour": ["red", "blue"] * 20,
            "kind": ["a", "b", "b", "a"] * 10,
        }
    )
    found = discrimap.compare(table, target="kind", methods=["pca"], protocol=Protocol(n_repeats=1))
    first, second = found.dataset.notices
    assert "'name'" in first
    assert "colour" in second
    assert f"! {first} (and 1 more in dataset.notices)" in repr(found).splitlines()
    assert len(repr(found).splitlines()) <= 10
    page = html.unescape(html.unescape(found._repr_html_()))
    for notice in (first, second):
        assert notice[1:] in page  # sentences begin with a capital there


@pytest.mark.parametrize("has_pandas", [True, False])
def test_the_frame_has_a_row_for_each_method(comparison, monkeypatch, has_pandas):
    monkeypatch.setattr(frames, "is_installed", lambda package: has_pandas)
    failed = MethodResult("dp", "Discriminative projections", "failed", "reason")
    frame = replace(comparison, results=(*comparison.results, failed)).to_frame()
    assert isinstance(frame, pl.DataFrame) != has_pandas
    first = comparison.results[0]
    assert list(frame["name"]) == [*(result.name for result in comparison.results), "dp"]
    assert frame["held_out_error"][0] == first.test_error
    assert frame["held_out_sd"][0] == pytest.approx(np.std(first.test_errors, ddof=1))
    assert frame["permuted_error"][0] == pytest.approx(np.mean(first.permuted_errors))
    missing = frame["held_out_error"][2]
    assert missing is None or np.isnan(missing)
    assert list(frame["reason"]) == ["", "", "reason"]


def test_the_report_is_that_of_the_command_line(comparison, tmp_path):
    steps = []
    path = tmp_path / "r.html"
    page = comparison.report(path, seconds=5, on_step=steps.append)
    text = path.read_text(encoding="utf-8")
    assert page.text == text
    assert steps
    for section in ("features", "labels", "confusions", "dimensions", "run"):
        assert f'<section id="{section}"' in text
    assert repr(page).startswith("Report on <wine> (")


def test_a_comparison_without_samples_has_no_page(comparison):
    without = replace(comparison, dataset=None)
    assert without._repr_html_() is None
    with pytest.raises(InputError, match="does not hold its samples"):
        without.report()


@pytest.mark.parametrize("kind", ["classes", "numbers", "none"])
def test_a_fitted_estimator_shows_its_map(kind, tmp_path):
    X, y = load_wine(return_X_y=True, as_frame=True)
    y = {"classes": y, "numbers": X["alcohol"], "none": None}[kind]
    pipeline = make_pipeline(StandardScaler(), PCA(2)).fit(X)
    page = show(pipeline, X, y).save(tmp_path / "m.html")
    assert (tmp_path / "m.html").read_text(encoding="utf-8") == page.text
    assert repr(page).startswith("Map of PCA: 178 points")
    assert ('id="legend"' in page.text) == (kind != "numbers")
    assert "alcohol" in page.text
    assert 'id="map-training"' in page.text
    assert 'id="map-held-out"' not in page.text


def test_of_many_points_some_are_drawn(rng):
    X = sparse.random(MOST_POINTS + 10, 20, density=0.3, format="csr", random_state=0)
    page = show(TruncatedSVD(2, random_state=0).fit(X), X, np.arange(MOST_POINTS + 10) % 3)
    assert f"random sample of {MOST_POINTS:,} of {MOST_POINTS + 10:,} points" in page.text
    assert len(page.text) < 4e6


def test_what_cannot_be_shown_is_told():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InputError, match="y has 3 values for the 178 samples"):
        show(PCA(2).fit(X), X, y[:3])

    class Broken:
        def transform(self, X):
            return np.full((len(X), 2), np.nan)

    with pytest.raises(InputError, match=r"Broken.transform\(X\) has shape .* not finite"):
        show(Broken(), X)
