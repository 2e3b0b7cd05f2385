"""Type aliases for arguments and results of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from scipy import sparse

Array: TypeAlias = NDArray[Any]

# The samples that ``fit`` and ``transform`` accept. Data frames, and Dask collections where a method
# accepts them, are array-like: they have the method ``__array__``.
MatrixLike: TypeAlias = "ArrayLike | sparse.sparray | sparse.spmatrix"

# The samples after validation: an array or a CSR matrix. The functions that accept both ask
# ``sparse.issparse``, which tells type checkers nothing.
Matrix: TypeAlias = Any

# The result of ``transform``: an array, a data frame after ``set_output``, or a Dask collection if
# the samples are one.
MappedSamples: TypeAlias = Any

# How kernel sums are computed.
Engine: TypeAlias = Literal["auto", "exact", "fourier"]

RandomState: TypeAlias = int | np.random.RandomState | None
