"""All imports of scikit-learn's private helpers."""

from sklearn.base import _fit_context
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, Options, StrOptions
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

try:  # scikit-learn 1.9
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Empty replacement for scikit-learn before 1.9; the parameter ``callback`` works anyway."""


__all__ = [
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "Options",
    "StrOptions",
    "_fit_context",
    "check_sample_weight",
    "safe_indexing",
]
