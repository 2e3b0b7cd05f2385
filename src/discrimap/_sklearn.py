"""The one door through which scikit-learn's private helpers enter."""

import functools
import math
from numbers import Integral

import numpy as np
import sklearn.utils.validation
from sklearn.base import _fit_context
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, Options, StrOptions
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

from discrimap.samples.on_dask.dask_input import is_dask
from discrimap.threads import threads_of_fit

try:  # scikit-learn 1.9
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support before scikit-learn 1.9; estimators have ``callback`` of their own."""


def fit_context(*, prefer_skip_nested_validation):
    """Decorate ``fit``: parameters are checked before it, callbacks of scikit-learn told of it.

    Dask collections are refused here by the estimators that cannot take them: scikit-learn's own
    checks would gather all samples in memory without a word.

    scikit-learn's own decorator checks parameters and, from 1.9 on, ends what callbacks have
    begun. Between the two, this one reports the fit itself as a task, of at most
    ``estimator._max_steps()`` steps, which iterative estimators report through
    :class:`~discrimap.base.iterative_fit.IterativeFit`.
    """

    def decorate(fit):
        @functools.wraps(fit)
        def fit_as_a_task(estimator, *args, **kwargs):
            data = dict(zip("Xy", args, strict=False)) | {
                name: kwargs[name] for name in "Xy" if name in kwargs
            }
            if not getattr(estimator, "_accepts_dask", False) and any(map(is_dask, data.values())):
                from discrimap.samples.on_dask.limits import refuse_collection

                refuse_collection(estimator)
            task = _begin_task(estimator, data)
            with threads_of_fit(_multiplications(estimator, data.get("X"))):
                result = fit(estimator, *args, **kwargs)
            if task is not None:
                task.call_on_fit_task_end(estimator=estimator, **data, reconstruction_attributes={})
            return result

        checked = _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)
        return checked(fit_as_a_task)

    return decorate


def _multiplications(estimator, X):
    """Size of a fit: of the scatter matrix or, for methods with a kernel matrix, its eigenpairs."""
    shape = getattr(X, "shape", ())
    if len(shape) != 2:
        shape = (len(X), 1) if hasattr(X, "__len__") else (1, 1)
    # The number of samples in a dask collection may be unknown.
    n_samples, n_features = (float(n) if isinstance(n, Integral) else math.inf for n in shape)
    if getattr(estimator, "_compares_all_samples", False):
        return n_samples**2 * max(n_samples, n_features)
    return n_samples * n_features * min(n_samples, n_features)


def validate_data(estimator, X, *args, **kwargs):
    """scikit-learn's ``validate_data``, which would gather a dask collection; this refuses it."""
    if is_dask(X):
        from discrimap.samples.on_dask.limits import refuse_collection_of_new_samples

        refuse_collection_of_new_samples(estimator)
    # It sums all values to find those that are not finite, and large float32 overflow in the sum.
    with np.errstate(over="ignore", invalid="ignore"):
        return sklearn.utils.validation.validate_data(estimator, X, *args, **kwargs)


def _begin_task(estimator, data):
    """Tell callbacks, if there are any, that a fit begins; of this estimator or of one around it."""
    if not (hasattr(estimator, "_skl_callbacks") or hasattr(estimator, "_parent_callback_ctx")):
        return None
    if not hasattr(estimator, "set_callbacks"):  # a part of another estimator, not for pipelines
        return None
    steps = estimator._max_steps() if hasattr(estimator, "_max_steps") else 0
    task = estimator._init_callback_context(max_subtasks=steps)
    return task.call_on_fit_task_begin(estimator=estimator, **data)


__all__ = [
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "Options",
    "StrOptions",
    "check_sample_weight",
    "fit_context",
    "safe_indexing",
    "validate_data",
]
