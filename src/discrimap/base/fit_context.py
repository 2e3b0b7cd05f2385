"""Decorator of ``fit``: parameter checks, threads and callbacks."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sized
from numbers import Integral
from typing import Any, TypeVar

from discrimap._sklearn import _fit_context
from discrimap.samples.validation import refuse_collections
from discrimap.threads import threads_of_fit

Fit = TypeVar("Fit", bound=Callable[..., Any])


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Fit], Fit]:
    """Decorate ``fit`` to check parameters first and to report to callbacks of scikit-learn.

    For estimators that do not support Dask collections, the decorator raises an error for these.

    scikit-learn's decorator checks parameters and, from 1.9 on, finishes the callbacks. Between the
    two, this decorator reports the fit as a task of at most ``estimator._max_steps()`` steps, which
    iterative estimators report through :class:`~discrimap.base.iterative_fit.IterativeFit`.
    """

    def decorate(fit: Fit) -> Fit:
        @functools.wraps(fit)
        def fit_as_a_task(estimator: Any, *args: Any, **kwargs: Any) -> Any:
            data = dict(zip("Xy", args, strict=False)) | {
                name: kwargs[name] for name in "Xy" if name in kwargs
            }
            refuse_collections(estimator, *data.values())
            task = _begin_task(estimator, data)
            with threads_of_fit(_n_samples(data.get("X"))):
                result = fit(estimator, *args, **kwargs)
            if task is not None:
                task.call_on_fit_task_end(estimator=estimator, **data, reconstruction_attributes={})
            return result

        checked = _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)
        decorated: Fit = checked(fit_as_a_task)
        return decorated

    return decorate


def _n_samples(X: Any) -> float:
    """Return the number of samples, 0 for what the validation of the fit refuses."""
    shape = getattr(X, "shape", None)
    if shape is None:
        return float(len(X)) if isinstance(X, Sized) else 0.0
    if not shape:
        return 0.0
    # The number of samples in a dask collection may be unknown.
    return float(shape[0]) if isinstance(shape[0], Integral) else math.inf


def _begin_task(estimator: Any, data: Any) -> Any:
    """Report to callbacks, if any, that the fit of this or of an enclosing estimator begins."""
    if not (hasattr(estimator, "_skl_callbacks") or hasattr(estimator, "_parent_callback_ctx")):
        return None
    if not hasattr(estimator, "set_callbacks"):  # part of another estimator
        return None
    steps = estimator._max_steps() if hasattr(estimator, "_max_steps") else 0
    task = estimator._init_callback_context(max_subtasks=steps)
    return task.call_on_fit_task_begin(estimator=estimator, **data)
