"""Quadratic forms ``f' X' K X f`` of a projection, given by a matrix K of the samples.

The scatter within classes, between them and along the edges of a graph are X'KX with a symmetric K
that is a sparse matrix plus a few outer products. K is never formed, so a form costs one pass over
X, as a matrix (p x p) or applied to a few vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from discrimap._typing import Matrix


@dataclass(frozen=True)
class SampleForm:
    """The symmetric matrix ``K = pairs + factors diag(signs) factors'`` on the samples.

    Attributes
    ----------
    pairs : sparse array of shape (n_samples, n_samples)
        The sparse part.
    factors : ndarray of shape (n_samples, n_factors)
        The low-rank part.
    signs : ndarray of shape (n_factors,)
        The weight of each factor, of either sign.
    """

    pairs: sparse.csr_array
    factors: np.ndarray
    signs: np.ndarray

    def apply(self, values: np.ndarray) -> np.ndarray:
        """Multiply K by values of shape (n_samples, k)."""
        return self.pairs @ values + self.factors @ (
            self.signs[:, None] * (self.factors.T @ values)
        )

    def matrix(self, X: Matrix) -> np.ndarray:
        """Return X'KX, (n_features, n_features), in O(n p^2) or less for sparse X."""
        product = X.T @ (self.pairs @ X)
        if sparse.issparse(product):
            product = product.toarray()
        projected = X.T @ self.factors  # (n_features, n_factors)
        product = product + (projected * self.signs) @ projected.T
        # Remove the asymmetry due to rounding, which affects eigensolvers.
        return (product + product.T) / 2


def add_forms(first: SampleForm, second: SampleForm, weight: float = 1.0) -> SampleForm:
    """Return the form ``first + weight * second``."""
    return SampleForm(
        pairs=sparse.csr_array(first.pairs + weight * second.pairs),
        factors=np.hstack([first.factors, second.factors]),
        signs=np.concatenate([first.signs, weight * second.signs]),
    )


def diagonal_form(weights: np.ndarray) -> SampleForm:
    """Return the weighted scatter about the weighted mean: ``diag(w) - w w' / sum(w)``."""
    return SampleForm(
        pairs=sparse.csr_array(sparse.diags_array(weights)),
        factors=weights[:, None],
        signs=np.array([-1.0 / weights.sum()]),
    )


def pairs_form(pairs: sparse.csr_array) -> SampleForm:
    """Return a sparse form without a low-rank part, such as a Laplacian."""
    return SampleForm(pairs, factors=np.zeros((pairs.shape[0], 0)), signs=np.zeros(0))


def factor_form(factors, signs):
    """Return a form that consists of outer products only."""
    n_samples = len(factors)
    nothing = sparse.csr_array((n_samples, n_samples))
    return SampleForm(nothing, factors, np.asarray(signs, dtype=float))
