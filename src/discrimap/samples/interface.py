"""Interface of labelled samples, in memory or on Dask."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from discrimap._typing import Engine, Matrix
    from discrimap.kernel_sums import PairTerm
    from discrimap.samples.class_moments import ClassMoments
    from discrimap.samples.in_memory import ArraySamples
    from discrimap.samples.running_moments import RunningMoments


class Samples(ABC):
    """Interface of labelled samples, which validation returns and estimators and objectives use.

    There are two implementations: :class:`~discrimap.samples.in_memory.ArraySamples` and
    :class:`~discrimap.samples.on_dask.dask_samples.DaskSamples`.

    Attributes
    ----------
    shape : tuple of int
        (n_samples, n_features).
    dtype : dtype
        float64 or float32.
    is_sparse : bool
        Whether the samples are a sparse matrix.
    weights : ndarray of shape (n_samples,) or None
        Weights of the samples, if :attr:`array` is available.
    with_array : callable
        Returns samples with the same labels and weights and another array, if :attr:`array` is
        available.
    row_sums : callable
        Like :meth:`pair_sums`, with the two totals of
        :func:`~discrimap.kernel_sums.make_row_engine`, if :attr:`array` is available.
    """

    shape: tuple[int, int]
    dtype: np.dtype
    is_sparse: bool = False
    weights: np.ndarray | None
    with_array: Callable[[Matrix], ArraySamples]
    row_sums: Callable[..., Any]

    def __len__(self) -> int:
        return self.shape[0]

    @property
    @abstractmethod
    def classes(self) -> np.ndarray:
        """The sorted distinct labels, (n_classes,)."""

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    @abstractmethod
    def array(self) -> Any:
        """The samples as one array or CSR matrix; always available for sparse and wide samples.

        (Samples on Dask are loaded into memory if there are no more samples than features.)
        """

    @property
    @abstractmethod
    def labels(self) -> np.ndarray:
        """Class index of each sample, -1 if unlabelled; available if :attr:`array` is."""

    # Subsets

    @abstractmethod
    def labels_of(self, rows: np.ndarray) -> np.ndarray:
        """Class indices of the samples with the given indices."""

    @abstractmethod
    def class_counts(self) -> np.ndarray:
        """Number of samples of each class."""

    @abstractmethod
    def members_of(self, c: int, ranks: np.ndarray) -> np.ndarray:
        """Indices of the samples of class c with the given ranks within the class, in this order."""

    @abstractmethod
    def draw(self, rows: np.ndarray | slice | None) -> ArraySamples:
        """Load the samples with the given indices into memory; all samples for None."""

    @abstractmethod
    def without(self, rows: np.ndarray) -> Samples:
        """The samples without those of the given indices."""

    @abstractmethod
    def labelled(self) -> Samples:
        """The samples that have a label."""

    @abstractmethod
    def gathered(self, random_state: np.random.RandomState) -> ArraySamples:
        """Samples in memory: all, or 20,000 at random if they are on Dask."""

    # Moments

    @abstractmethod
    def value_range(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest value of each feature."""

    @abstractmethod
    def feature_variances(self) -> np.ndarray:
        """Variance of each feature, (n_features,) in float64."""

    @abstractmethod
    def class_sizes(self) -> np.ndarray:
        """Total weight of each class, in float64."""

    @abstractmethod
    def class_means(self) -> tuple[np.ndarray, np.ndarray]:
        """Weight (n_classes,) and mean (n_classes, n_features) of each class, in float64."""

    @abstractmethod
    def class_moments(self, coefficients: np.ndarray | None = None) -> ClassMoments:
        """Means and scatter of the classes; see :func:`~.class_moments.class_moments`."""

    @abstractmethod
    def class_rows(self, c: int, origin: np.ndarray, only_products: bool = False) -> np.ndarray:
        """Rows R whose products ``R'R`` are the scatter of class c about an origin, in float64.

        In memory they are the samples of the class minus the origin, or with ``only_products``,
        for large classes, as few rows as there are features.
        """

    @abstractmethod
    def running_moments(self) -> RunningMoments:
        """Moments to which batches can be added."""

    @abstractmethod
    def total_scatter(self) -> np.ndarray:
        """Scatter of all samples about their mean, (n_features, n_features) in float64."""

    @abstractmethod
    def centred_with_codes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Rows with the same products as all centred samples and one-hot labels, and the means.

        Returns
        -------
        X : ndarray of shape (n_rows, n_features)
            Centred: one row for each sample, or a few rows that represent many samples.
        onehot : ndarray of shape (n_rows, n_classes)
        mean : ndarray of shape (n_features,)
        shares : ndarray of shape (n_classes,)
            Fractions of the classes in the samples.
        """

    @abstractmethod
    def count_distinct(self, enough: int) -> int:
        """Number of distinct samples; may stop counting at ``enough``."""

    # Projections

    @abstractmethod
    def centred(self) -> tuple[Samples, np.ndarray]:
        """The samples minus their mean, in float64, and the mean."""

    @abstractmethod
    def projected(self, W: np.ndarray) -> Samples:
        """The samples ``X W``, with as many features as W has columns."""

    @abstractmethod
    def points(self, W: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The given rows of ``X W``, as an array in the dtype of X."""

    @abstractmethod
    def map_spread(self, W: np.ndarray) -> float:
        """Square root of the total variance of the map ``X W``."""

    # Kernel sums over the points X W

    @abstractmethod
    def pair_sums(
        self,
        terms: list[PairTerm],
        n_components: int,
        *,
        engine: Engine = "auto",
        tol: float = 1e-6,
    ) -> Any:
        """Kernel sums over all pairs of points, by pair of classes.

        ``sums.value_and_pullback(W, function)`` returns the value of a function of the totals at
        the points ``X W``, and its gradient in W, (n_features, n_components) in float64. The
        function takes the totals (n_terms,) and returns a value and its derivatives in them; it
        may be sent to other machines.

        Parameters
        ----------
        terms, n_components, engine, tol
            As in :func:`~discrimap.kernel_sums.make_engine`.
        """

    @abstractmethod
    def log_sums(
        self, bandwidth: float, n_components: int, *, engine: Engine = "auto", tol: float = 1e-6
    ) -> Any:
        """Gaussian log-sums at every point, over its own class and over all.

        ``sums.evaluate(W)`` returns an evaluation at the points ``X W``. It has ``log_ratio``, the sum
        over the points of the log-sum over the own class minus the log-sum over all; ``n_with_mates``,
        the number of points whose class has other points; and ``log_ratio_pullback(scale)``, the
        gradient of ``scale * log_ratio`` in W.

        Parameters
        ----------
        bandwidth, n_components, engine, tol
            As in :func:`~discrimap.kernel_sums.make_point_engine`.
        """
