"""Types of arguments and results that many public functions share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from scipy import sparse

Array: TypeAlias = NDArray[Any]

# What ``fit`` and ``transform`` take for samples. Data frames, and Dask collections where a method
# takes them, are array-like: they have the method ``__array__``.
MatrixLike: TypeAlias = "ArrayLike | sparse.sparray | sparse.spmatrix"

# What ``transform`` returns: an array, a data frame after ``set_output``, and a Dask collection for a
# Dask collection.
MappedSamples: TypeAlias = Any

RandomState: TypeAlias = int | np.random.RandomState | None
