"""Supervised dimension reduction: maps of labelled data, and checks of how far to trust them.

Estimators are imported on first use, so that ``import discrimap`` is fast. Their names come from the
registry, which lists each method once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from discrimap._version import __version__
from discrimap.registry import METHODS

# For type checkers and editors, which do not call __getattr__; a test compares the list with the registry.
if TYPE_CHECKING:
    from discrimap.category.estimator import CategorySpace as CategorySpace
    from discrimap.category.kernel_estimator import KernelCategorySpace as KernelCategorySpace
    from discrimap.comparators.gradient_kdr import GradientKDR as GradientKDR
    from discrimap.comparators.kernel_discriminant import (
        KernelDiscriminantAnalysis as KernelDiscriminantAnalysis,
    )
    from discrimap.comparators.kernel_supervised_pca import (
        KernelSupervisedPCA as KernelSupervisedPCA,
    )
    from discrimap.comparators.least_squares_lda import LeastSquaresLDA as LeastSquaresLDA
    from discrimap.comparators.locality_preserving import (
        LocalityPreservingProjections as LocalityPreservingProjections,
    )
    from discrimap.comparators.manifold_regularization import (
        ManifoldRegularization as ManifoldRegularization,
    )
    from discrimap.comparators.neighborhood_components import (
        NeighborhoodComponents as NeighborhoodComponents,
    )
    from discrimap.comparators.plsda import PLSDA as PLSDA
    from discrimap.comparators.sliced_average_variance import (
        SlicedAverageVariance as SlicedAverageVariance,
    )
    from discrimap.comparators.supervised_pca import SupervisedPCA as SupervisedPCA
    from discrimap.comparison.compare import compare as compare
    from discrimap.components.discriminative import (
        DiscriminativeComponents as DiscriminativeComponents,
    )
    from discrimap.components.renyi import RenyiComponents as RenyiComponents
    from discrimap.fisher.landmark_posterior import LandmarkPosterior as LandmarkPosterior
    from discrimap.fisher.landmark_regression import LandmarkRegression as LandmarkRegression
    from discrimap.fisher.metric import FisherMetric as FisherMetric
    from discrimap.fisher.tsne import FisherTSNE as FisherTSNE
    from discrimap.inspection.contributions import feature_contributions as feature_contributions
    from discrimap.projections.estimator import (
        DiscriminativeProjections as DiscriminativeProjections,
    )
    from discrimap.report.notebook import show as show
    from discrimap.sda.estimator import (
        StochasticDiscriminantAnalysis as StochasticDiscriminantAnalysis,
    )

# Public classes that are not methods of the registry: name -> module.
_OTHER_CLASSES: dict[str, str] = {
    "FisherMetric": "discrimap.fisher.metric",
    "LandmarkPosterior": "discrimap.fisher.landmark_posterior",
    "LandmarkRegression": "discrimap.fisher.landmark_regression",
}

# Public functions: name -> module.
_FUNCTIONS: dict[str, str] = {
    "compare": "discrimap.comparison.compare",
    "feature_contributions": "discrimap.inspection.contributions",
    "show": "discrimap.report.notebook",
}

_MODULE_OF_NAME = (
    _OTHER_CLASSES
    | _FUNCTIONS
    | {method.class_name: method.module for method in METHODS if method.is_ours}
)

__all__ = ["__version__", *sorted(_MODULE_OF_NAME)]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF_NAME:
        return getattr(import_module(_MODULE_OF_NAME[name]), name)
    raise AttributeError(f"module 'discrimap' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
