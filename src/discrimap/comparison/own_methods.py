"""User-defined methods in a comparison: transformers with ``fit(X, y)`` and ``transform(X)``."""

from __future__ import annotations

import inspect
import os
import pickle
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from discrimap import costs
from discrimap.errors import InputError
from discrimap.registry import Method, get_method


@dataclass(frozen=True, eq=False)
class OwnMethod(Method):
    """A transformer that is not in the registry.

    In a worker process, the estimator is unpickled in ``make``. If unpickling fails, only this
    method fails, and not the process.
    """

    estimator: Any = None
    packed: bytes | None = None
    n_chosen: int | None = None  # number of components, if set by the user

    def make(
        self,
        n_components: int = 2,
        random_state: int | None = None,
        *,
        continuous: bool | None = None,
        n_landmarks: int | None = None,
        kernel: str | None = None,
    ):
        """Return a copy with the seed, and the number of components unless set by the user.

        In a pipeline, the seed is set in all steps, and the number of components in the last step.
        """
        import cloudpickle
        from sklearn.base import clone

        estimator = self.estimator if self.packed is None else cloudpickle.loads(self.packed)
        made = clone(estimator, safe=False)
        if not hasattr(made, "get_params"):
            return _adapt(made)
        names = made.get_params(deep=True)
        seeds = {
            name: random_state
            for name in names
            if name == "random_state" or name.endswith("__random_state")
        }
        made.set_params(**seeds)
        last = _last_step(made)
        if _is_free(last):
            last.set_params(n_components=n_components)
        if kernel is not None and "kernel" in last.get_params(deep=False):
            last.set_params(kernel="precomputed")
        return made

    def __reduce__(self):
        # pickle cannot find classes that are defined in a notebook.
        try:
            return _describe, (self.label, self.path, self.n_chosen, None, self._pack())
        except Exception as error:
            raise InputError(
                f"the method {self.label!r} cannot be sent to worker processes "
                f"({type(error).__name__}: {error}); compare with n_jobs=1 and without a budget."
            ) from error

    def _pack(self) -> bytes:
        import cloudpickle

        return cloudpickle.dumps(self.estimator) if self.packed is None else self.packed


def choose_methods(given: Iterable[Any], suitable: Iterable[Method] = ()) -> list[Method]:
    """Return the methods given by names in the registry or as labelled estimators.

    Parameters
    ----------
    given : iterable of str, (str, estimator), Method or ``...``
        A name in the registry, a class on the Python path as ``package.module:Class``, or a pair of
        a label and an estimator.
    suitable : iterable of Method
        The methods that ``...`` stands for.

    Examples
    --------
    >>> from sklearn.decomposition import FastICA
    >>> from discrimap.comparison.own_methods import choose_methods
    >>> [method.label for method in choose_methods(["lda", ("ICA", FastICA())])]
    ['LDA', 'ICA']
    """
    found: dict[str, Method] = {}
    wanted = [other for one in given for other in (suitable if one is ... else [one])]
    for one in wanted:
        if isinstance(one, Method):
            method = one
        elif isinstance(one, str):
            method = import_method(one) if ":" in one else get_method(one)
        elif isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str):
            method = own_method(*one)
        else:
            raise InputError(
                f"methods holds {one!r}; pass names of methods, or pairs of a label and an estimator such "
                "as ('UMAP', umap.UMAP())."
            )
        known = found.setdefault(method.name, method)
        if known is not method and isinstance(method, OwnMethod):
            raise InputError(
                f"two methods are called {method.label!r}; give them different labels."
            )
    return list(found.values())


def check_portable(methods: Iterable[Method]) -> None:
    """Raise an error for estimators that cannot be pickled, before any process is started."""
    for method in methods:
        if isinstance(method, OwnMethod):
            pickle.dumps(method)


