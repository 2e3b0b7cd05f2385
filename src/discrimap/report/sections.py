"""Text and numbers of each section of the page, for the templates."""

from __future__ import annotations

from typing import Any

import numpy as np

from discrimap.comparison.protocol import N_CONTROLS
from discrimap.comparison.wording import count_of, percent
from discrimap.inspection import Inspection
from discrimap.inspection.dimensions import DimensionCurve
from discrimap.inspection.features import FeatureEffects
from discrimap.inspection.maps import Maps
from discrimap.inspection.pictures import FORMATS
from discrimap.inspection.suspects import Suspect, Suspects
from discrimap.report.charts import (
    MOST_COMPONENTS,
    MOST_FEATURES,
    RANGE_WIDTH,
    WHISKER_WIDTH,
    dimension_curve,
    error_ranges,
    feature_rows,
)
from discrimap.report.confusion_table import describe_confusion
from discrimap.report.page_data import class_styles, colour_range
from discrimap.report.summary import Summary

MOST_CLASSES_NAMED = 40
# A longer list would make the page slow. --json and --suspects write all suspicious labels.
MOST_SUSPECTS = 500
NOT_LOOKED = "This was not computed."


def describe_sections(summary: Summary) -> dict[str, Any]:
    """Return the template variables of a summary."""
    comparison, inspection = summary.comparison, summary.inspection
    maps: Maps | str = NOT_LOOKED if inspection is None else inspection.maps
    suspects = NOT_LOOKED if inspection is None else inspection.suspects
    named = summary.data.class_counts[:MOST_CLASSES_NAMED]
    return {
        "summary": summary,
        "title": summary.title,
        "is_alone": False,
        "comparison": comparison,
        "inspection": inspection,
        "is_continuous": not summary.class_names,
        "is_convincing": summary.evidence is not None and summary.evidence.is_convincing,
        "class_counts": named,
        "n_more_classes": len(summary.data.class_counts) - len(named),
        "error_in_words": _error_in_words(summary),
        "ranges": error_ranges(comparison),
        "has_more": any(result.errors_in_full for result in comparison.done),
        "range_width": RANGE_WIDTH,
        "gaps": {result.name: result.gap for result in comparison.done},
        "notices": [
            (result.label, notice) for result in comparison.results for notice in result.notices
        ],
        **_map_section(maps, summary),
        "panels": [] if inspection is None else _panels(inspection),
        "not_looked": NOT_LOOKED,
        "whisker_width": WHISKER_WIDTH,
        "suspects": suspects
        if isinstance(suspects, str)
        else _suspect_table(suspects, not summary.class_names),
        "protocol_in_words": _protocol_in_words(summary),
        "citations": _citations(summary),
    }


def _panels(inspection: Inspection) -> list[dict[str, Any]]:
    """Return the features, confusions and dimensions of each method as template variables."""
    return [
        {
            "name": one.name,
            "label": one.label,
            "n_components": one.n_components,
            "features": one.features,
            "feature_rows": [] if isinstance(one.features, str) else feature_rows(one.features),
            "is_stand_in": not isinstance(one.features, str) and one.features.name != one.name,
            "remark_on_features": _more_features(one.features),
            "confusion": describe_confusion(one.confusion),
            "dimensions": one.dimensions,
            "remark_on_dimensions": ""
            if isinstance(one.dimensions, str)
            else _dimensions_in_words(one.dimensions),
            "curve": one.dimensions
            if isinstance(one.dimensions, str)
            else dimension_curve(one.dimensions, percent),
        }
        for one in inspection.methods
    ]


def _more_features(features: FeatureEffects | str) -> str:
    """Describe how many components and features are not shown."""
    if isinstance(features, str):
        return ""
    n_components, n_features = features.loadings.shape
    words = []
    if n_components > MOST_COMPONENTS:
        words.append(f"Shown are the first {MOST_COMPONENTS} of {n_components} components.")
    if n_features > MOST_FEATURES:
        more = count_of(n_features - MOST_FEATURES, "more feature")
        words.append(f"And {more} with smaller contributions.")
    return " ".join(words)


