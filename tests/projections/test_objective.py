"""Compare the quadratic forms with the matrices and the sums of the paper."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg, sparse

from discrimap.linalg.graphs import degrees, laplacian, neighbor_graph
from discrimap.linalg.sample_forms import diagonal_form
from discrimap.projections.objective import class_pencil, target_pencil


@pytest.fixture
def problem(rng):
    """Unequal classes, some samples unlabelled, an offset of the features."""
    labels = np.repeat([0, 1, 2, -1], [9, 5, 4, 8])
    X = rng.standard_normal((26, 4)) + 0.8 * labels[:, None] + 3.0
    return X, labels, neighbor_graph(X, n_neighbors=4)


def to_fh(X, labels, f, g):
    """The coordinates h that belong to f and g."""
    counts = np.bincount(labels[labels >= 0])
    means = np.array([X[labels == c].mean(axis=0) for c in range(len(counts))])
    return np.vstack([f, (g - means @ f) * np.sqrt(counts)[:, None]])


def test_class_forms_equal_the_sums_of_the_paper(problem, rng):
    X, labels, weights = problem
    mu, spread, ridge = 0.3, 0.7, 0.2
    pencil = class_pencil(labels, weights, mu=mu, spread=spread, ridge=ridge)
    f, g = rng.standard_normal((4, 1)), rng.standard_normal((3, 1))
    v = to_fh(X, labels, f, g)

    own = others = 0.0
    for x, label in zip(X, labels, strict=True):
        if label < 0:
            continue
        for k in range(3):
            squared = float((x @ f - g[k])[0] ** 2)
            own += squared * (k == label)
            others += squared * (k != label)
    topology = mu * float((f.T @ X.T @ laplacian(weights).toarray() @ X @ f)[0, 0])
    z = (X @ f).ravel()
    degree = degrees(weights)
    about_mean = np.sum(degree * (z - np.average(z, weights=degree)) ** 2)
    n_labelled = (labels >= 0).sum()
    extra = spread * 2 * n_labelled / degree.sum() * about_mean

    numerator, denominator = pencil.matrices(X)
    assert_allclose((v.T @ numerator @ v)[0, 0], others + extra, rtol=1e-10)
    expected = own + topology + ridge * float((f**2).sum())
    assert_allclose((v.T @ denominator @ v)[0, 0], expected, rtol=1e-10)


def test_eigenvalues_are_those_of_the_printed_problem(problem):
    """(A + C) v = lambda (B + C) v with the (p + c) matrices of Section 2.4."""
    X, labels, weights = problem
    mu = 0.3
    labelled = X[labels >= 0]
    onehot = np.eye(3)[labels[labels >= 0]]
    ones = np.ones_like(onehot)
    A = np.block(
        [[labelled.T @ labelled, -labelled.T @ onehot], [-onehot.T @ labelled, onehot.T @ onehot]]
    )
    B = np.block(
        [
            [3 * labelled.T @ labelled, -labelled.T @ ones],
            [-ones.T @ labelled, len(labelled) * np.eye(3)],
        ]
    )
    C = linalg.block_diag(mu * X.T @ laplacian(weights).toarray() @ X, np.zeros((3, 3)))
    printed = linalg.eigh(A + C, B + C, eigvals_only=True)

    pencil = class_pencil(labels, weights, mu=mu, spread=0.0, ridge=0.0)
    nu = linalg.eigh(*pencil.matrices(X), eigvals_only=True)[::-1]
    assert_allclose(1 / (1 + nu), printed, rtol=1e-8)


def test_continuous_forms_equal_the_sums_of_the_paper(problem, rng):
    X, labels, weights = problem
    targets = np.where(labels[:, None] < 0, np.nan, rng.standard_normal((26, 2)))
    pencil, to_codes = target_pencil(targets, weights, mu=0.3, ridge=0.2)
    is_labelled = labels >= 0
    inputs = X[is_labelled] - X[is_labelled].mean(axis=0)
    outputs = targets[is_labelled] - targets[is_labelled].mean(axis=0)
    assert_allclose(outputs @ to_codes, pencil.codes[is_labelled], atol=1e-12)

    f, g = rng.standard_normal((4, 1)), rng.standard_normal((2, 1))
    # g'y = code' c with c = pinv(to_codes) g, and h is what least squares leaves of c.
    v = np.vstack([f, linalg.inv(to_codes) @ g - pencil.codes.T @ X @ f])
    numerator, denominator = pencil.matrices(X)
    degree = degrees(weights)
    centred = X - np.average(X, axis=0, weights=degree)
    expected = np.sum(degree * (centred @ f).ravel() ** 2) + np.sum((outputs @ g) ** 2)
    assert_allclose((v.T @ numerator @ v)[0, 0], expected, rtol=1e-10)
    topology = float((f.T @ X.T @ laplacian(weights).toarray() @ X @ f)[0, 0])
    expected = np.sum((inputs @ f - outputs @ g) ** 2) + 0.3 * topology + 0.2 * np.sum(f**2)
    assert_allclose((v.T @ denominator @ v)[0, 0], expected, rtol=1e-10)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_products_and_matrices_agree(problem, rng, container):
    X, labels, weights = problem
    pencil = class_pencil(labels, weights, mu=0.3, spread=0.7, ridge=0.2)
    numerator, denominator = pencil.matrices(container(X))
    block = rng.standard_normal((7, 3))
    assert_allclose(pencil.apply_numerator(container(X), block), numerator @ block, rtol=1e-9)
    assert_allclose(pencil.apply_denominator(container(X), block), denominator @ block, rtol=1e-9)


def test_an_offset_of_the_samples_changes_no_form(problem):
    X, labels, weights = problem
    pencil = class_pencil(labels, weights, mu=0.3, spread=0.7, ridge=0.2)
    for here, there in zip(pencil.matrices(X), pencil.matrices(X + 50.0), strict=True):
        assert_allclose(here, there, atol=1e-8)


def test_diagonal_form_is_the_weighted_scatter(rng):
    X, weights = rng.standard_normal((10, 3)), rng.random(10)
    expected = np.cov(X.T, aweights=weights, ddof=0) * weights.sum()
    assert_allclose(diagonal_form(weights).matrix(X), expected, rtol=1e-10)
