import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.manifold import TSNE
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discrimap.metrics import leave_one_out_error, permuted_label_error, permuted_label_errors


class RecordingPCA(PCA):
    """Keeps the labels it was given, on the class because it is cloned."""

    seen: list = []

    def fit_transform(self, X, y=None):
        self.seen.append((np.asarray(X).copy(), np.asarray(y).copy()))
        return super().fit_transform(X)


def test_held_out_control_is_at_chance_even_where_fitted_points_look_separated(rng):
    X, y = rng.standard_normal((120, 100)), np.arange(120) % 2
    lda = LinearDiscriminantAnalysis()
    # 100 features separate 120 points of any labelling, but not the points held out.
    fitted = permuted_label_error(lda, X, y, test_size=None, random_state=0)
    held_out = permuted_label_error(lda, X, y, test_size=0.15, random_state=0)
    assert fitted < 0.1
    assert 0.35 < held_out < 0.65


def test_the_mean_is_that_of_the_repeats_and_the_seed_decides():
    X, y = load_iris(return_X_y=True)
    options = {"n_repeats": 4, "n_neighbors": 3}
    errors = permuted_label_errors(PCA(2), X, y, random_state=3, **options)
    assert len(np.unique(errors)) > 1
    assert permuted_label_error(PCA(2), X, y, random_state=3, **options) == errors.mean()
    assert_array_equal(errors, permuted_label_errors(PCA(2), X, y, random_state=3, **options))
    assert np.any(errors != permuted_label_errors(PCA(2), X, y, random_state=4, **options))


def test_each_repeat_fits_a_clone_to_labels_that_were_permuted():
    X, y = load_iris(return_X_y=True)
    X = X + 1e-6 * np.arange(150)[:, None]  # makes every sample recognisable
    RecordingPCA.seen.clear()
    model = RecordingPCA(2)
    permuted_label_errors(model, X, y, n_repeats=2, test_size=0.2, random_state=0)
    assert not hasattr(model, "components_")
    assert len(RecordingPCA.seen) == 2
    labellings = []
    for X_train, y_train in RecordingPCA.seen:
        assert len(X_train) == 120
        assert_array_equal(np.bincount(y_train), [40, 40, 40])  # stratified
        index = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in X_train]
        assert 0.4 < np.mean(y_train != y[index]) < 0.9  # 2/3 expected
        labellings.append(dict(zip(index, y_train, strict=True)))
    shared = labellings[0].keys() & labellings[1].keys()
    assert any(labellings[0][i] != labellings[1][i] for i in shared)


def test_without_a_split_methods_that_cannot_map_new_points_are_scored():
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    model = TSNE(perplexity=5, max_iter=250, init="random")  # unseeded: the control seeds it
    first = permuted_label_errors(
        model, X, y, n_repeats=1, test_size=None, n_neighbors=1, random_state=0
    )
    again = permuted_label_errors(
        model, X, y, n_repeats=1, test_size=None, n_neighbors=1, random_state=0
    )
    assert_array_equal(first, again)
    assert first[0] > 0.4
    Z = TSNE(perplexity=5, max_iter=250, random_state=0).fit_transform(X)
    assert leave_one_out_error(Z, y, 1) < 0.3


def test_frames_pipelines_and_text_labels():
    frame, y = load_iris(return_X_y=True, as_frame=True)
    names = pd.Series(np.array(["a", "b", "c"])[y])
    plain = make_pipeline(StandardScaler(), PCA(2))
    expected = permuted_label_error(plain, frame.to_numpy(), y, n_repeats=2, random_state=0)
    framed = make_pipeline(StandardScaler(), PCA(2)).set_output(transform="pandas")
    error = permuted_label_error(framed, frame, names, n_repeats=2, random_state=0)
    assert error == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": [0, 1]}, "y has 2 labels, but X has 150"),
        ({"n_repeats": 0}, "n_repeats=0"),
        ({"n_neighbors": 200}, "n_neighbors=200"),
        ({"test_size": 1.5}, "test_size"),
        ({"ties": "coin"}, "ties='coin'"),
    ],
)
def test_bad_input_is_refused(changes, message):
    X, y = load_iris(return_X_y=True)
    arguments = {"X": X, "y": y, "random_state": 0} | changes
    with pytest.raises(ValueError, match=message):
        permuted_label_error(PCA(2), **arguments)