def _dimensions_in_words(curve: DimensionCurve) -> str:
    """Describe the splits of the curve, and how many components are enough."""
    n_used, last = len(curve.errors[0]), curve.n_components[-1]
    splits = "one split" if n_used == 1 else f"{n_used} splits"
    if n_used < curve.n_splits:
        splits = f"{n_used} of the {curve.n_splits} splits, for lack of time"
    words = [f"Held-out error of {curve.label} by its number of components, on {splits}."]
    if curve.is_still_falling:
        words.append(
            f"The error is still falling at {last} components; more were not tried, for lack of time."
        )
        return " ".join(words)
    words.append(
        f"With {count_of(curve.enough, 'component')} it is within one standard error of its minimum."
    )
    if any(d > last for d in curve.not_tried):
        words.append(f"More than {last} components were not tried, for lack of time.")
    if n_used == 1:
        words.append("One split does not show how much the error varies between splits.")
    return " ".join(words)


def _map_section(maps: Maps | str, summary: Summary) -> dict[str, Any]:
    if isinstance(maps, str):
        return {"maps": None, "no_maps": maps}
    words = f"{' '.join(summary.verdict)} The tables of this page give the same in numbers."
    remarks = _remarks_on_maps(maps, summary)
    return describe_map(maps, summary.class_names, words) | {"remarks_on_maps": remarks}


def describe_map(maps: Maps, class_names: tuple[str, ...], words: str) -> dict[str, Any]:
    """Return the variables of the template of the maps; ``words`` is a text description of them."""
    n_held_out = int(maps.is_held_out.sum())
    legend: list[dict[str, Any]] = []
    if class_names:
        counts = np.bincount(maps.target[maps.target >= 0], minlength=len(class_names))
        styles = class_styles(len(class_names))
        legend = [
            {"group": code, "name": name, "count": int(counts[code]), **style}
            for code, (name, style) in enumerate(zip(class_names, styles, strict=True))
        ]
        n_unlabelled = int((maps.target < 0).sum())
        if n_unlabelled:
            grey = {"color": "#8a8a8a", "dark": "#8a8a8a", "symbol": "circle"}
            legend.append(
                {"group": len(styles), "name": "without a label", "count": n_unlabelled, **grey}
            )
    return {
        "maps": maps,
        "is_continuous": not class_names,
        "remarks_on_maps": [],
        "n_training": len(maps.rows) - n_held_out,
        "n_held_out": n_held_out,
        "legend": legend,
        "colour_range": (0.0, 1.0) if class_names else colour_range(maps),
        "maps_in_words": f"In words: {words}",
    }


def _remarks_on_maps(maps: Maps, summary: Summary) -> list[str]:
    """Describe what is not shown with the points, because it is too large or cannot be read."""
    dataset = summary.comparison.dataset
    remarks = []
    if maps.id_name is not None and maps.ids is None:
        remarks.append("The ids of so many points would make this file too large.")
    if dataset is not None and dataset.texts is not None and maps.texts is None:
        remarks.append("The texts of so many points would make this file too large.")
    if dataset is not None and dataset.images is not None:
        n_points, pictures = len(maps.rows), maps.pictures
        n_shown = 0 if pictures is None else pictures.n_pictures
        if n_shown < n_points:
            remarks.append(f"{count_of(n_shown, 'point')} of {n_points:,} have a picture.")
        if pictures is not None and pictures.n_failed:
            some = count_of(pictures.n_failed, "file")
            faults = "are missing or hold" if pictures.n_failed > 1 else "is missing or holds"
            remarks.append(f"{some} {faults} no picture in the formats {', '.join(FORMATS)}.")
    return remarks


def _suspect_table(suspects: Suspects, is_continuous: bool) -> dict[str, Any]:
    words = _number_words if is_continuous else _label_words
    n_listed = suspects.n_estimated
    rows = [_suspect_row(item, is_continuous) for item in suspects.items[:MOST_SUSPECTS]]
    return {
        **words(suspects),
        "id_name": suspects.id_name,
        "listed": rows[:n_listed],
        "rest": rows[n_listed:],
        "n_not_shown": suspects.n_found - len(rows),
        "n_shown": len(rows),
    }


def _suspect_row(item: Suspect, is_continuous: bool) -> dict[str, Any]:
    return {
        "row": item.row + 1,
        "id": item.id,
        "given": item.given,
        "suggested": item.suggested,
        "numbers": [(item.score, f"{item.score:.1f}")]
        if is_continuous
        else [(x, f"{100 * x:.0f} %") for x in (item.own, item.other)],
    }


