"""Every method in one list: what it is, what it accepts and what it costs.

The public names of the package, the command line, the common tests and the benchmarks all read
this list, so a new method is one file and one entry here. Nothing heavy is imported: an entry
names its class, and :meth:`Method.make` imports it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any

from discrimap.errors import InputError

# What the cost estimates count as one second of one core.
FLOPS_PER_SECOND = 2e10


@dataclass(frozen=True)
class Shape:
    """The size of a problem, from which costs are estimated."""

    n_samples: int
    n_features: int
    n_classes: int  # 1 for a continuous target
    n_components: int
    n_landmarks: int | None = None  # of a kernel; None is all samples


@dataclass(frozen=True)
class Method:
    """One way to map labelled data to a few dimensions.

    ``flops`` and ``memory`` estimate one fit: floating-point operations of a core that does
    ``FLOPS_PER_SECOND`` of them, and bytes beyond the data itself. They are meant to tell a second
    from an hour and a megabyte from a terabyte before anything is allocated, not to predict a
    stopwatch; ``benchmarks/speed/compare.py`` measures how far off they are.
    """

    name: str
    label: str
    family: str  # "linear", "kernel" or "manifold"
    path: str  # "package.module:ClassName"
    citation: str
    flops: Callable[[Shape], float]
    memory: Callable[[Shape], float]
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    supervised: bool = True
    classes: bool = True  # takes class labels
    unlabelled: bool = False  # y == -1 (or NaN for continuous targets) marks an unlabelled sample
    continuous: bool = False  # takes a continuous target
    kernel: bool = False  # takes kernel="precomputed"
    landmarks: bool = False  # takes n_landmarks, so that a kernel need not be of all samples
    sparse: bool = False  # takes scipy sparse X
    distributed: bool = False  # takes dask arrays and dataframes
    seconds_per_new_sample: float = 0.0  # of transform, where that is not negligible
    max_components: Callable[[Shape], int] = lambda shape: shape.n_features
    # Where the method itself sets the number of components, n_components has no say.
    fixed_components: Callable[[Shape], int] | None = None

    @property
    def module(self) -> str:
        return self.path.partition(":")[0]

    @property
    def class_name(self) -> str:
        return self.path.partition(":")[2]

    @property
    def is_ours(self) -> bool:
        return self.module.startswith("discrimap.")

    def seconds(self, shape: Shape) -> float:
        """Estimate the time of one fit on one core."""
        return self.flops(shape) / FLOPS_PER_SECOND

    def make(
        self,
        n_components: int = 2,
        random_state: int | None = None,
        *,
        continuous: bool | None = None,
        n_landmarks: int | None = None,
    ):
        """Build the estimator; each argument reaches those that have a parameter for it.

        ``continuous`` says what the target is, where an estimator would otherwise judge by its
        values: whole numbers may be either.
        """
        estimator_class = getattr(import_module(self.module), self.class_name)
        known = inspect.signature(estimator_class).parameters
        common: dict[str, Any] = {"n_components": n_components, "random_state": random_state}
        if continuous is not None:
            common["target"] = "continuous" if continuous else "classes"
        if n_landmarks is not None:
            common["n_landmarks"] = n_landmarks
        shared = {name: value for name, value in common.items() if name in known}
        return estimator_class(**{**shared, **self.parameters})


def _scatter_flops(shape: Shape) -> float:
    """One pass for a scatter matrix and its eigenvectors, in the smaller of the two dimensions."""
    small, large = sorted((shape.n_samples, shape.n_features))
    return 10.0 * large * small**2 + 20.0 * small**3


def _scatter_bytes(shape: Shape) -> float:
    """A centred copy of the data and a square matrix in the smaller dimension."""
    return 8.0 * (shape.n_samples * shape.n_features + min(shape.n_samples, shape.n_features) ** 2)


def _graph_flops(shape: Shape) -> float:
    """Exact neighbour search, and the scatter matrices of the graph."""
    return 2.0 * shape.n_samples**2 * shape.n_features + 2.0 * _scatter_flops(shape)


def _kernel_sum_flops(shape: Shape) -> float:
    """Value and gradient of class-wise sums: linear in n up to three dimensions, else all pairs."""
    if shape.n_components <= 3:
        return 2e3 * shape.n_samples + 1e6 * shape.n_classes * 8.0**shape.n_components
    return 20.0 * shape.n_samples**2 * shape.n_components


def _sda_features(shape: Shape) -> int:
    """Features that remain after the lossless rank reduction."""
    return min(shape.n_features, shape.n_samples)


def _landmarks(shape: Shape) -> int:
    return min(shape.n_landmarks or shape.n_samples, shape.n_samples)


def _sda_flops(shape: Shape) -> float:
    """The scatter, then fifty evaluations, each with the sums and two products with X."""
    products = 4.0 * shape.n_samples * _sda_features(shape) * shape.n_components
    return _scatter_flops(shape) + 50.0 * (_kernel_sum_flops(shape) + products)


def _sda_bytes(shape: Shape) -> float:
    return 32.0 * _sda_features(shape) ** 2 + 100.0 * shape.n_samples * shape.n_components


def _gram_flops(shape: Shape) -> float:
    """Kernel rows, the eigenvectors of those of the landmarks, and two products of their size."""
    m = _landmarks(shape)
    return 5.0 * m**3 + 2.0 * shape.n_samples * m * (2 * m + shape.n_features)


def _gram_bytes(shape: Shape) -> float:
    """Kernel rows and coordinates; eigenvectors of the landmarks and a work array."""
    m = _landmarks(shape)
    return 16.0 * shape.n_samples * m + 24.0 * m**2


def _pair_flops(shape: Shape) -> float:
    """A search over widths on at most 1,500 samples, and a hundred evaluations of kernel sums."""
    n, searched = shape.n_samples, min(shape.n_samples, 1500)
    projections = 4.0 * shape.n_features * shape.n_components * (100 * n + 400 * searched)
    pairs = 10.0 * (4 + shape.n_components)
    if shape.n_components > 3:
        batch = min(n, 20_000)
        return 3 * projections + 3 * pairs * (100.0 * batch**2 + 200.0 * searched**2)
    # In the plane and in space a Fourier series takes over where it is cheaper.
    evaluation = min(pairs * n**2, 2e3 * n + 1e8)
    return 3 * projections + 300 * evaluation + 600 * pairs * searched**2


METHODS: tuple[Method, ...] = (
    Method(
        name="pca",
        label="PCA",
        family="linear",
        path="sklearn.decomposition:PCA",
        citation="Pearson, On lines and planes of closest fit to systems of points in space, 1901",
        flops=_scatter_flops,
        memory=_scatter_bytes,
        supervised=False,
        unlabelled=True,
        continuous=True,
        sparse=True,
        max_components=lambda shape: min(shape.n_samples, shape.n_features),
    ),
    Method(
        name="lda",
        label="LDA",
        family="linear",
        path="sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
        citation="Rao, The utilization of multiple measurements in problems of biological "
        "classification, 1948",
        flops=_scatter_flops,
        memory=_scatter_bytes,
        max_components=lambda shape: min(shape.n_classes - 1, shape.n_features),
    ),
    Method(
        name="nca",
        label="NCA",
        family="linear",
        path="sklearn.neighbors:NeighborhoodComponentsAnalysis",
        citation="Goldberger, Roweis, Hinton and Salakhutdinov, Neighbourhood components "
        "analysis, 2005",
        # Fifty iterations, each with several passes over all pairs and two products with X.
        flops=lambda s: 50.0 * s.n_samples**2 * (1000.0 + 2.0 * s.n_features),
        memory=lambda s: 24.0 * s.n_samples**2,
    ),
    Method(
        name="plsda",
        label="PLS-DA",
        family="linear",
        path="discrimap.estimators.plsda:PLSDA",
        citation="Barker and Rayens, Partial least squares for discrimination, 2003",
        flops=lambda s: 20.0 * s.n_components * s.n_samples * s.n_features * s.n_classes,
        memory=lambda s: 16.0 * s.n_samples * s.n_features,
        max_components=lambda shape: min(shape.n_samples, shape.n_features),
        distributed=True,
    ),
    Method(
        name="category",
        label="Category space",
        family="linear",
        path="discrimap.estimators.category:CategorySpace",
        citation="Smith and Rangarajan, A category space approach to supervised dimensionality "
        "reduction, 2016",
        # The scatter of each class, then about a hundred products with them.
        flops=lambda s: 2.0 * s.n_samples * s.n_features**2 + 200.0 * s.n_classes * s.n_features**2,
        memory=lambda s: (
            16.0 * s.n_samples * s.n_features
            + 8.0 * min(s.n_classes * s.n_features, 2 * s.n_samples) * s.n_features
        ),
        max_components=lambda shape: shape.n_classes,
        fixed_components=lambda shape: shape.n_classes,
        distributed=True,
    ),
    Method(
        name="kernel-category",
        label="Kernel category space",
        family="kernel",
        path="discrimap.estimators.kernel_category:KernelCategorySpace",
        citation="Smith and Rangarajan, A category space approach to supervised dimensionality "
        "reduction, 2016",
        flops=_gram_flops,
        memory=_gram_bytes,
        kernel=True,
        landmarks=True,
        max_components=lambda shape: shape.n_classes,
        fixed_components=lambda shape: shape.n_classes,
    ),
    Method(
        name="dp",
        label="Discriminative projections",
        family="linear",
        path="discrimap.estimators.discriminative_projections:DiscriminativeProjections",
        citation="Wang and Mahadevan, Learning locality-preserving discriminative features",
        flops=_graph_flops,
        memory=_scatter_bytes,
        unlabelled=True,
        continuous=True,
        sparse=True,
    ),
    Method(
        name="lpp",
        label="LPP",
        family="linear",
        path="discrimap.estimators.locality_preserving:LocalityPreservingProjections",
        citation="He and Niyogi, Locality preserving projections, 2003",
        flops=_graph_flops,
        memory=_scatter_bytes,
        supervised=False,
        unlabelled=True,
        continuous=True,
        sparse=True,
    ),
    Method(
        name="manifold-regularization",
        label="Manifold regularization",
        family="linear",
        path="discrimap.estimators.manifold_regularization:ManifoldRegularization",
        citation="Belkin, Niyogi and Sindhwani, Manifold regularization: a geometric framework "
        "for learning from labeled and unlabeled examples, 2006",
        flops=_graph_flops,
        memory=_scatter_bytes,
        unlabelled=True,
        continuous=True,
        sparse=True,
        max_components=lambda shape: shape.n_classes,
        fixed_components=lambda shape: shape.n_classes,
    ),
    Method(
        name="fisher-tsne",
        label="Fisher t-SNE",
        family="manifold",
        path="discrimap.estimators.fisher_tsne:FisherTSNE",
        citation="Schulz and Hammer, Discriminative dimensionality reduction in kernel space, 2016",
        # Seven nodes for half of all pairs and all centres, then 750 passes over the neighbours
        # and a tree.
        flops=lambda s: 20.0 * s.n_samples**3 + 4e7 * s.n_samples,
        memory=lambda s: 4e8 + 90 * 40.0 * s.n_samples,
        seconds_per_new_sample=1.5e-3,
        kernel=True,
        max_components=lambda shape: 3,
    ),
    Method(
        name="sda",
        label="SDA",
        family="linear",
        path="discrimap.estimators.sda:StochasticDiscriminantAnalysis",
        citation="Juuti, Corona and Karhunen, Stochastic discriminant analysis for linear "
        "supervised dimension reduction, 2018",
        flops=_sda_flops,
        memory=_sda_bytes,
        sparse=True,
        distributed=True,
    ),
    Method(
        name="spca",
        label="Supervised PCA",
        family="linear",
        path="discrimap.estimators.supervised_pca:SupervisedPCA",
        citation="Barshan, Ghodsi, Azimifar and Jahromi, Supervised principal component "
        "analysis, 2011",
        flops=lambda s: 2.0 * s.n_samples * s.n_features * s.n_classes,
        memory=lambda s: 8.0 * s.n_samples * s.n_features,
        continuous=True,
        distributed=True,
    ),
    Method(
        name="kspca",
        label="Kernel supervised PCA",
        family="kernel",
        path="discrimap.estimators.kernel_supervised_pca:KernelSupervisedPCA",
        citation="Barshan, Ghodsi, Azimifar and Jahromi, Supervised principal component "
        "analysis, 2011",
        flops=_gram_flops,
        memory=_gram_bytes,
        continuous=True,
        kernel=True,
        landmarks=True,
        max_components=lambda shape: shape.n_samples,
    ),
    Method(
        name="save",
        label="SAVE",
        family="linear",
        path="discrimap.estimators.sliced_average_variance:SlicedAverageVariance",
        citation="Cook and Weisberg, Sliced inverse regression for dimension reduction: Comment, "
        "1991",
        flops=_scatter_flops,
        memory=lambda s: 2.0 * _scatter_bytes(s),
        continuous=True,
        max_components=lambda shape: min(shape.n_samples - 1, shape.n_features),
    ),
    Method(
        name="sir",
        label="SIR",
        family="linear",
        path="discrimap.estimators.sliced_average_variance:SlicedAverageVariance",
        citation="Li, Sliced inverse regression for dimension reduction, 1991",
        flops=_scatter_flops,
        memory=_scatter_bytes,
        parameters=MappingProxyType({"method": "sir"}),
        classes=False,  # of classes it is LDA
        continuous=True,
        # One less than the ten slices.
        max_components=lambda shape: min(shape.n_samples - 1, shape.n_features, 9),
    ),
    Method(
        name="pls",
        label="PLS",
        family="linear",
        path="sklearn.cross_decomposition:PLSRegression",
        citation="Wold, Soft modelling by latent variables: the nonlinear iterative partial least "
        "squares approach, 1975",
        flops=lambda s: 20.0 * s.n_components * s.n_samples * s.n_features,
        memory=lambda s: 16.0 * s.n_samples * s.n_features,
        parameters=MappingProxyType({"scale": False}),
        classes=False,  # of classes it is PLS-DA
        continuous=True,
        max_components=lambda shape: min(shape.n_samples, shape.n_features),
    ),
    Method(
        name="lslda",
        label="Least squares LDA",
        family="linear",
        path="discrimap.estimators.least_squares_lda:LeastSquaresLDA",
        citation="Ye, Least squares linear discriminant analysis, 2007",
        flops=_scatter_flops,
        memory=_scatter_bytes,
        sparse=True,
        max_components=lambda shape: min(shape.n_classes - 1, shape.n_features),
        distributed=True,
    ),
    Method(
        name="kda",
        label="Kernel discriminant analysis",
        family="kernel",
        path="discrimap.estimators.kernel_discriminant:KernelDiscriminantAnalysis",
        citation="Baudat and Anouar, Generalized discriminant analysis using a kernel approach, "
        "2000",
        flops=_gram_flops,
        memory=_gram_bytes,
        kernel=True,
        landmarks=True,
        max_components=lambda shape: shape.n_classes - 1,
    ),
    Method(
        name="gkdr",
        label="Gradient KDR",
        family="linear",
        path="discrimap.estimators.gradient_kdr:GradientKDR",
        citation="Fukumizu and Leng, Gradient-based kernel dimension reduction for regression, "
        "2014",
        flops=lambda s: (
            0.4 * s.n_samples**3 + 2.0 * s.n_samples**2 * s.n_features * (s.n_classes + 1)
        ),
        memory=lambda s: 8.0 * s.n_samples * (s.n_samples + 2.0 * s.n_features),
        continuous=True,
    ),
    Method(
        name="dc",
        label="Discriminative components",
        family="linear",
        path="discrimap.estimators.discriminative_components:DiscriminativeComponents",
        citation="Peltonen and Kaski, Discriminative components of data, 2005",
        flops=_pair_flops,
        memory=lambda s: 24.0 * s.n_samples * (s.n_features + 4 * s.n_components),
        unlabelled=True,
        distributed=True,
    ),
    Method(
        name="mrmi",
        label="Renyi components",
        family="linear",
        path="discrimap.estimators.renyi_components:RenyiComponents",
        citation="Torkkola and Campbell, Mutual information in learning feature "
        "transformations, 2000",
        flops=_pair_flops,
        memory=lambda s: 24.0 * s.n_samples * (s.n_features + 4 * s.n_components),
        distributed=True,
    ),
)

_BY_NAME = {method.name: method for method in METHODS}


def get_method(name: str) -> Method:
    """Look a method up by its short name."""
    if name not in _BY_NAME:
        raise InputError(
            f"there is no method named {name!r}; the methods are {', '.join(_BY_NAME)}."
        )
    return _BY_NAME[name]