def own_method(label: str, estimator: Any) -> OwnMethod:
    """Check a user-defined transformer and return it as a method.

    Parameters
    ----------
    label : str
        Name in tables and reports.
    estimator : transformer
        Object with ``fit(X, y)`` and ``transform(X)``. It is copied before each fit.
    """
    label = label.strip()
    if not label or _is_registered(label):
        raise InputError(
            f"{label!r} cannot be the label of a method of your own: "
            f"{'a method of discrimap has this name' if label else 'it is empty'}; choose another."
        )
    kind = estimator if isinstance(estimator, type) else type(estimator)
    if isinstance(estimator, type):
        raise InputError(
            f"the method {label!r} is the class {kind.__name__}; pass an estimator: {kind.__name__}()."
        )
    if not callable(getattr(estimator, "fit", None)):
        raise InputError(
            f"the method {label!r} is {_a(kind)}, which has no fit; pass a transformer with fit(X, y) and "
            "transform(X)."
        )
    if not callable(getattr(estimator, "transform", None)):
        raise InputError(
            f"the method {label!r} is {_a(kind)}, which has no transform and so cannot place held-out "
            "samples; pass a transformer with fit(X, y) and transform(X)."
        )
    try:
        inspect.signature(estimator.fit).bind(None, None)
    except TypeError as error:
        raise InputError(
            f"the method {label!r} is {_a(kind)}, whose fit does not take (X, y): {error}."
        ) from error
    except ValueError:  # a compiled function without a signature
        pass
    path = f"{kind.__module__}:{kind.__qualname__}"
    return _describe(label, path, _chosen_components(estimator), estimator)


def _describe(
    label: str, path: str, n_chosen: int | None, estimator: Any, packed: bytes | None = None
) -> OwnMethod:
    return OwnMethod(
        name=label,
        label=label,
        family="own",
        path=path,
        citation="",
        # The memory is unknown. Two copies are enough for most methods. If a process exhausts
        # memory, the result of the method has this reason.
        memory=costs.two_copies_bytes,
        continuous=True,  # if not supported, the fit fails and the result has the reason
        sparse=True,
        kernel=True,
        fixed_components=None if n_chosen is None else lambda shape: n_chosen,
        estimator=estimator,
        packed=packed,
        n_chosen=n_chosen,
    )


def import_method(path: str) -> OwnMethod:
    """Import a transformer given as ``package.module:Class``, also from the current directory."""
    module_name, _, class_name = path.partition(":")
    folder = os.getcwd()
    if folder not in sys.path:
        # Appended last, so that a local file does not replace an installed module.
        sys.path.append(folder)
    try:
        kind = getattr(import_module(module_name), class_name)
    except (ImportError, ValueError) as error:  # ValueError is raised for an empty name
        raise InputError(f"the method {path!r} cannot be imported: {error}.") from error
    except AttributeError:
        raise InputError(
            f"the method {path!r} cannot be imported: the module {module_name} has no {class_name!r}."
        ) from None
    if not isinstance(kind, type):
        return own_method(class_name, kind)
    try:
        return own_method(class_name, kind())
    except TypeError as error:
        raise InputError(
            f"the method {path!r} cannot be made without arguments: {error}; name an object of your own "
            "module instead, such as mine:estimator."
        ) from error


def _is_registered(name: str) -> bool:
    try:
        get_method(name)
    except InputError:
        return False
    return True


def _a(kind: type) -> str:
    return f"{'an' if kind.__name__[0] in 'AEIOUaeiou' else 'a'} {kind.__name__}"


def _adapt(transformer: Any) -> Any:
    """Wrap an object as a scikit-learn estimator, so that it can be used in a pipeline."""
    from sklearn.base import BaseEstimator, TransformerMixin

    class Adapted(TransformerMixin, BaseEstimator):
        def fit(self, X, y):
            transformer.fit(X, y)
            return self

        def transform(self, X):
            return transformer.transform(X)

        def __sklearn_is_fitted__(self):
            return True

    return Adapted()


def _last_step(estimator: Any) -> Any:
    steps = getattr(estimator, "steps", None)
    return _last_step(steps[-1][1]) if steps else estimator


def _is_free(estimator: Any) -> bool:
    """Return whether an estimator has a number of components that the user has not set."""
    if not hasattr(estimator, "get_params"):
        return False
    parameters = estimator.get_params(deep=False)
    if "n_components" not in parameters:
        return False
    declared = inspect.signature(type(estimator)).parameters.get("n_components")
    return parameters["n_components"] in (None, declared.default if declared else None)


def _chosen_components(estimator: Any) -> int | None:
    """Return the number of components that the user has set, or None."""
    last = _last_step(estimator)
    chosen = (
        last.get_params(deep=False).get("n_components") if hasattr(last, "get_params") else None
    )
    if _is_free(last) or not isinstance(chosen, int):
        return None
    return chosen
