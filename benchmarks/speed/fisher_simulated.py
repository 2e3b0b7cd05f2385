"""Simulated data like capital letters and like counts of genes in single cells."""

import numpy as np


def simulated_cells(n_cells=2000, n_genes=3000, n_types=8, n_markers=30, *, factor=2.5, seed=0):
    """Logarithms of counts of genes in cells: shallow, mostly zero, few genes tell types apart."""
    rng = np.random.default_rng(seed)
    types = np.arange(n_cells) % n_types
    levels = rng.gamma(0.3, 1.0, n_genes) * np.ones((n_types, 1))
    for kind in range(n_types):
        levels[kind, rng.permutation(n_genes)[:n_markers]] *= factor
    depths = rng.lognormal(np.log(2000), 0.4, n_cells)
    means = levels[types] * rng.gamma(5.0, 0.2, (n_cells, n_genes))
    counts = rng.poisson(means * (depths / means.sum(axis=1))[:, None])
    return np.log1p(counts * (2000 / counts.sum(axis=1))[:, None]).astype(np.float32), types


def simulated_letters(n_letters=6000, n_classes=26, n_features=16, n_shapes=6, *, seed=0):
    """Whole numbers from 0 to 15: six Gaussian clusters for each class, which overlap."""
    rng = np.random.default_rng(seed)
    means = rng.normal(7.5, 1.3, (n_classes, 1, n_features))
    means = means + rng.normal(0, 1.3, (n_classes, n_shapes, n_features))
    roots = rng.standard_normal((n_classes, n_shapes, n_features, n_features)) / n_features**0.5
    classes, shapes = np.arange(n_letters) % n_classes, rng.integers(n_shapes, size=n_letters)
    noise = rng.standard_normal((n_letters, n_features))
    noise = 0.9 * noise + 1.2 * np.einsum("nij,nj->ni", roots[classes, shapes], noise)
    return np.clip(np.rint(means[classes, shapes] + noise), 0, 15).astype(np.float32), classes
