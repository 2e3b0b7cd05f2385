"""Contribution of each feature to the components of a linear method, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, stats
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from discrimap._typing import Array, MatrixLike, RandomState
from discrimap.components.subspace_estimator import SubspaceComponents
from discrimap.samples.targets import is_continuous

SHARES = (0.5, 0.75)  # shares of the samples in a refit, alternating; variances need two sizes
FEWEST_REFITS = 2 * len(SHARES)


@dataclass(frozen=True, eq=False)
class Contributions:
    """Loadings of the features, in the units of the map."""

    loadings: np.ndarray  # (n_components, n_features): change of the map per standard deviation
    importance: np.ndarray  # (n_features,): norm of each column of the loadings
    ranking: np.ndarray  # (n_features,): features by importance, largest first
    feature_names: list[str]
    intervals: np.ndarray | None  # (2, n_components, n_features): lower and upper ends, or None


def feature_contributions(
    estimator: Any,
    X: MatrixLike,
    y: ArrayLike | None = None,
    *,
    n_bootstrap: int = 0,
    level: float = 0.9,
    align: Literal["rotation", "sign"] = "rotation",
    random_state: RandomState = None,
) -> Contributions:
    """Compute how much each feature contributes to the components of a fitted linear method.

    Sec. V-G of [1]_ lists the variables with the largest entries in a component. Entries depend on
    the units of the variables, so each entry is multiplied by the standard deviation of its
    feature: a loading is the change of the map coordinate if the feature changes by one standard
    deviation.

    Parameters
    ----------
    estimator : fitted estimator
        With ``components_`` (n_components, n_features), or a fitted
        :class:`~sklearn.discriminant_analysis.LinearDiscriminantAnalysis`.
    X : array-like of shape (n_samples, n_features)
        The training samples, from which the standard deviations of the features are computed.
    y : array-like of shape (n_samples,), optional
        Labels, needed to fit a supervised method again.
    n_bootstrap : int, default=0
        Number of refits, 0 or at least 4. Refits alternate between a random half and random three
        quarters of the samples of every class, drawn without replacement; see Notes. With a
        continuous target (more distinct values than a third of the samples), the share is drawn
        from all samples. A bandwidth that the method selected (``bandwidth_``) is kept. Optimisers
        with local optima (discriminative and Renyi components) start at the solution of the fit, so
        that the intervals show the uncertainty of this optimum.
    level : float, default=0.9
        Probability that an interval contains the mean loading over samples of this size, after
        alignment to the rotation and scale of the fit. The interval of a feature without effect
        excludes zero with probability ``1 - level``, so among many such features some intervals
        exclude zero. The probability is approximate; the Notes say where it was measured.
    align : {"rotation", "sign"}, default="rotation"
        How refits are aligned to the fit. "rotation" uses the best rotation of the map, for methods
        whose objective does not depend on a rotation. "sign" uses the sign of each component, for
        methods that order their components. Refits are then scaled to the fit: with "rotation" by
        one factor, because a rotation mixes the components; with "sign" by one factor per
        component.
    random_state : int, RandomState instance or None, default=None
        Determines the random subsets of the samples.

    Returns
    -------
    contributions : Contributions
        Its ``loadings``, ``feature_names`` and ``intervals`` can be passed to
        :func:`discrimap.plots.plot_loadings`.

    Notes
    -----
    An interval is ``loading +- t * deviation``, where ``deviation`` is the standard deviation of
    the loading, estimated from the refits, and t is a quantile of Student's distribution. The
    interval therefore always contains the loading.

    Only deviations of the refits from their own mean are used. The scale of many methods depends on
    the number of samples (the scale of LPP is proportional to ``1 / sqrt(n_samples)``). With few
    samples, loadings are also biased towards zero. Both effects shift the mean of the refits away
    from the fit, but they do not measure the variance of the fit.

    Estimates from m of n samples vary around the estimate from all samples with variance
    ``v(m) - v(n)``. With ``v(m) = s^2 / m`` this variance is ``v(n)`` for halves and ``v(n) / 3``
    for three quarters (half-sampling; see [2]_ for its relation to the bootstrap). The variance of
    methods that invert the scatter of p features is closer to ``s^2 / (m - p)``, for which the
    first formula gives intervals that are too long ([3]_ shows this for the jackknife). If
    directions are poorly determined, the variance grows less than ``1 / m``. Therefore
    ``v(m) = s^2 / (m - k)`` is assumed, and k is estimated from the variances at the two sizes,
    summed over all loadings.

    Drawing with replacement would repeat samples, and a copy of a sample is not left out of the
    density at this sample: with narrow kernels, intervals were a third too short.

    The coverage of the intervals was measured for every linear method
    (``benchmarks/feature_intervals.py``); for some methods it is not close to the level. Components
    that the data does not determine have no true loading that an interval could contain. An example
    is the second component of two classes that differ in one direction.

    References
    ----------
    .. [1] J. Peltonen and S. Kaski, "Discriminative components of data", IEEE Transactions on
       Neural Networks 16 (2005), 68-83.
    .. [2] A. Buja and W. Stuetzle, "Observations on bagging", Statistica Sinica 16 (2006), 323-351.
    .. [3] N. El Karoui and E. Purdom, "Can we trust the bootstrap in high-dimensions? The case of
       linear models", Journal of Machine Learning Research 19 (2018), 1-66.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from discrimap import feature_contributions
    >>> iris = load_iris(as_frame=True)
    >>> contributions = feature_contributions(PCA(2).fit(iris.data), iris.data)
    >>> contributions.feature_names[contributions.ranking[0]]
    'petal length (cm)'
    >>> contributions = feature_contributions(
    ...     PCA(2).fit(iris.data), iris.data, n_bootstrap=20, random_state=0
    ... )
    >>> low, high = contributions.intervals
    >>> bool((low <= contributions.loadings).all() and (contributions.loadings <= high).all())
    True
    """
    check_is_fitted(estimator)
    if align not in ("rotation", "sign"):
        raise ValueError(f"align={align!r} is not known; pass 'rotation' or 'sign'.")
    if not 0 < level < 1:
        raise ValueError(f"level={level!r} must lie between 0 and 1; 0.9 is usual.")
    if n_bootstrap != 0 and n_bootstrap < FEWEST_REFITS:
        raise ValueError(
            f"n_bootstrap={n_bootstrap!r} must be 0 or at least {FEWEST_REFITS}: the deviation "
            "of refits is measured at two sizes."
        )
    names = getattr(X, "columns", None)
    values = check_array(X, dtype=(np.float64, np.float32), input_name="X")
    components = _components(estimator)
    if components.shape[1] != values.shape[1]:
        raise ValueError(
            f"X has {values.shape[1]} features, but {type(estimator).__name__} was fitted with "
            f"{components.shape[1]}; pass the training samples."
        )
    spread = values.std(axis=0)
    loadings = components * spread
    importance = np.sqrt((loadings**2).sum(axis=0))
    intervals = None
    if n_bootstrap:
        refits, sizes = _refits(estimator, values, y, loadings, n_bootstrap, align, random_state)
        # Two degrees of freedom less: the mean of the refits of each size is subtracted.
        quantile = stats.t.ppf((1 + level) / 2, n_bootstrap - 2)
        margin = quantile * _deviation(refits, sizes, len(values))
        intervals = np.stack([loadings - margin, loadings + margin])
    return Contributions(
        loadings=loadings,
        importance=importance,
        ranking=np.argsort(-importance, kind="stable"),
        feature_names=[
            str(name) for name in (names if names is not None else _names(estimator, values))
        ],
        intervals=intervals,
    )


def _components(estimator: Any) -> Any:
    if hasattr(estimator, "components_"):
        return np.asarray(estimator.components_, dtype=np.float64)
    if hasattr(estimator, "scalings_"):  # scikit-learn's LDA
        n_components = getattr(estimator, "_max_components", estimator.scalings_.shape[1])
        return np.asarray(estimator.scalings_, dtype=np.float64)[:, :n_components].T
    if hasattr(estimator, "x_rotations_"):  # scikit-learn's PLS
        return np.asarray(estimator.x_rotations_, dtype=np.float64).T
    raise TypeError(
        f"{type(estimator).__name__} has no components_; feature contributions are defined for "
        "linear methods only."
    )


def _names(estimator: Any, values: Array) -> Any:
    known = getattr(estimator, "feature_names_in_", None)
    return known if known is not None else [f"feature {i}" for i in range(values.shape[1])]


def _refits(
    estimator: Any,
    X: Any,
    y: Any,
    loadings: Array,
    n_bootstrap: int,
    align: Any,
    random_state: RandomState,
) -> Any:
    random_state = check_random_state(random_state)
    refit = clone(estimator)
    if hasattr(estimator, "bandwidth_") and "bandwidth" in refit.get_params():
        refit.set_params(bandwidth=estimator.bandwidth_)
    if isinstance(estimator, SubspaceComponents):
        refit.set_params(init=estimator.components_, n_init=1)
    results = np.empty((n_bootstrap, *loadings.shape))
    sizes = np.empty(n_bootstrap, dtype=int)
    for k in range(n_bootstrap):
        rows = _random_part(y, len(X), SHARES[k % 2], random_state)
        refit.fit(X[rows], None if y is None else np.asarray(y)[rows])
        found = _components(refit) * X[rows].std(axis=0)
        results[k], sizes[k] = _matched(found, loadings, align), len(rows)
    return results, sizes


def _random_part(y: Any, n_samples: int, share: Any, random_state: np.random.RandomState) -> Any:
    """Return a random share of the rows of each class, rounded up.

    At least one row of each class is kept. At least one is left out of classes with several rows.
    """
    if y is None or is_continuous(y, count_values=True):
        y = np.zeros(n_samples, dtype=int)
    rows = []
    for label in np.unique(y):
        members = random_state.permutation(np.flatnonzero(np.asarray(y) == label))
        n_kept = min(int(np.ceil(share * len(members))), len(members) - 1)
        rows.append(members[: max(n_kept, 1)])
    return np.concatenate(rows)


def _matched(found: Array, reference: Array, align: Any) -> Any:
    """Align loadings to reference loadings: by a rotation or by signs, and by scale."""
    if align == "sign":
        signs = np.sign(np.sum(found * reference, axis=1, keepdims=True))
        turned, axis = found * np.where(signs == 0, 1.0, signs), 1
    else:
        rotation, _ = linalg.orthogonal_procrustes(found.T, reference.T)
        turned, axis = rotation.T @ found, None
    # Scale to equal norms. The least-squares factor would be smaller for noisier refits.
    length = np.linalg.norm(turned, axis=axis, keepdims=True)
    wanted = np.linalg.norm(reference, axis=axis, keepdims=True)
    return turned * (wanted / np.where(length > 0, length, 1.0))


def _deviation(refits: Array, sizes: Array, n_samples: int) -> Any:
    """Return the standard deviation of each loading of the fit, from refits of two sizes."""
    variances = np.stack([refits[part::2].var(axis=0, ddof=1) for part in (0, 1)])
    small, large = sizes[:2]
    n_used = _n_used(variances.sum(axis=(1, 2)), small, large, n_samples, refits.shape[2])
    # With v(m) = s^2 / (m - k), v(m) - v(n) is v(n) times (n - m) / (m - k). At least one sample is
    # left out, unless every class has a single sample. The variances are then zero.
    factors = (sizes[:2] - n_used) / np.maximum(n_samples - sizes[:2], 1)
    return np.sqrt(np.tensordot(factors, variances, axes=1) / 2)


def _n_used(variances: Array, small: Any, large: Any, n_samples: int, n_features: int) -> Any:
    """Solve for k, given the sums of the variances of refits of two sizes m.

    The sums are s^2 / (m - k) - s^2 / (n - k), which is proportional to (n - m) / (m - k). k is at
    most the number of features, as in least squares, and at least minus a quarter of the number of
    features. The lower bound is needed if directions are poorly determined: the variance then
    hardly depends on m, and k would be arbitrary. With a quarter, the coverage was closest to the
    level for PCA, LPP and gradient KDR on 60 features and 150 samples.
    """
    if large == small or not variances.all():
        return 0.0
    least, most = -min(n_features, small) / 4, min(n_features, small - 1)
    growth = variances[0] * (n_samples - large) / (variances[1] * (n_samples - small))
    if growth <= 1:  # (large - k) / (small - k) tends to 1 for k far below 0
        return least
    return np.clip(large - growth * (large - small) / (growth - 1), least, most)
