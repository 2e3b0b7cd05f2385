"""Report the steps of an iterative fit: printed output and callbacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from discrimap._sklearn import CallbackSupportMixin
from discrimap.optimisers import Step, with_progress


class IterativeFit(CallbackSupportMixin):
    """Mixin for estimators with ``verbose``, ``callback`` and, from scikit-learn 1.9, ``set_callbacks``.

    The optimiser calls a single callback, in which :meth:`_step_callback` combines three: printing
    to stderr (``verbose``), the function of the user (``callback``), which receives a
    :class:`~discrimap.optimisers.Step`, and the callbacks of scikit-learn (``set_callbacks``), for
    which each step is a task within the fit. The last two can request to stop.
    """

    max_iter: Any  # int, or "auto" in FisherTSNE
    verbose: int
    callback: Callable[[Step], object] | None

    def _max_steps(self) -> Any:
        """Return the maximum number of steps that a fit reports; None if it is not known."""
        return self.max_iter

    def _step_callback(self, verbose: Any = None) -> Any:
        """Return the combined callback, or None if there is nothing to call.

        Estimators that print their own progress pass ``verbose=0``.
        """
        verbose = self.verbose if verbose is None else verbose
        own = with_progress(self.callback, verbose, type(self).__name__)
        fit_task = getattr(self, "_callback_fit_ctx", None)
        if fit_task is None:
            return own

        def tell_all(step: Any) -> Any:
            stop = bool(own(step)) if own is not None else False
            task = fit_task.subcontext(task_name="iteration")
            task.call_on_fit_task_begin(estimator=self)
            metadata = {"n_iter": step.n_iter, "value": float(step.value)}
            return bool(task.call_on_fit_task_end(estimator=self, metadata=metadata)) or stop

        return tell_all
