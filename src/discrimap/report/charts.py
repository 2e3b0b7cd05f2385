"""Coordinates of the small charts on the page; the templates only insert these numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discrimap.comparison import Comparison
from discrimap.comparison.wording import significant
from discrimap.inspection.dimensions import DimensionCurve
from discrimap.inspection.features import FeatureEffects

RANGE_WIDTH = 145
WHISKER_WIDTH = 150
MOST_FEATURES = 15
MOST_COMPONENTS = 2
ROUNDING = 1e-12  # loadings below this share of the largest loading are zero
CURVE_SIZE = (480, 250)
CURVE_MARGIN = (54, 14, 14, 40)  # left, right, top, bottom


@dataclass(frozen=True)
class Range:
    """Positions of the mean, the mean plus and minus one standard deviation, and each split."""

    mean: float
    low: float
    high: float
    splits: tuple[float, ...]


def error_ranges(comparison: Comparison) -> dict[str, tuple[Range, Range | None]]:
    """Return the positions of the held-out errors and the controls, if any, on a common scale."""
    done = comparison.done
    every = [e for result in done for e in (*result.test_errors, *result.permuted_errors)]
    scale = (RANGE_WIDTH - 12) / max(every, default=1.0) if any(every) else 1.0

    def place(errors):
        if not errors:
            return None
        spread = _spread(errors)
        mean = np.mean(errors)
        low, high = np.clip([mean - spread, mean + spread], 0.0, max(every))
        mean, low, high, *splits = (round(6 + scale * e, 1) for e in (mean, low, high, *errors))
        return Range(mean, low, high, tuple(splits))

    return {r.name: (place(r.test_errors), place(r.permuted_errors)) for r in done}


@dataclass(frozen=True)
class Whisker:
    """One loading with its interval, as text and as positions on a line with zero in the middle."""

    value: str
    interval: str
    is_sure: bool  # whether the interval excludes zero
    middle: float
    low: float
    high: float


def feature_rows(effects: FeatureEffects) -> list[tuple[str, list[Whisker]]]:
    """Return the positions of the loadings of the leading features, most important first."""
    shown = effects.ranking[:MOST_FEATURES]
    loadings = effects.loadings[:MOST_COMPONENTS]
    intervals = effects.intervals
    ends = loadings if intervals is None else intervals[:, : len(loadings)]
    largest = max(np.abs(ends[..., shown]).max(), np.abs(loadings[:, shown]).max(), 1e-300)
    half = WHISKER_WIDTH / 2

    def place(value):
        return round(half + (half - 5) * float(value) / largest, 1)

    def write(value):
        return significant(value if abs(value) > ROUNDING * largest else 0.0)

    rows = []
    for feature in shown:
        whiskers = []
        for component, row in enumerate(loadings):
            value = row[feature]
            low, high = (value, value) if intervals is None else intervals[:, component, feature]
            whiskers.append(
                Whisker(
                    value=write(value),
                    interval="" if intervals is None else f"{write(low)} to {write(high)}",
                    is_sure=intervals is not None and bool(low > 0 or high < 0),
                    middle=place(value),
                    low=place(low),
                    high=place(high),
                )
            )
        rows.append((effects.feature_names[feature], whiskers))
    return rows


@dataclass(frozen=True)
class CurvePoint:
    """One point of the curve: the error for one number of components."""

    n_components: int
    error: str
    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """The points of a curve and the ticks of both axes."""

    points: tuple[CurvePoint, ...]
    path: str
    ticks: tuple[tuple[float, str], ...]  # height and text
    width: int
    height: int
    left: float
    right: float
    bottom: float


def dimension_curve(curve: DimensionCurve, write) -> Curve:
    """Return the positions of the errors in the curve; ``write`` formats an error as text."""
    width, height = CURVE_SIZE
    left, right, top, bottom = CURVE_MARGIN
    errors = [np.asarray(row) for row in curve.errors]
    spreads = [_spread(row) for row in errors]
    largest = max(float(row.mean() + s) for row, s in zip(errors, spreads, strict=True))
    step = _tick_step(largest)
    top_value = max(step, np.ceil(largest / step - 1e-9) * step)

    def at(value):
        return round(height - bottom - (height - top - bottom) * float(value) / top_value, 1)

    n = len(errors)
    points = []
    for i, (d, row, spread) in enumerate(zip(curve.n_components, errors, spreads, strict=True)):
        mean = row.mean()
        points.append(
            CurvePoint(
                n_components=d,
                error=write(row),
                x=round(left + (width - left - right) * (i + 0.5) / n, 1),
                y=at(mean),
                low=at(max(0.0, mean - spread)),
                high=at(mean + spread),
            )
        )
    marks = np.arange(0.0, top_value + step / 2, step)
    return Curve(
        points=tuple(points),
        path="M" + " L".join(f"{point.x},{point.y}" for point in points),
        ticks=tuple((at(mark), f"{100 * mark:.3g} %") for mark in marks),
        width=width,
        height=height,
        left=left,
        right=width - right,
        bottom=height - bottom,
    )


def _spread(errors) -> float:
    """Return the standard deviation, 0 for one value."""
    return np.std(errors, ddof=1) if len(errors) > 1 else 0.0


def _tick_step(largest: float) -> float:
    """Return a round step that gives three to six ticks."""
    if largest <= 0:
        return 0.05
    power = 10.0 ** np.floor(np.log10(largest))
    for factor in (0.2, 0.25, 0.5, 1.0):
        if largest / (factor * power) <= 5:
            return factor * power
    return 2.0 * power
