"""One sign for vectors that are known up to sign, such as eigenvectors."""

import numpy as np

# Entries whose size is within this fraction of the largest count as equally large.
NEARLY_EQUAL = 1e-6


def with_fixed_signs(vectors):
    """Make the largest entry of each column positive; of nearly equal ones the first decides.

    Columns of a binary variable and of its complement get opposite entries of the same size: which
    is larger would be a matter of rounding, and of the processor.
    """
    sizes = np.abs(vectors)
    deciding = (sizes >= (1 - NEARLY_EQUAL) * sizes.max(axis=0)).argmax(axis=0)
    return vectors * np.where(vectors[deciding, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
