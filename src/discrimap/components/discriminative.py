"""Discriminative components."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_softmax
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from discrimap._sklearn import Interval, StrOptions
from discrimap._typing import Array, MatrixLike, RandomState
from discrimap.base.fit_context import fit_context
from discrimap.components.bandwidth_search import neighbour_accuracy
from discrimap.components.mixture_starts import best_mixture, number_of_kernels, race_size
from discrimap.components.parzen import ParzenLikelihood
from discrimap.components.prediction import ClassPrediction
from discrimap.components.subspace_estimator import SubspaceComponents, thinned
from discrimap.components.subspaces import polar
from discrimap.kernel_sums import class_log_sums
from discrimap.optimisers import minimise, warn_unless_converged
from discrimap.optimisers.monitor import Step
from discrimap.samples.validation import validate_labelled

# Accuracy of the kernel sums while starts and widths are compared by likelihoods accurate to 1e-4.
ROUGH_ENGINE_TOL = 1e-4
LEAST_LOG = -50.0  # limits the effect of one held-out sample far from its class


class DiscriminativeComponents(ClassPrediction, SubspaceComponents):
    r"""Discriminative components: maximise the likelihood of the classes after projection.

    Over orthonormal projections ``z = W'x`` the method of [1]_ maximises

        L(W) = sum_i log p(c_i | z_i),      p(c | z) = G_c(z) / sum_c' G_c'(z),

    where ``G_c`` is the density of class c: a Parzen estimate with Gaussian kernels that leaves out
    the sample itself (``estimator="parzen"``), or a mixture of Gaussians that the classes share and
    that is learned together with the projection (``estimator="mixture"``). The classes need not be
    Gaussian, and the number of components may exceed the number of classes. For Gaussian classes
    with equal covariances, the method finds the LDA subspace. For large samples, it maximises the
    mutual information between projection and class.

    L depends only on the subspace. ``components_`` are the principal axes of the projected samples
    or, with ``ordered=True``, directions ordered by successive elimination.

    One evaluation costs O(n p d) for the projection. The Parzen estimator adds O(n) in up to three
    dimensions (Fourier engine) and O(n^2 d) in more dimensions, without an n x n array; see
    ``batch_size`` for more than 20,000 samples in more than three dimensions. With M kernels and C
    classes, the mixture adds O(n M (d + C)).

    Parameters
    ----------
    n_components : int, default=2
        Number of components, at most ``n_features``.
    bandwidth : float or "auto", default="auto"
        Width of the Gaussian kernels, on the scale of distances between projected samples. "auto"
        fits two thirds of the samples (at most 1,500) at ``n_bandwidths`` widths and selects the
        width with the best score on the other samples, or the widest of nearly equal widths. The
        widths range from the root mean square distance of nearest neighbours to the mean distance
        of farthest neighbours in the initial projection (Sec. V-C of [1]_). For the mixture, "auto"
        learns the width together with the other parameters, with the width of the initial clusters
        as the lower bound, and a number fixes the width.
    bandwidth_criterion : {"likelihood", "neighbors"}, default="likelihood"
        Criterion on the held-out samples: the largest likelihood of their classes or, as in the
        paper, the smallest 5-nearest-neighbour classification error.
    estimator : {"parzen", "mixture"}, default="parzen"
        Estimator of the class densities.
    beta : float, default=1.0
        Weight between 0 and 1 in the objective ``beta L(C | Z) + (1 - beta) L(Z)``, where L(Z) is
        the likelihood of all projected points, including unlabelled points (y == -1) (Sec. VI of
        [1]_). With 1, unlabelled samples have no effect. L(Z) is larger for projections with less
        variance: standardise or whiten the variables before using it.
    n_kernels : int or "auto", default="auto"
        Number of Gaussians in the mixture; "auto" is five per class.
    solver : {"lbfgs", "sgd"}, default="lbfgs"
        "lbfgs" is L-BFGS over subspaces with the full gradient; it is deterministic. "sgd" is the
        paper's stochastic approximation with Givens rotations, with one sample in each of
        ``n_steps`` steps (Parzen only).
    init : {"lda", "pca", "random"} or array-like of shape (n_components, n_features), default="lda"
        Initial projection; it is orthonormalised. LDA directions are completed by principal
        directions.
    n_init : int or "auto", default="auto"
        Number of starts: ``init``, the PCA directions, and random projections. Each start runs for
        40 iterations on at most 1,500 samples (for the mixture, on ten per kernel if that is more).
        The start with the best objective, or the first of nearly equal ones, is continued. "auto"
        is 10 for named starts in up to three dimensions, where local optima differ much, else 1.
        For Parzen, the projection from the width search at the chosen width is also a start.
    n_bandwidths : int, default=10
        Number of widths that "auto" tries.
    ordered : bool, default=False
        Whether to order the components by elimination: repeatedly find the best subspace with one
        dimension less within the previous subspace. The direction that is removed first becomes the
        last component.
    engine : {"auto", "exact", "fourier"}, default="auto"
        Method of computing kernel sums; see :func:`discrimap.kernel_sums.make_point_engine`.
    engine_tol : float, default=1e-6
        Accuracy of the Fourier engine.
    batch_size : int, None or "auto", default="auto"
        If a number, the likelihood is computed on a random stratified batch of this size, whose
        samples are also the centres. Three batches are used in turn, and each search starts from
        the previous result. This estimates the likelihood of a Parzen estimator with ``batch_size``
        centres, not with n centres. None uses all samples. "auto" is 10,000 for more than 20,000
        samples in more than three dimensions, else None.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations.
    n_steps : int, default=20000
        Number of steps of ``solver="sgd"``.
    learning_rate : float, default=0.1
        Length of a typical first step of ``solver="sgd"``, in radians; steps shrink piecewise
        linearly to zero.
    tol : float, default=1e-5
        Stop when the objective decreases by less than this fraction per iteration.
    random_state : int, RandomState instance or None, default=None
        Random number generator for the held-out samples, random starts, batches, stochastic steps
        and the k-means start of the mixture. Pass an int for reproducible results.
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
    bandwidths_, bandwidth_scores_ : ndarray of shape (n_tried,)
        Widths that "auto" tried, and the mean held-out ``log p(c | z)``, or accuracy, of each
        width. The search goes from wide to narrow and ends after two consecutive likelihoods below
        the best.
    log_likelihood_ : float
        Mean ``log p(c_i | z_i)`` of the training samples in nats: leave-one-out for Parzen, and of
        the last batch if batches are used.
    mutual_information_ : float
        ``log_likelihood_`` plus the entropy of the classes: the estimate of Eq. (10) of [1]_, in
        nats. Compare with :meth:`permuted_mutual_information`.
    embedding_ : ndarray of shape (n_labelled, n_components)
        Projected labelled samples, which are the centres of the Parzen densities (Parzen only). For
        a Dask collection, a random subset of 20,000 samples.
    centres_, weights_ : ndarray of shape (n_kernels, n_components) and (n_kernels, n_classes)
        Centres and weights of the mixture (mixture only).
    objective_, loss_curve_, n_iter_
        ``objective_`` is minus the mean of L at the end. ``loss_curve_`` holds the values of the
        objective and ``n_iter_`` is the number of iterations, both since the comparison of starts.
    stopping_reason_ : str
        Reason why the search ended.

    Notes
    -----
    If a class has only one sample, the leave-one-out density of this sample is zero for every
    projection. The sample is used as a centre, but has no term in L.

    References
    ----------
    .. [1] J. Peltonen and S. Kaski, "Discriminative components of data", IEEE Transactions on
       Neural Networks 16 (2005), 68-83.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from discrimap import DiscriminativeComponents
    >>> X, y = load_wine(return_X_y=True)
    >>> components = DiscriminativeComponents(bandwidth=0.5).fit(scale(X), y)
    >>> components.transform(scale(X)).shape
    (178, 2)
    >>> bool((components.predict(scale(X)) == y).mean() > 0.97)
    True
    """

    _parameter_constraints = {
        **SubspaceComponents._parameter_constraints,
        "bandwidth_criterion": [StrOptions({"likelihood", "neighbors"})],
        "estimator": [StrOptions({"parzen", "mixture"})],
        "beta": [Interval(Real, 0, 1, closed="both")],
        "n_kernels": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        bandwidth: float | Literal["auto"] = "auto",
        bandwidth_criterion: Literal["likelihood", "neighbors"] = "likelihood",
        estimator: Literal["parzen", "mixture"] = "parzen",
        beta: float = 1.0,
        n_kernels: int | Literal["auto"] = "auto",
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
        self.bandwidth_criterion = bandwidth_criterion
        self.estimator = estimator
        self.beta = beta
        self.n_kernels = n_kernels
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
            Class labels; -1 marks unlabelled samples.

        Returns
        -------
        self : DiscriminativeComponents
            The fitted estimator.
        """
        checked = validate_labelled(
            self, X, y, unlabelled=True, only_in_memory=self._only_in_memory()
        )
        self.classes_ = checked.classes
        self._refuse_misfits()
        random_state = check_random_state(self.random_state)
        samples, basis = self._prepare(checked)
        start = self._start(samples, basis, random_state)

        fit = self._fit_mixture if self.estimator == "mixture" else self._fit_parzen
        W = fit(samples, basis, start, random_state, checked.dtype)

        labelled = samples.labelled()
        shares = labelled.class_sizes() / len(labelled)
        self.mutual_information_ = float(self.log_likelihood_ - shares @ np.log(shares))
        if self.estimator == "parzen":
            centres = labelled.gathered(random_state)
            self._centre_labels = centres.labels
            self.embedding_ = (centres.array @ W).astype(checked.dtype)
        return self

    def _only_in_memory(self) -> Iterator[str]:
        yield from super()._only_in_memory()
        if self.estimator == "mixture" or self.beta < 1:
            yield (
                f"estimator={self.estimator!r} with beta={self.beta} does not support Dask collections; "
                "pass estimator='parzen' and beta=1, or fit on a sample of the rows in memory."
            )

    def _refuse_misfits(self) -> None:
        if self.solver == "sgd" and (self.estimator == "mixture" or self.beta < 1):
            raise ValueError(
                f"solver='sgd' goes with estimator='parzen' and beta=1, but estimator="
                f"{self.estimator!r} and beta={self.beta}; use solver='lbfgs'."
            )

    def _objective(
        self, samples: Any, bandwidth: float, n_components: int, *, rough: bool = False
    ) -> Any:
        tol = self.engine_tol
        if rough:
            tol, samples = max(tol, ROUGH_ENGINE_TOL), samples.in_single_precision()
        return ParzenLikelihood(samples, bandwidth, n_components, self.beta, self.engine, tol)

    def _scores_by_likelihood(self) -> bool:
        return self.bandwidth_criterion == "likelihood"

    def _held_out_score(
        self,
        Z_train: Array,
        labels_train: Array,
        Z_test: Array,
        labels_test: Array,
        bandwidth: float,
    ) -> Any:
        if self.bandwidth_criterion == "neighbors":
            return neighbour_accuracy(Z_train, labels_train, Z_test, labels_test)
        log_densities = class_log_sums(Z_test, Z_train, labels_train, bandwidth, len(self.classes_))
        log_posteriors = log_softmax(log_densities, axis=1)
        return np.mean(np.maximum(log_posteriors[np.arange(len(Z_test)), labels_test], LEAST_LOG))

    def _fit_parzen(
        self,
        samples: Any,
        basis: Any,
        start: Array,
        random_state: np.random.RandomState,
        dtype: Any,
    ) -> Any:
        if self.beta == 1 and samples.labelled().class_counts().max() < 2:
            raise ValueError(
                "every class has one labelled sample, and the likelihood of a sample comes from the "
                "others of its class; pass a class with 2 samples or more, or estimator='mixture'."
            )
        bandwidth, more_starts = self._choose_bandwidth(samples, start, random_state)
        starts = [start, *more_starts]
        objective, solution = self._solve(samples, bandwidth, starts, random_state)
        W = self._store(samples, solution.params, basis, bandwidth, solution, dtype)
        self.log_likelihood_ = objective.log_likelihood(W)
        return W

    def _fit_mixture(
        self,
        samples: Any,
        basis: Any,
        start: Array,
        random_state: np.random.RandomState,
        dtype: Any,
    ) -> Any:
        n_kernels = number_of_kernels(self.n_kernels, len(self.classes_), len(samples))
        race = samples.draw(thinned(samples.labels, race_size(n_kernels), random_state))
        more = self._more_starts(race.total_scatter(), self._number_of_starts() - 1, random_state)
        objective, params = best_mixture(
            samples,
            race,
            [start, *more],
            n_classes=len(self.classes_),
            n_kernels=n_kernels,
            beta=self.beta,
            width=None if self.bandwidth == "auto" else float(self.bandwidth),
            random_state=random_state,
        )
        callback = self._step_callback()
        solution = minimise(
            objective, params, max_iter=self.max_iter, tol=self.tol, callback=callback
        )
        warn_unless_converged(solution, type(self).__name__)
        V, centres, log_weights, width = objective.unpack(solution.params)
        W = self._store(samples, polar(V)[0], basis, width, solution, dtype)
        self.centres_, self.weights_ = centres @ W, np.exp(log_weights)
        self.log_likelihood_ = objective.log_likelihood(solution.params)
        return W

    def permuted_mutual_information(self, X: MatrixLike, y: ArrayLike, n_repeats: int = 5) -> Array:
        """Mutual information found with permuted labels, as a baseline for ``mutual_information_``.

        The projection is fitted again for each permutation, with the bandwidth of this fit.

        Parameters
        ----------
        X, y : array-like
            The samples and labels given to ``fit``.
        n_repeats : int, default=5
            Number of permutations.

        Returns
        -------
        information : ndarray of shape (n_repeats,)
            Mutual information of each permutation, in nats.
        """
        check_is_fitted(self)
        random_state = check_random_state(self.random_state)
        control = clone(self).set_params(
            bandwidth=self.bandwidth_, verbose=0, callback=None, ordered=False
        )
        y = np.asarray(y)
        return np.array(
            [
                control.fit(X, random_state.permutation(y)).mutual_information_
                for _ in range(n_repeats)
            ]
        )
