"""Corrections of the negative eigenvalues of a similarity matrix."""

import numpy as np
from scipy import linalg

CORRECTIONS = ("none", "clip", "flip", "shift")


class SpectrumCorrection:
    """Make an indefinite similarity matrix positive semidefinite, or leave it unchanged.

    ``clip`` sets negative eigenvalues to zero, ``flip`` takes their absolute values, ``shift``
    subtracts the smallest one from all, ``none`` changes nothing. New rows of similarities to the
    training points are corrected by the same linear map: clip projects on the eigenvectors of
    positive eigenvalues, flip changes the sign along those of negative ones, and shift, which only
    raises the similarity of a point to itself, does not change them.

    Parameters
    ----------
    kind : {"none", "clip", "flip", "shift"}
        The correction.
    """

    def __init__(self, kind):
        self.kind = kind

    def fit(self, similarities):
        """Learn the correction from the symmetric training matrix and return it corrected.

        Costs O(n^3); ``none`` costs nothing.
        """
        self._map = None
        if self.kind == "none":
            return similarities
        values, vectors = linalg.eigh(similarities)
        if values[0] >= 0:
            return similarities
        if self.kind == "shift":
            return similarities - values[0] * np.eye(len(values), dtype=similarities.dtype)
        # Eigenvalues that are zero up to rounding have no meaningful sign.
        noise = np.abs(values).max() * len(values) * np.finfo(values.dtype).eps
        signs = np.where(values > noise, 1, np.where(values < -noise, -1, 0)).astype(values.dtype)
        if self.kind == "clip":
            signs = np.maximum(signs, 0)
        self._map = (vectors * signs) @ vectors.T
        return (vectors * (values * signs)) @ vectors.T

    def apply(self, rows):
        """Correct similarities of new points to the training points, (n_new, n_training)."""
        return rows if self._map is None else rows @ self._map


def negative_share(similarities):
    """Sum of the negative eigenvalues over the sum of all absolute ones, in [0, 1]; O(n^3)."""
    values = linalg.eigvalsh(similarities)
    noise = np.abs(values).max() * len(values) * np.finfo(values.dtype).eps
    return float(-values[values < -noise].sum() / np.abs(values).sum())
