"""List of all methods, with the input they accept and their costs.

The public names of the package, the command line, the common tests and the benchmarks all read this
list, so that a new method needs one file and one entry here. Importing the list is fast: an entry
contains the path of its class, which :meth:`Method.make` imports.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any

from discrimap import costs
from discrimap.costs import Shape
from discrimap.errors import InputError

# Sorted by simplicity. "own" are estimators of the user, whose simplicity is not known.
FAMILIES = ("linear", "kernel", "manifold", "own")


@dataclass(frozen=True, eq=False)
class Method:
    """A method that maps labelled data to a few dimensions.

    ``memory`` is a function of :mod:`discrimap.costs` that estimates the bytes that one fit needs.
    """

    name: str
    label: str
    family: str  # one of FAMILIES
    path: str  # "package.module:ClassName"
    citation: str
    memory: Callable[[Shape], float]
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    n_settings: int = (
        0  # number of settings that affect the result: widths, penalties, neighbours, starts
    )
    supervised: bool = True
    classes: bool = True  # accepts class labels
    unlabelled: bool = False  # y == -1 (or NaN for continuous targets) means an unlabelled sample
    continuous: bool = False  # accepts a continuous target
    kernel: bool = False  # accepts kernel="precomputed"
    distances: bool = False  # accepts kernel="precomputed_distance"
    vectors: bool = True  # accepts features
    landmarks: bool = False  # accepts n_landmarks, to avoid a kernel of all samples
    sparse: bool = False  # accepts scipy sparse X
    distributed: bool = False  # accepts Dask arrays and data frames
    needs: str | None = None  # name of an optional package
    max_components: Callable[[Shape], int] = lambda shape: shape.n_features
    # 0.85 to 0.95 of its 90 % intervals of loadings held in benchmarks/feature_intervals.py.
    calibrated: bool = False
    # Its first components are the same whatever the number of components.
    nested: bool = False
    # Number of components of methods that do not use n_components.
    fixed_components: Callable[[Shape], int] | None = None

    def __reduce__(self):
        return get_method, (self.name,)  # functions are not pickled

    @property
    def module(self) -> str:
        return self.path.partition(":")[0]

    @property
    def class_name(self) -> str:
        return self.path.partition(":")[2]

    @property
    def is_ours(self) -> bool:
        return self.module.startswith("discrimap.")

    @property
    def simplicity(self) -> tuple[int, int]:
        """Sort key for simplicity: linear before kernel before manifold methods, few settings first.

        Simple methods usually take less time too.
        """
        return FAMILIES.index(self.family), self.n_settings

    def make(
        self,
        n_components: int = 2,
        random_state: int | None = None,
        *,
        continuous: bool | None = None,
        n_landmarks: int | None = None,
        kernel: str | None = None,
    ):
        """Build the estimator; arguments that are not parameters of the estimator are ignored.

        Parameters
        ----------
        n_components : int
            Number of components.
        random_state : int, optional
            Seed.
        continuous : bool, optional
            Whether the target is continuous; by default the estimator decides by the values.
        n_landmarks : int, optional
            Number of landmarks of a kernel method.
        kernel : {"precomputed", "precomputed_distance"}, optional
            Whether the samples are similarities or distances. A method that does not accept distances
            is built for similarities.

        Returns
        -------
        estimator : BaseEstimator
            The estimator, not fitted.
        """
        estimator_class = getattr(import_module(self.module), self.class_name)
        known = inspect.signature(estimator_class).parameters
        common: dict[str, Any] = {"n_components": n_components, "random_state": random_state}
        if continuous is not None:
            common["target"] = "continuous" if continuous else "classes"
        if n_landmarks is not None:
            common["n_landmarks"] = n_landmarks
        if kernel is not None:
            common["kernel"] = kernel if self.distances else "precomputed"
        shared = {name: value for name, value in common.items() if name in known}
        return estimator_class(**{**shared, **self.parameters})


METHODS: tuple[Method, ...] = (
    Method(
        name="pca",
        label="PCA",
        family="linear",
        path="sklearn.decomposition:PCA",
        citation="Pearson, On lines and planes of closest fit to systems of points in space, 1901",
        memory=costs.scatter_bytes,
        supervised=False,
        unlabelled=True,
        continuous=True,
        sparse=True,
        max_components=lambda shape: min(shape.n_samples, shape.n_features),
        calibrated=True,
        nested=True,
    ),
    Method(
        name="lda",
        label="LDA",
        family="linear",
        path="sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
        citation="Rao, The utilization of multiple measurements in problems of biological "
        "classification, 1948",
        memory=costs.scatter_bytes,
        max_components=lambda shape: min(shape.n_classes - 1, shape.n_features),
        calibrated=True,
        nested=True,
    ),
    Method(
        name="nca",
        label="NCA",
        family="linear",
        path="discrimap.comparators.neighborhood_components:NeighborhoodComponents",
        citation="Goldberger, Roweis, Hinton and Salakhutdinov, Neighbourhood components "
        "analysis, 2005",
        memory=costs.components_bytes,
        n_settings=1,
    ),
    Method(
        name="plsda",
        label="PLS-DA",
        family="linear",
        path="discrimap.comparators.plsda:PLSDA",
        citation="Barker and Rayens, Partial least squares for discrimination, 2003",
        memory=costs.two_copies_bytes,
        max_components=lambda shape: min(shape.n_samples, shape.n_features),
        distributed=True,
        calibrated=True,
        nested=True,
    ),
    Method(
        name="category",
        label="Category space",
        family="linear",
        path="discrimap.category.estimator:CategorySpace",
        citation="Smith and Rangarajan, A category space approach to supervised dimensionality "
        "reduction, 2016",
        memory=costs.category_bytes,
        n_settings=1,
        max_components=lambda shape: shape.n_classes,
        fixed_components=lambda shape: shape.n_classes,
        distributed=True,
        calibrated=True,
    ),
    Method(
        name="kernel-category",
        label="Kernel category space",
        family="kernel",
        path="discrimap.category.kernel_estimator:KernelCategorySpace",
        citation="Smith and Rangarajan, A category space approach to supervised dimensionality "
        "reduction, 2016",
        memory=costs.gram_bytes,
        n_settings=2,
        kernel=True,
        landmarks=True,
        max_components=lambda shape: shape.n_classes,
        fixed_components=lambda shape: shape.n_classes,
    ),
    Method(
        name="dp",
        label="Discriminative projections",
        family="linear",
        path="discrimap.projections.estimator:DiscriminativeProjections",
        citation="Wang and Mahadevan, Learning locality-preserving discriminative features",
        memory=costs.scatter_bytes,
        n_settings=3,
        unlabelled=True,
        continuous=True,
        sparse=True,
        calibrated=True,
        nested=True,
    ),
    Method(
        name="lpp",
        label="LPP",
        family="linear",
        path="discrimap.comparators.locality_preserving:LocalityPreservingProjections",
        citation="He and Niyogi, Locality preserving projections, 2003",
        memory=costs.scatter_bytes,
        n_settings=2,
        supervised=False,
        unlabelled=True,
        continuous=True,
        sparse=True,
        calibrated=True,
        nested=True,
    ),
    Method(
        name="manifold-regularization",
        label="Manifold regularization",
        family="linear",
        path="discrimap.comparators.manifold_regularization:ManifoldRegularization",
        citation="Belkin, Niyogi and Sindhwani, Manifold regularization: a geometric framework "
        "for learning from labeled and unlabeled examples, 2006",
        memory=costs.scatter_bytes,
        n_settings=4,
        unlabelled=True,
        continuous=True,
        sparse=True,
        max_components=lambda shape: shape.n_classes,
        fixed_components=lambda shape: shape.n_classes,
        calibrated=True,
    ),
    Method(
        name="fisher-tsne",
        label="Fisher t-SNE",
        family="manifold",
        path="discrimap.fisher.tsne:FisherTSNE",
        citation="Schulz and Hammer, Discriminative dimensionality reduction in kernel space, 2016",
        memory=costs.fisher_bytes,
        n_settings=3,
        needs="openTSNE",
        unlabelled=True,
        continuous=True,
        kernel=True,
        distances=True,
        sparse=True,
        max_components=lambda shape: 3,
    ),
    Method(
        name="sda",
        label="SDA",
        family="linear",
        path="discrimap.sda.estimator:StochasticDiscriminantAnalysis",
        citation="Juuti, Corona and Karhunen, Stochastic discriminant analysis for linear "
        "supervised dimension reduction, 2018",
        memory=costs.sda_bytes,
        parameters=MappingProxyType({"alpha": "auto"}),
        n_settings=2,
        sparse=True,
        distributed=True,
    ),
    Method(
        name="spca",
        label="Supervised PCA",
        family="linear",
        path="discrimap.comparators.supervised_pca:SupervisedPCA",
        citation="Barshan, Ghodsi, Azimifar and Jahromi, Supervised principal component "
        "analysis, 2011",
        memory=costs.data_bytes,
        continuous=True,
        distributed=True,
        calibrated=True,
        nested=True,
    ),
    Method(
        name="kspca",
        label="Kernel supervised PCA",
        family="kernel",
        path="discrimap.comparators.kernel_supervised_pca:KernelSupervisedPCA",
        citation="Barshan, Ghodsi, Azimifar and Jahromi, Supervised principal component "
        "analysis, 2011",
        memory=costs.gram_bytes,
        n_settings=1,
        continuous=True,
        kernel=True,
        landmarks=True,
        max_components=lambda shape: shape.n_samples,
        nested=True,
    ),
    Method(
        name="save",
        label="SAVE",
        family="linear",
        path="discrimap.comparators.sliced_average_variance:SlicedAverageVariance",
        citation="Cook and Weisberg, Sliced inverse regression for dimension reduction: Comment, "
        "1991",
        memory=lambda shape: 2 * costs.scatter_bytes(shape),
        continuous=True,
        max_components=lambda shape: min(shape.n_samples - 1, shape.n_features),
        nested=True,
    ),
    Method(
        name="sir",
        label="SIR",
        family="linear",
        path="discrimap.comparators.sliced_average_variance:SlicedAverageVariance",
        citation="Li, Sliced inverse regression for dimension reduction, 1991",
        memory=costs.scatter_bytes,
        n_settings=1,
        parameters=MappingProxyType({"method": "sir"}),
        classes=False,  # for classes it would be LDA
        continuous=True,
        # One less than the number of slices, ten.
        max_components=lambda shape: min(shape.n_samples - 1, shape.n_features, 9),
        calibrated=True,
        nested=True,
    ),
    Method(
        name="pls",
        label="PLS",
        family="linear",
        path="sklearn.cross_decomposition:PLSRegression",
        citation="Wold, Soft modelling by latent variables: the nonlinear iterative partial least "
        "squares approach, 1975",
        memory=costs.two_copies_bytes,
        parameters=MappingProxyType({"scale": False}),
        classes=False,  # for classes it would be PLS-DA
        continuous=True,
        max_components=lambda shape: min(shape.n_samples, shape.n_features),
        calibrated=True,
        nested=True,
    ),
    Method(
        name="lslda",
        label="Least squares LDA",
        family="linear",
        path="discrimap.comparators.least_squares_lda:LeastSquaresLDA",
        citation="Ye, Least squares linear discriminant analysis, 2007",
        memory=costs.scatter_bytes,
        n_settings=1,
        sparse=True,
        max_components=lambda shape: min(shape.n_classes - 1, shape.n_features),
        distributed=True,
        nested=True,
    ),
    Method(
        name="kda",
        label="Kernel discriminant analysis",
        family="kernel",
        path="discrimap.comparators.kernel_discriminant:KernelDiscriminantAnalysis",
        citation="Baudat and Anouar, Generalized discriminant analysis using a kernel approach, "
        "2000",
        memory=costs.gram_bytes,
        n_settings=2,
        kernel=True,
        landmarks=True,
        max_components=lambda shape: shape.n_classes - 1,
        nested=True,
    ),
    Method(
        name="gkdr",
        label="Gradient KDR",
        family="linear",
        path="discrimap.comparators.gradient_kdr:GradientKDR",
        citation="Fukumizu and Leng, Gradient-based kernel dimension reduction for regression, "
        "2014",
        memory=costs.gradient_bytes,
        n_settings=3,
        continuous=True,
        nested=True,
    ),
    Method(
        name="dc",
        label="Discriminative components",
        family="linear",
        path="discrimap.components.discriminative:DiscriminativeComponents",
        citation="Peltonen and Kaski, Discriminative components of data, 2005",
        memory=costs.components_bytes,
        n_settings=2,
        unlabelled=True,
        distributed=True,
    ),
    Method(
        name="mrmi",
        label="Renyi components",
        family="linear",
        path="discrimap.components.renyi:RenyiComponents",
        citation="Torkkola and Campbell, Mutual information in learning feature "
        "transformations, 2000",
        memory=costs.components_bytes,
        n_settings=2,
        distributed=True,
    ),
)

# The unsupervised baseline for similarities and distances, as PCA is for features.
SIMILARITY_METHODS: tuple[Method, ...] = (
    Method(
        name="kpca",
        label="Kernel PCA",
        family="kernel",
        path="sklearn.decomposition:KernelPCA",
        citation="Schölkopf, Smola and Müller, Nonlinear component analysis as a kernel eigenvalue "
        "problem, 1998",
        memory=costs.gram_bytes,
        # This solver computes only the largest eigenvalues; others may be negative.
        parameters=MappingProxyType({"eigen_solver": "arpack"}),
        supervised=False,
        unlabelled=True,
        continuous=True,
        kernel=True,
        vectors=False,
        max_components=lambda shape: shape.n_samples - 1,
        nested=True,
    ),
)

_BY_NAME = {method.name: method for method in (*METHODS, *SIMILARITY_METHODS)}


def get_method(name: str) -> Method:
    """Return the method with this short name; raise an error if it does not exist."""
    if name not in _BY_NAME:
        raise InputError(
            f"there is no method named {name!r}; the methods are {', '.join(_BY_NAME)}."
        )
    return _BY_NAME[name]
