"""Compiled loops over pairs of samples. Imported when used, because compilation takes time."""

import math

import numpy as np

from discrimap.linalg._vector_math import FAST, compiled, vector_exp


@compiled(fastmath=FAST)
def class_lengths(
    begin, end, left, right, left_folds, right_folds, indices, n_steps, lengths
):  # fmt: skip
    """Fisher lengths of the pairs ``(i, indices[i, k])`` for i in ``begin .. end - 1``.

    The logits of a pair are ``left[i, right_folds[j]]`` and ``right[j, left_folds[i]]``.
    """
    n_classes = left.shape[2]
    before, after = np.empty(n_classes), np.empty(n_classes)
    for i in range(begin, end):
        for k in range(indices.shape[1]):
            j = indices[i, k]
            start, stop = left[i, right_folds[j]], right[j, left_folds[i]]
            length = 0.0
            for step in range(n_steps + 1):
                t = step / n_steps
                largest = -np.inf
                for c in range(n_classes):
                    after[c] = (1.0 - t) * start[c] + t * stop[c]
                    largest = max(largest, after[c])
                total = 0.0
                for c in range(n_classes):
                    root = vector_exp(0.5 * (after[c] - largest))
                    after[c] = root
                    total += root * root
                scale = 1.0 / math.sqrt(total)
                squared_chord = 0.0
                for c in range(n_classes):
                    after[c] *= scale
                    difference = after[c] - before[c]
                    squared_chord += difference * difference
                if step > 0:
                    length += 4.0 * math.asin(min(1.0, 0.5 * math.sqrt(squared_chord)))
                before, after = after, before
            lengths[i, k] = length
