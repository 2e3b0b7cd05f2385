import numpy as np

from discrimap.inspection.budget import Budget
from discrimap.inspection.folds import cross_votes
from discrimap.inspection.jury import N_NEIGHBORS, convene_jury
from discrimap.inspection.refits import Refit


def test_the_votes_of_the_best_maps_are_averaged(corners, rng, make_samples, compared, monkeypatch):
    monkeypatch.setattr("discrimap.inspection.jury.N_JURORS", 2)
    # So much noise that the maps disagree on some samples.
    noise = 4 * rng.standard_normal(corners.X.shape)
    samples = make_samples(corners.X + noise, corners.y, corners.class_names)
    comparison = compared(samples, ["pca", "lda", "plsda"])
    jury = convene_jury(comparison, samples, comparison.protocol, Budget(600))
    assert len(jury.jurors) == 2
    assert jury.n_neighbors == N_NEIGHBORS
    # Five components where the method can have them, and three of LDA for four classes.
    n_components = {"PCA": 5, "LDA": 3, "PLS-DA": 5}
    by_label = {result.label: result for result in comparison.done}
    votes = []
    for label, d in jury.jurors:
        assert d == n_components[label]
        refit = Refit(by_label[label], samples, comparison.protocol)
        votes.append(cross_votes(refit, d, N_NEIGHBORS, comparison.protocol.seed))
    np.testing.assert_allclose(jury.votes, np.mean(votes, axis=0))
    assert np.mean(jury.votes.argmax(axis=1) == samples.y) > 0.7


def test_the_map_that_mixes_the_classes_is_not_chosen(rng, make_samples, compared, monkeypatch):
    """The widest directions are noise: PCA finds these, LDA the classes."""
    monkeypatch.setattr("discrimap.inspection.jury.N_JURORS", 1)
    y = np.arange(150) % 3
    X = rng.standard_normal((150, 8)) * [1, 1, 50, 50, 50, 50, 50, 50]
    X[:, :2] += 8 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    samples = make_samples(X, y, "abc")
    comparison = compared(samples, ["pca", "lda"])
    jury = convene_jury(comparison, samples, comparison.protocol, Budget(600))
    assert jury.jurors == (("LDA", 2),)


def test_numbers_are_predicted(rng, make_samples, compared):
    X = rng.standard_normal((200, 2)) * [10, 0.1]
    samples = make_samples(X, X[:, 0])
    comparison = compared(samples, ["pca"])
    jury = convene_jury(comparison, samples, comparison.protocol, Budget(600))
    assert jury.votes.shape == (200,)
    assert np.corrcoef(jury.votes, samples.y)[0, 1] > 0.97


def test_without_time_there_is_no_jury(corners, compared):
    comparison = compared(corners, ["pca"])
    found = convene_jury(comparison, corners, comparison.protocol, Budget(0))
    assert found == "Every method fails or takes too long when it is fitted 5 times more."
