"""Renyi components: maximise the quadratic Renyi mutual information with the classes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, Literal, Self

from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from discrimap._typing import Array, MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.components.bandwidth_search import neighbour_accuracy
from discrimap.components.renyi_information import RenyiInformation
from discrimap.components.subspace_estimator import SubspaceComponents
from discrimap.components.subspaces import OnSubspaces
from discrimap.optimisers.monitor import Step
from discrimap.samples.validation import validate_labelled


class RenyiComponents(SubspaceComponents):
    """Maximisation of Renyi mutual information (MRMI) over orthonormal projections.

    The method of Torkkola and Campbell [2]_ in the form of Sec. III and Eq. (15) of [1]_. With
    class proportions p_c and Gaussian kernels of width b, it maximises

        I(W) = 1/n^2 sum_kl [ delta(c_k, c_l) + sum_c p_c^2 - p_{c_k} - p_{c_l} ] G(z_k - z_l; b^2 I).

    Every term is proportional to a Gaussian, so points without neighbours within a few widths have
    no effect. The search over widths avoids widths that are so small that no point has an effect.
    An evaluation costs as much as in :class:`~discrimap.DiscriminativeComponents`.

    Parameters
    ----------
    n_components : int, default=2
        Number of components, at most ``n_features``.
    bandwidth : float or "auto", default="auto"
        Width of the Gaussian kernels. "auto" tries the same widths as
        :class:`~discrimap.DiscriminativeComponents` and selects the width with the smallest
        5-nearest-neighbour error on held-out samples.
    solver : {"lbfgs", "sgd"}, default="lbfgs"
        L-BFGS over subspaces, or the paper's stochastic approximation with Givens rotations and
        the gradient of Eq. (9).
    init : {"lda", "pca", "random"} or array-like of shape (n_components, n_features), default="lda"
        Initial projection; it is orthonormalised.
    n_init : int or "auto", default="auto"
        Number of starts, as in :class:`~discrimap.DiscriminativeComponents`.
    n_bandwidths : int, default=10
        Number of widths that "auto" tries.
    ordered : bool, default=False
        Whether to order the components by successive elimination.
    engine : {"auto", "exact", "fourier"}, default="auto"
        Method of computing kernel sums; see :func:`discrimap.kernel_sums.make_engine`.
    engine_tol : float, default=1e-6
        Accuracy of the Fourier engine.
    batch_size : int, None or "auto", default="auto"
        As in :class:`~discrimap.DiscriminativeComponents`.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations.
    n_steps : int, default=20000
        Number of steps of ``solver="sgd"``.
    learning_rate : float, default=0.1
        Length of a typical first step of ``solver="sgd"``, in radians.
    tol : float, default=1e-5
        Stop when the objective decreases by less than this fraction per iteration.
    random_state : int, RandomState instance or None, default=None
        Random number generator for held-out samples, random starts, batches and stochastic steps.
        Pass an int for reproducible results.
    verbose : int, default=0
        1 prints every tenth iteration to stderr, 2 every iteration.
    callback : callable, default=None
        Called with a :class:`~discrimap.optimisers.Step`; a true return value stops the fit.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The components, as orthonormal rows.
    mean_ : ndarray of shape (n_features,)
        Mean of the training samples.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    bandwidth_ : float
        Width of the kernels.
    bandwidths_, bandwidth_scores_ : ndarray of shape (n_bandwidths,)
        Widths that "auto" tried, and the held-out accuracy of each.
    renyi_information_ : float
        I(W) of the fitted components, in units of a density in the projection; 0 or infinity if the
        value is outside the range of floats.
    objective_, loss_curve_, n_iter_
        ``objective_`` is minus I(W) without the constant of the Gaussian density. ``loss_curve_``
        holds the values of the objective and ``n_iter_`` is the number of iterations, both since
        the comparison of starts.
    stopping_reason_ : str
        Reason why the search ended.

    References
    ----------
    .. [1] J. Peltonen and S. Kaski, "Discriminative components of data", IEEE Transactions on
       Neural Networks 16 (2005), 68-83.
    .. [2] K. Torkkola and W. Campbell, "Mutual information in learning feature transformations",
       ICML 2000, 1015-1022.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from discrimap import RenyiComponents
    >>> X, y = load_wine(return_X_y=True)
    >>> RenyiComponents(bandwidth=1.0).fit_transform(scale(X), y).shape
    (178, 2)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        bandwidth: float | Literal["auto"] = "auto",
        solver: Literal["lbfgs", "sgd"] = "lbfgs",
        init: Literal["lda", "pca", "random"] | ArrayLike = "lda",
        n_init: int | Literal["auto"] = "auto",
        n_bandwidths: int = 10,
        ordered: bool = False,
        engine: Literal["auto", "exact", "fourier"] = "auto",
        engine_tol: float = 1e-6,
        batch_size: int | Literal["auto"] | None = "auto",
        max_iter: int = 500,
        n_steps: int = 20_000,
        learning_rate: float = 0.1,
        tol: float = 1e-5,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: Callable[[Step], object] | None = None,
    ) -> None:
        self.n_components = n_components
        self.bandwidth = bandwidth
        self.solver = solver
        self.init = init
        self.n_init = n_init
        self.n_bandwidths = n_bandwidths
        self.ordered = ordered
        self.engine = engine
        self.engine_tol = engine_tol
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.n_steps = n_steps
        self.learning_rate = learning_rate
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Find the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : RenyiComponents
            The fitted estimator.
        """
        checked = validate_labelled(self, X, y, only_in_memory=self._only_in_memory())
        self.classes_ = checked.classes
        random_state = check_random_state(self.random_state)
        samples, basis = self._prepare(checked)
        start = self._start(samples, basis, random_state)

        bandwidth, more_starts = self._choose_bandwidth(samples, start, random_state)
        starts = [start, *more_starts]
        objective, solution = self._solve(samples, bandwidth, starts, random_state)

        # A search without steps is not always a failure: the start may already be the optimum.
        if solution.n_iter == 0 and self.n_components < samples.shape[1]:
            slopes = OnSubspaces(objective).value_and_grad(solution.params)[1]
            if not slopes.any():
                self._warn_of_no_ascent(bandwidth)
        self._store(samples, solution.params, basis, bandwidth, solution, checked.dtype)
        log_constant = -0.5 * self.n_components * math.log(2 * math.pi * bandwidth**2)
        self.renyi_information_ = -solution.value * math.exp(min(log_constant, 700.0))
        return self

    def _warn_of_no_ascent(self, bandwidth: float) -> None:
        reason = "no two samples are within a few widths of each other, or all coincide"
        remedy = "Pass a larger bandwidth, or 'auto'."
        if self.bandwidth == "auto":  # the tried widths extend to the farthest neighbours
            reason = "the samples coincide"
            remedy = "Check that X has columns that vary."
        warnings.warn(
            f"RenyiComponents found no direction of ascent at bandwidth={bandwidth:.3g}: {reason}. "
            f"{remedy}",
            ConvergenceWarning,
            stacklevel=3,
        )

    def _held_out_score(
        self,
        Z_train: Array,
        labels_train: Array,
        Z_test: Array,
        labels_test: Array,
        bandwidth: float,
    ) -> Any:
        return neighbour_accuracy(Z_train, labels_train, Z_test, labels_test)

    def _time_without_lock(self, n_samples: int) -> float:
        # Sums of the pairs of some thousand samples are usually short Fourier series.
        return 0.0

    def _objective(
        self, samples: Any, bandwidth: float, n_components: int, *, rough: bool = False
    ) -> Any:
        return RenyiInformation(samples, bandwidth, n_components, self.engine, self.engine_tol)
