"""Lengths of segments as arcs on the sphere of posteriors."""

import numpy as np


def arc_lengths(field, left, right, n_steps):
    """Fisher lengths of the segments from every left to every right point.

    ``J = sum_c p_c grad(log p_c) grad(log p_c)' = 4 sum_c grad(sqrt p_c) grad(sqrt p_c)'``, so the
    Fisher length of a segment is the length of the curve ``2 sqrt(p(c | x(t)))`` on the sphere of
    radius 2. The great arcs between ``n_steps + 1`` equidistant nodes are summed: symmetric, and at
    8 steps as close to the limit as the paper's Eq. (3) at 50 to 100.

    Parameters
    ----------
    field : ParzenField or ClassifierField
        Gives posteriors at points and along segments.
    left, right : ndarray
        Points in the representation of the field.
    n_steps : int
        Number of arcs.

    Returns
    -------
    lengths : ndarray of shape (n_left, n_right)
    """
    previous = np.sqrt(field.posterior(left))[:, :, None]
    lengths = np.zeros((len(left), len(right)), previous.dtype)
    for step in range(1, n_steps):
        current = field.along(left, right, step / n_steps)
        np.sqrt(current, out=current)
        _add_arcs(lengths, previous, current)
        previous = current
    _add_arcs(lengths, previous, np.sqrt(field.posterior(right))[:, None, :])
    return lengths


def _add_arcs(lengths, start, stop):
    # The chord is used, because arccos of the inner product loses half the digits of a short arc.
    squared_chord = np.zeros_like(lengths)
    for class_start, class_stop in zip(start, stop, strict=True):
        difference = class_stop - class_start
        difference *= difference
        squared_chord += difference
    half_chord = np.sqrt(squared_chord, out=squared_chord)
    half_chord *= 0.5
    np.minimum(half_chord, 1, out=half_chord)
    np.arcsin(half_chord, out=half_chord)
    half_chord *= 4
    lengths += half_chord
