"""Objective of discriminative projections: a ratio of two quadratic forms.

Samples are mapped by f, labels by g, into the same space. Following Wang and Mahadevan, with l
labelled samples x_i, label codes y_i (one-hot for classes, centred values for continuous targets):

    A:  sum_i (f'x_i - g'y_i)^2                        samples near their own label
    C:  mu f'X'LXf                                     neighbours near each other
    B:  sum_i sum_k (f'x_i - g's_k)^2                  samples far from all labels

and the paper minimises (A + C)/(B - A) for classes. In the printed form ``(A + C) v = lambda
(B + C) v`` both sides are singular if a feature is constant or a linear combination of others. We
maximise (B - A) relative to (A + C + ridge) with the eigenvalue nu; ``lambda = 1/(1 + nu)``, and the
directions are the same.

Coordinates. Instead of g we use h, the offset of a label from its least-squares position:
``g'y = (fitted f'x) + h'y``. Then A + C becomes block diagonal, ``f'Sf + |h|^2`` with

    S = within-label scatter of the labelled samples + mu X'LX + ridge I,

where h is scaled by the square root of Y'Y. No array larger than X and the graph is formed. Every
quadratic form annihilates the constant vector, so that an offset of X has no effect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from discrimap.linalg.graphs import degrees, laplacian
from discrimap.linalg.sample_forms import (
    SampleForm,
    add_forms,
    diagonal_form,
    factor_form,
    pairs_form,
)


@dataclass(frozen=True)
class LabelPencil:
    """Numerator and denominator of the ratio, in the coordinates (f, h).

    The numerator is ``f'X'PXf + 2 f'X'Qh + h'diag(offset_gain)h``, the denominator
    ``f'X'SXf + ridge |f|^2 + |h|^2``.

    Attributes
    ----------
    gain : SampleForm
        The form P.
    cross_gain : ndarray of shape (n_samples, n_codes)
        The matrix Q.
    offset_gain : ndarray of shape (n_codes,)
        The diagonal of the part that depends on h alone.
    cost : SampleForm
        The form S, without the ridge.
    ridge : float
        Weight of ``|f|^2``.
    codes : ndarray of shape (n_samples, n_codes)
        Orthonormal label codes U, zero rows for unlabelled samples.
    useless : ndarray of shape (n_codes,) or None
        Offsets h of the uninformative direction (classes only).
    """

    gain: SampleForm
    cross_gain: np.ndarray
    offset_gain: np.ndarray
    cost: SampleForm
    ridge: float
    codes: np.ndarray
    useless: np.ndarray | None = None

    def matrices(self, X):
        """Return numerator and denominator as dense matrices with p + n_codes rows."""
        n_codes = self.codes.shape[1]
        cross = X.T @ self.cross_gain
        numerator = np.block([[self.gain.matrix(X), cross], [cross.T, np.diag(self.offset_gain)]])
        cost = self.cost.matrix(X)
        denominator = linalg.block_diag(cost + self.ridge * np.eye(len(cost)), np.eye(n_codes))
        return numerator, denominator

    def apply_numerator(self, X, vectors):
        """Multiply the numerator by vectors of shape (p + n_codes, k), without forming it."""
        f, h = np.split(vectors, [X.shape[1]])
        projected = X @ f
        top = X.T @ (self.gain.apply(projected) + self.cross_gain @ h)
        return np.vstack([top, self.cross_gain.T @ projected + self.offset_gain[:, None] * h])

    def apply_denominator(self, X, vectors):
        """Multiply the denominator by vectors of shape (p + n_codes, k), without forming it."""
        f, h = np.split(vectors, [X.shape[1]])
        return np.vstack([X.T @ self.cost.apply(X @ f) + self.ridge * f, h])


def class_pencil(
    labels: np.ndarray, weights: sparse.csr_array, *, mu: float, spread: float, ridge: float
) -> LabelPencil:
    """Return the pencil for classes, Sections 2.2 and 2.4 of the paper, plus our term for spread.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        Class of each sample, 0 to C - 1; -1 for unlabelled samples.
    weights : sparse array of shape (n_samples, n_samples)
        The neighbour graph.
    mu : float
        Weight of the graph, as in the paper.
    spread : float
        Weight of the spread of all samples in the numerator; 0 is the paper's method.
    ridge : float
        Weight of ``|f|^2`` in the denominator.

    Returns
    -------
    pencil : LabelPencil
    """
    is_labelled = labels >= 0
    n_labelled = is_labelled.sum()
    counts = np.bincount(labels[is_labelled])
    n_classes = len(counts)
    onehot = np.zeros((len(labels), n_classes))
    onehot[is_labelled, labels[is_labelled]] = 1.0
    labelled = is_labelled.astype(float)

    codes = onehot / np.sqrt(counts)
    within = add_forms(pairs_form(_diagonal(labelled)), factor_form(codes, -np.ones(n_classes)))
    # Row k of to_means' X is the mean of class k about the mean of all labelled samples.
    to_means = onehot / counts - labelled[:, None] / n_labelled
    between = factor_form(
        np.hstack([codes, labelled[:, None]]), np.append(np.ones(n_classes), -1.0 / n_labelled)
    )

    # sum_i sum_{k != y_i} (f'x_i - f'm_k - h_k)^2, split into terms of f, of f and h, and of h.
    gain = add_forms(
        factor_form(to_means, np.full(n_classes, float(n_labelled))), between, float(n_classes)
    )
    gain = add_forms(gain, within, n_classes - 1.0)
    if spread > 0:
        degree = degrees(weights)
        share = n_labelled / degree.sum()
        gain = add_forms(gain, diagonal_form(degree), spread * (n_classes - 1) * share)

    useless = 1.0 / np.sqrt(counts)
    return LabelPencil(
        gain=gain,
        cross_gain=n_labelled * to_means / np.sqrt(counts),
        offset_gain=(n_labelled - counts) / counts,
        cost=add_forms(within, pairs_form(laplacian(weights)), mu),
        ridge=ridge,
        codes=codes,
        useless=useless,
    )


def target_pencil(
    target: np.ndarray, weights: sparse.csr_array, *, mu: float, ridge: float
) -> tuple[LabelPencil, np.ndarray]:
    """Return the pencil for continuous targets, Section 3 of the paper.

    The paper minimises A + C subject to ``f'X'DXf + g'Y'Yg = 1``; we maximise this form relative to
    A + C + ridge, with ``lambda = 1/nu``.

    Parameters
    ----------
    target : ndarray of shape (n_samples, n_outputs)
        The values; NaN for unlabelled samples.
    weights, mu, ridge
        As in :func:`class_pencil`.

    Returns
    -------
    pencil : LabelPencil
    to_codes : ndarray of shape (n_outputs, n_codes)
        ``(target - mean) @ to_codes`` are the orthonormal codes of the labelled samples.
    """
    is_labelled = ~np.isnan(target).any(axis=1)
    labelled = is_labelled.astype(float)
    values = target[is_labelled] - target[is_labelled].mean(axis=0)
    left, scales, right = linalg.svd(values, full_matrices=False)
    # An output that is a linear combination of others adds no code.
    kept = scales > scales.max() * max(values.shape) * np.finfo(float).eps
    codes = np.zeros((len(target), kept.sum()))
    codes[is_labelled] = left[:, kept]

    explained = factor_form(codes, np.ones(codes.shape[1]))
    scatter = diagonal_form(labelled)
    pencil = LabelPencil(
        gain=add_forms(diagonal_form(degrees(weights)), explained),
        cross_gain=codes,
        offset_gain=np.ones(codes.shape[1]),
        cost=add_forms(add_forms(scatter, explained, -1.0), pairs_form(laplacian(weights)), mu),
        ridge=ridge,
        codes=codes,
    )
    return pencil, right[kept].T / scales[kept]


def _diagonal(weights):
    return sparse.csr_array(sparse.diags_array(weights))
