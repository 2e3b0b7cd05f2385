"""The Euclidean part of a regularised metric, in units of local distances."""

from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

N_COMPONENTS = 50
# The unit is the mean squared distance to this neighbour.
UNIT_NEIGHBOR = 15
_BASIS_SAMPLES, _UNIT_SAMPLES = 20_000, 1000


@dataclass(frozen=True)
class PlainPart:
    """Coordinates whose distances are Euclidean distances divided by that of near neighbours.

    More than 50 features are replaced by 50 principal components: what is beyond is mostly noise,
    and the search for neighbours costs as much for each coordinate.
    """

    mean: np.ndarray  # (n_features,)
    axes: np.ndarray | None  # (n_features, 50), or None for all features as they are
    unit: float

    def coordinates(self, X: np.ndarray) -> np.ndarray:
        """Coordinates of samples, in units of the distance to near neighbours."""
        X = X.astype(self.mean.dtype, copy=False)
        # Not X - mean for all samples, which would be a copy of them.
        low = X - self.mean if self.axes is None else X @ self.axes - self.mean @ self.axes
        return low / low.dtype.type(self.unit)


def fit_plain_part(X: np.ndarray, random_state: np.random.RandomState) -> PlainPart:
    """Find the axes of at most 20,000 samples, and the unit by 1,000."""
    rows = random_state.permutation(len(X))[:_BASIS_SAMPLES]
    mean = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
    axes = None
    if X.shape[1] > N_COMPONENTS and len(rows) > N_COMPONENTS:
        pca = PCA(N_COMPONENTS, random_state=random_state).fit(X[rows])
        axes = np.ascontiguousarray(pca.components_.T.astype(X.dtype))
    plain = PlainPart(mean, axes, 1.0)
    low = plain.coordinates(X)
    neighbor = min(UNIT_NEIGHBOR, len(X) - 1)
    search = NearestNeighbors(n_neighbors=neighbor + 1).fit(low)
    distances, _ = search.kneighbors(low[rows[:_UNIT_SAMPLES]])
    unit = np.sqrt(np.square(distances[:, -1], dtype=np.float64).mean())
    if unit == 0:  # most samples are duplicates
        unit = low.std(dtype=np.float64) or 1.0
    return PlainPart(mean, axes, float(unit))
