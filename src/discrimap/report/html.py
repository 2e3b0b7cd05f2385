"""The summary as one self-contained HTML file."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from discrimap.comparison.wording import number, percent, sentence
from discrimap.report.page_data import pack_maps, script_safe_json
from discrimap.report.sections import describe_sections
from discrimap.report.summary import Summary


def to_html(summary: Summary) -> str:
    """Return the summary as a self-contained page.

    All text from data is escaped: in the markup by the template engine, in the data of the maps by
    :func:`~discrimap.report.page_data.script_safe_json`, and the page's script writes it as text
    only. If all three fail, the content security policy of the page still blocks all scripts but
    its own and all connections.

    Parameters
    ----------
    summary : Summary
        From :func:`discrimap.report.summarise` and :func:`discrimap.report.look_closer`.

    Returns
    -------
    page : str
        About 5 MB, most of it plotly's script, where there are maps to draw.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("discrimap.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "number": number, "sentence": sentence}
    environment.filters["mean"] = lambda values: float(np.mean(values))

    scripts = {"theme_js": _part("theme.js"), "report_js": _part("report.js")}
    inspection = summary.inspection
    map_data = ""
    if inspection is not None and not isinstance(inspection.maps, str):
        scripts["plotly_js"] = _plotly()
        map_data = script_safe_json(
            pack_maps(inspection.maps, summary.class_names, summary.comparison.protocol.n_neighbors)
        )
    return environment.get_template("report.html").render(
        describe_sections(summary),
        policy=_policy(scripts.values()),
        css=Markup(_part("report.css")),
        map_data=Markup(map_data),
        **{name: Markup(script) for name, script in scripts.items()},
    )


def _policy(scripts: Any) -> str:
    """Return a content security policy that allows these scripts, by hash, and no connections.

    unsafe-eval is needed because plotly compiles its commands for the graphics card from text.
    """
    allowed: list[Any] = [
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    ]
    return (
        f"default-src 'none'; script-src {' '.join(allowed)} 'unsafe-eval'; "
        "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def _part(name: str) -> str:
    return files("discrimap.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return get_plotlyjs()
