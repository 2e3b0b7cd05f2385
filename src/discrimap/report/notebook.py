"""Comparisons and fitted estimators as interactive maps in a notebook."""

from __future__ import annotations

import html
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from discrimap.comparison.result import Comparison
from discrimap.errors import InputError
from discrimap.inspection import Inspection, NamedProblem
from discrimap.inspection.features import telling_features
from discrimap.inspection.maps import Maps, MethodMap, collect_maps
from discrimap.report.html import map_page, to_html
from discrimap.report.summary import look_closer, summarise
from discrimap.samples.targets import encode_classes, is_continuous

# The page is stored in the notebook file: the script of plotly (2 MB) and at most this many points.
MOST_POINTS = 5_000
MOST_COORDINATES = 60_000
N_VALUES = 8
HEIGHT = 900  # pixels; a higher page has a scroll bar


class Page:
    """A page that notebooks show in an iframe, without access to the notebook or the network.

    Parameters
    ----------
    text : str
        The HTML page.
    words : str
        Text description of the page, for screen readers and consoles.
    height : int
        Height of the iframe in pixels.

    Examples
    --------
    >>> from discrimap.report import Page
    >>> page = Page("<p>LDA</p>", "Map of LDA")
    >>> page
    Map of LDA (0.0 MB; save(path) writes the page)
    """

    def __init__(self, text: str, words: str, height: int = HEIGHT) -> None:
        self.text, self.words, self.height = text, words, height

    def save(self, path: str | os.PathLike[str]) -> Page:
        """Write the page to a file. If writing fails, no partial file is left."""
        from discrimap.tables.output_files import write_text

        write_text(Path(path), self.text)
        return self

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.text)}" sandbox="allow-scripts allow-downloads" '
            f'title="{html.escape(self.words)}" loading="lazy" '
            f'style="width:100%;height:{self.height}px;border:0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"{self.words} ({len(self.text) / 1e6:.1f} MB; save(path) writes the page)"


def report_page(
    comparison: Comparison,
    path: str | os.PathLike[str] | None,
    seconds: float,
    on_step: Callable[[str], None] | None = None,
) -> Page:
    """Return the report of a comparison, and write it to ``path`` if given."""
    dataset = _dataset_of(comparison)
    summary = look_closer(summarise(comparison, dataset), dataset, seconds=seconds, on_step=on_step)
    page = Page(to_html(summary), f"Report on {comparison.data_name}")
    return page if path is None else page.save(path)


def comparison_page(comparison: Comparison) -> Page:
    """Return a page with the verdict, the table and the maps of a comparison, without new fits."""
    dataset = _dataset_of(comparison)
    summary = summarise(comparison, dataset)
    shown = comparison.shown_result
    if shown is not None:
        nothing = "Left out here."
        inspection = Inspection(
            name=shown.name,
            label=shown.label,
            n_components=shown.n_components,
            maps=_small_maps(comparison, dataset),
            features=nothing,
            suspects=nothing,
            confusion=nothing,
            dimensions=nothing,
        )
        summary = replace(summary, inspection=inspection)
    return Page(to_html(summary, "notebook.html"), f"Comparison of {comparison.data_name}")


def _dataset_of(comparison: Comparison) -> Any:
    if comparison.dataset is None:
        raise InputError(
            "this comparison does not hold its samples, because it was run on Dask; use to_frame()."
        )
    return comparison.dataset


def _small_maps(comparison: Comparison, dataset: Any) -> Maps | str:
    samples = NamedProblem.from_dataset(dataset)
    ranking = telling_features(samples, comparison.protocol)
    limits = {"most_points": MOST_POINTS, "most_coordinates": MOST_COORDINATES}
    maps = collect_maps(comparison, samples, ranking, comparison.protocol.seed, **limits)
    return maps if maps is not None else "No map was kept."


def show(estimator: Any, X: Any, y: Any = None) -> Page:
    """Show an interactive map of a fitted estimator: hover, zoom, select and save points.

    A notebook displays the returned page. Elsewhere, ``save(path)`` writes it as an HTML file. The
    page works offline.

    Parameters
    ----------
    estimator : fitted transformer or pipeline
        Estimator with a ``transform`` method.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The samples to draw. If there are more than 5,000, a random subset is drawn.
    y : array-like of shape (n_samples,), optional
        Classes or numbers that determine the colours of the points.

    Returns
    -------
    page : Page

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.decomposition import PCA
    >>> from discrimap import show
    >>> X, y = load_wine(return_X_y=True)
    >>> show(PCA(2).fit(X), X, y)
    Map of PCA: 178 points (... MB; save(path) writes the page)
    """
    Z = np.asarray(estimator.transform(X), dtype=np.float32)
    Z = Z[:, np.newaxis] if Z.ndim == 1 else Z
    if Z.ndim != 2 or not np.isfinite(Z).all():
        raise InputError(
            f"the map must be a table of finite numbers, but {type(estimator).__name__}.transform(X) "
            f"has shape {Z.shape}{'' if np.isfinite(Z).all() else ' and values that are not finite'}."
        )
    target, class_names = _encode(y, len(Z))
    rows = np.arange(len(Z))
    if len(rows) > MOST_POINTS:
        rows = np.sort(np.random.default_rng(0).choice(rows, MOST_POINTS, replace=False))
    label = _label_of(estimator)
    names, values = _values(estimator, X, rows)
    maps = Maps(
        rows=rows,
        is_held_out=np.zeros(len(rows), dtype=bool),
        target=target[rows],
        value_names=names,
        values=values,
        methods=(MethodMap(label, label, Z[rows]),),
        n_rows=len(Z),
        n_methods=1,
    )
    return Page(map_page(maps, class_names, label), f"Map of {label}: {len(Z):,} points")


def _label_of(estimator: Any) -> str:
    """Return the class name of the estimator, or of the last step of a pipeline."""
    steps = getattr(estimator, "steps", None)
    return type(steps[-1][1] if steps else estimator).__name__


def _encode(y: Any, n_samples: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the codes and names of the classes; for a continuous target, numbers and no names."""
    if y is None:
        return np.zeros(n_samples, dtype=np.intp), ("samples",)
    y = np.ravel(np.asarray(y))
    if len(y) != n_samples:
        raise InputError(f"y has {len(y)} values for the {n_samples} samples of X.")
    if is_continuous(y, count_values=True):
        return y.astype(np.float64), ()
    names, codes = encode_classes(y)
    return codes, tuple(names)


def _values(estimator: Any, X: Any, rows: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the names and values of the first features, if they are numeric."""
    columns = getattr(X, "columns", None)
    if columns is not None:
        numbers = [name for name in columns if np.issubdtype(np.asarray(X[name]).dtype, np.number)][
            :N_VALUES
        ]
        if not numbers:
            return (), np.zeros((len(rows), 0), dtype=np.float32)
        shown = [np.asarray(X[name], dtype=np.float32)[rows] for name in numbers]
        return tuple(map(str, numbers)), np.column_stack(shown)
    first = (X.tocsr() if sparse.issparse(X) else np.asarray(X))[rows][:, :N_VALUES]
    first = first.toarray() if sparse.issparse(first) else first
    known = getattr(estimator, "feature_names_in_", None)
    names = known if known is not None else [f"feature {i}" for i in range(first.shape[1])]
    return tuple(map(str, names[: first.shape[1]])), np.asarray(first, dtype=np.float32)
