"""See your classes, find the few directions that tell them apart, and know whether to trust it.

Estimators are imported when they are first used, so that ``import discrimap`` costs nothing. Their
names come from the registry, where each method is listed once.
"""

from importlib import import_module

from discrimap._version import __version__
from discrimap.registry import METHODS

# Public classes that are not methods of the registry: name -> module.
_OTHER_CLASSES: dict[str, str] = {
    "FisherMetric": "discrimap.fisher.metric",
    "LandmarkPosterior": "discrimap.fisher.landmark_posterior",
    "LandmarkRegression": "discrimap.fisher.landmark_regression",
}

# Public functions: name -> module.
_FUNCTIONS: dict[str, str] = {"feature_contributions": "discrimap.inspection.contributions"}

_MODULE_OF_NAME = (
    _OTHER_CLASSES
    | _FUNCTIONS
    | {method.class_name: method.module for method in METHODS if method.is_ours}
)

__all__ = ["__version__", *sorted(_MODULE_OF_NAME)]


def __getattr__(name):
    if name in _MODULE_OF_NAME:
        return getattr(import_module(_MODULE_OF_NAME[name]), name)
    raise AttributeError(f"module 'discrimap' has no attribute {name!r}")


def __dir__():
    return __all__
