"""Convert vectors, similarities or distances to squared distances."""

import warnings
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from discrimap.fisher.spectrum import SpectrumCorrection, negative_share


class Vectors:
    """Geometry of vectors. Points are rows of features, and centres are points."""

    has_vectors = True

    def fit(self, X):
        """Store the training points and return them as points of this geometry."""
        self._mean = X.mean(axis=0)
        return X

    def new(self, X):
        """Return new samples as points of this geometry."""
        return X

    def squared(self, points, centres):
        """Squared distances, (n_points, n_centres), up to a constant per row."""
        # Centred first, because the difference of large squares would lose precision.
        return euclidean_distances(points - self._mean, centres - self._mean, squared=True)

    def at(self, points, indices):
        """Return the centres that lie on these training points."""
        return points[indices]


class SimilarityMatrix:
    """Geometry of a similarity matrix.

    Points are rows of squared distances to the training points, and centres are column indices. The
    squared distances are ``d2_ij = s_ii + s_jj - 2 s_ij``, which can be negative if the matrix is
    indefinite. The similarity of a new point to itself is not needed, because it is a constant in
    the row of the point.

    Parameters
    ----------
    correction : {"none", "clip", "flip", "shift"}
        Correction of negative eigenvalues.
    """

    has_vectors = False

    def __init__(self, correction):
        self.correction = SpectrumCorrection(correction)

    def fit(self, X):
        """Check the training similarities and return the squared distances."""
        check_square(X, "similarities", "precomputed")
        _refuse_distances(X)
        similarities = symmetrise(X)
        self._share_of = similarities
        similarities = self.correction.fit(similarities)
        self._diagonal = np.diag(similarities).copy()
        squared = self._diagonal[:, None] + self._diagonal - 2 * similarities
        np.fill_diagonal(squared, 0)
        return squared

    def new(self, X):
        """Convert rows of similarities to rows of squared distances, up to a constant per row."""
        return self._diagonal - 2 * self.correction.apply(X)

    def squared(self, points, centres):
        """Squared distances from the points to the chosen training points."""
        return points[:, centres]

    def at(self, points, indices):
        """Return the centres that lie on these training points."""
        return indices

    def negative_share(self):
        """Share of negative eigenvalues of the uncorrected matrix."""
        return negative_share(self._share_of)


class DistanceMatrix(SimilarityMatrix):
    """Geometry of a distance matrix, with the interface of :class:`SimilarityMatrix`.

    The correction is applied to the doubly centred matrix ``-1/2 (I - 11'/n) D^2 (I - 11'/n)``. New
    rows are corrected with Gower's formula.
    """

    def fit(self, X):
        """Check the training distances and return the squared distances, corrected if requested."""
        check_square(X, "distances", "precomputed_distance")
        _refuse_similarities(X)
        squared = symmetrise(X) ** 2
        self._column_means = squared.mean(axis=0)
        self._share_of = self._centred(squared)
        if self.correction.kind == "none":
            return squared
        similarities = self.correction.fit(self._share_of)
        self._diagonal = np.diag(similarities).copy()
        squared = self._diagonal[:, None] + self._diagonal - 2 * similarities
        np.fill_diagonal(squared, 0)
        return squared

    def new(self, X):
        """Convert rows of distances to rows of squared distances, up to a constant per row."""
        squared = X**2
        if self.correction.kind == "none":
            return squared
        return self._diagonal - 2 * self.correction.apply(self._centred(squared))

    def _centred(self, squared):
        rows = squared - squared.mean(axis=1, keepdims=True)
        return -0.5 * (rows - self._column_means + self._column_means.mean())


def check_square(X, what, kernel):
    """Raise an error if a matrix is not square."""
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            f"X must be the square matrix of {what} among the training points with "
            f"kernel={kernel!r}, but its shape is {X.shape}; pass kernel='euclidean' if its rows "
            "are feature vectors."
        )


def symmetrise(X):
    """Return the mean of X and its transpose, with a warning if they differ."""
    difference = np.abs(X - X.T).max()
    scale = np.abs(X).max()
    if difference > 1e-8 * scale:
        warnings.warn(
            f"X is not symmetric: entries differ by up to {difference:.3g} from their mirror "
            f"image (largest entry {scale:.3g}); the mean of X and its transpose is used.",
            UserWarning,
            stacklevel=2,
        )
    return (X + X.T) / 2


def _refuse_distances(X):
    diagonal = np.diag(X)
    if not diagonal.any():
        off_diagonal = X[~np.eye(len(X), dtype=bool)]
        looks_like = "negated distances" if (off_diagonal <= 0).all() else "distances"
        raise ValueError(
            f"the diagonal of X is zero, so X looks like {looks_like}, but kernel='precomputed' "
            "expects similarities; pass distances with kernel='precomputed_distance'."
        )
    if diagonal.min() < 0:
        worst = int(diagonal.argmin())
        raise ValueError(
            f"X[{worst}, {worst}] = {diagonal[worst]:.3g} is negative, but the similarity of a "
            "point to itself cannot be; X looks like negated distances or a difference of kernels. "
            "Pass distances with kernel='precomputed_distance', or similarities with a "
            "non-negative diagonal."
        )


def _refuse_similarities(X):
    diagonal = np.diag(X)
    if np.abs(diagonal).max() > 1e-8 * max(np.abs(X).max(), np.finfo(X.dtype).tiny):
        worst = int(np.abs(diagonal).argmax())
        raise ValueError(
            f"X[{worst}, {worst}] = {diagonal[worst]:.3g}, but kernel='precomputed_distance' "
            "expects distances, which are zero on the diagonal; X looks like similarities, which "
            "go with kernel='precomputed'."
        )
    if X.min() < 0:
        raise ValueError(
            f"X holds negative distances (smallest {X.min():.3g}); pass distances, not squared "
            "ones of an indefinite space, or similarities with kernel='precomputed'."
        )


def make_geometry(kernel: str, correction: str) -> Any:
    """Return the geometry for the ``kernel`` parameter."""
    if kernel == "euclidean":
        return Vectors()
    return {"precomputed": SimilarityMatrix, "precomputed_distance": DistanceMatrix}[kernel](
        correction
    )
