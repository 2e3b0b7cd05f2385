"""Lengths of segments by the paper's sum over left endpoints."""

import numpy as np


def left_endpoint_lengths(field, left, right, n_steps):
    """Eq. (3) of Schulz and Hammer (2016), kept for comparison: first order in 1 / n_steps.

    With ``u_l`` the Gaussians at a node, ``A_c = sum_{l in c} u_l`` and
    ``B_c = sum_{l in c} u_l (s_il - s_jl)``, the quadratic form of Eq. (7) is
    ``[sum_c p_c (B_c / A_c)^2 - (B / A)^2] / sigma^4``: the variance over the classes of their mean
    slopes. The result is not symmetric in i and j.

    Parameters and result are those of :func:`discrimap.fisher.arc_length.arc_lengths`; the field
    must be a Parzen one.
    """
    lengths = np.zeros((len(left), len(right)), left.dtype)
    for step in range(n_steps):
        posterior, slopes = field.mean_slopes(left, right, step / n_steps)
        slopes -= np.einsum("cij,cij->ij", posterior, slopes)
        lengths += np.sqrt(np.einsum("cij,cij,cij->ij", posterior, slopes, slopes))
    lengths /= n_steps
    return lengths


def symmetric_left_endpoint_lengths(field, left, right, n_steps):
    """Mean of :func:`left_endpoint_lengths` over both directions, hence a symmetric length."""
    forth = left_endpoint_lengths(field, left, right, n_steps)
    back = left_endpoint_lengths(field, right, left, n_steps)
    return (forth + back.T) / 2