def _label_words(suspects: Suspects) -> dict[str, Any]:
    n_wrong, n_rest = suspects.n_estimated, suspects.n_found - suspects.n_estimated
    advice = []
    if n_rest:
        more = "more sample" if n_wrong else "sample"
        advice.append(
            f"In {count_of(n_rest, more)} another label is more frequent than the given one, as it is "
            "where classes overlap; these are not counted."
        )
    if n_wrong:
        advice.append("A suspicious label may still be right: look at the sample.")
    return {
        "estimate": f"{_some_of(n_wrong, suspects.n_checked, 'labels')} estimated to be wrong.",
        "advice": " ".join(advice),
        "rule": f"Labels are compared with those {_votes(suspects)}.",
        "show_rest": f"Show the {'other ' if n_wrong else ''}{count_of(n_rest, 'sample')} in which another "
        "label is more frequent",
        "headings": ["share of the given", "share of the other"],
    }


def _number_words(suspects: Suspects) -> dict[str, Any]:
    n_far = suspects.n_estimated
    some = _some_of(n_far, suspects.n_checked, "numbers")
    return {
        "estimate": f"{some} far from the mean of the neighbours.",
        "advice": "A suspicious value may still be right: look at the sample." if n_far else "",
        "rule": f"Numbers are compared with the mean {_votes(suspects)}.",
        "show_rest": "",
        "headings": ["standard deviations off"],
    }


def _some_of(number: int, of: int, nouns: str) -> str:
    return (
        f"{f'{number:,}' if number else 'None'} of {of:,} {nouns} {'is' if number < 2 else 'are'}"
    )


def _votes(suspects: Suspects) -> str:
    jurors = [f"{label} ({count_of(d, 'component')})" for label, d in suspects.jurors]
    return (
        f"of the {suspects.n_neighbors} nearest samples in maps fitted without the sample in question: "
        f"{', '.join(jurors)}"
    )


def _error_in_words(summary: Summary) -> str:
    k = summary.comparison.protocol.n_neighbors
    if not summary.class_names:
        return (
            f"Each held-out point is predicted by the mean of its {k} nearest training points in the map. "
            "The error is the mean squared difference, relative to that of predicting the mean of all "
            "points: 0 % is perfect, 100 % is no better than the mean."
        )
    if summary.comparison.protocol.score == "balanced":
        return (
            f"Share of held-out points of a class that a vote of their {k} nearest training points in "
            "the map gives another class, averaged over the classes."
        )
    return (
        f"Share of held-out points that a vote of their {k} nearest training points in the map gives "
        "the wrong class."
    )


def _protocol_in_words(summary: Summary) -> str:
    comparison, protocol = summary.comparison, summary.comparison.protocol
    scaled = "standardised on the training part" if protocol.scale else "used as they are"
    features = f"Features were {scaled}"
    if comparison.kernel is not None:
        features = "Of similarities or distances, a fit saw those among training samples"
    shuffled = "labels" if summary.class_names else "targets"
    n_controls = min(comparison.most_splits, N_CONTROLS)
    return (
        f"{count_of(comparison.most_splits, 'split')} held out {100 * protocol.test_size:.0f} % of the "
        f"samples, {comparison.held_out}. {features}, each method was fitted on the training "
        "part, and the held-out part was mapped without its labels. The control repeated this with the "
        f"{shuffled} of all samples shuffled, on {count_of(n_controls, 'split')}. Methods are called as "
        "good as the best where a corrected resampled t-test with Holm's adjustment does not tell them "
        "apart at the 5 % level; whether chance explains the best of them is tested with shuffled "
        f"held-out {shuffled} in each split, whose p-values are combined by Cauchy's distribution. Seed "
        f"{protocol.seed}."
    )


def _citations(summary: Summary) -> list[tuple[list[str], str]]:
    """Return each BibTeX entry once, with the methods that it belongs to."""
    labels_of: dict[str, list[str]] = {}
    for run in summary.provenance.methods:
        if run.bibtex:
            labels_of.setdefault(run.bibtex, []).append(run.label)
    return [(labels, entry) for entry, labels in labels_of.items()]
