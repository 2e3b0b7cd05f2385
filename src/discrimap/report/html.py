"""The summary as one self-contained HTML file."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from discrimap.comparison.wording import number, percent, sentence
from discrimap.inspection.maps import Maps
from discrimap.report.page_data import pack_maps, script_safe_json
from discrimap.report.sections import describe_map, describe_sections
from discrimap.report.summary import Summary

# The order matters: each script uses names that are defined in the scripts before it.
MAP_SCRIPTS = ("maps", "names", "selection", "pointing", "controls")


def to_html(summary: Summary, template: str = "report.html") -> str:
    """Return the summary as a self-contained page.

    All text from the data is escaped: in the markup by the template engine, and in the data of the
    maps by :func:`~discrimap.report.page_data.script_safe_json`. The scripts of the page insert it
    as text, not as HTML. If all this fails, the content security policy of the page still blocks
    all connections, and all scripts other than those of the page.

    Parameters
    ----------
    summary : Summary
        From :func:`discrimap.report.summarise` and :func:`discrimap.report.look_closer`.
    template : str
        "report.html", or "notebook.html" for the verdict, the table and the maps only.

    Returns
    -------
    page : str
        About 2 MB if there are maps, most of it the compressed script of plotly. Browsers since
        2023 can decompress it.

    Examples
    --------
    >>> from discrimap.comparison import Protocol, compare
    >>> from discrimap.datasets import load
    >>> from discrimap.report import summarise, to_html
    >>> iris = load("iris")
    >>> comparison = compare(iris.X, iris.class_labels, ["lda"], protocol=Protocol(n_repeats=2))
    >>> to_html(summarise(comparison, iris)).splitlines()[0]
    '<!doctype html>'
    """
    inspection = summary.inspection
    has_maps = inspection is not None and not isinstance(inspection.maps, str)
    map_data = _map_data(summary) if has_maps else None
    return _render(template, describe_sections(summary), map_data)


def map_page(maps: Maps, class_names: tuple[str, ...], title: str, n_neighbors: int = 5) -> str:
    """Return a single map as a self-contained page."""
    variables = {"title": title, "is_alone": True, **describe_map(maps, class_names, title)}
    return _render("notebook.html", variables, pack_maps(maps, class_names, n_neighbors))


def _render(template: str, variables: dict[str, Any], map_data: dict[str, Any] | None) -> str:
    """Render a template with the scripts and with a policy that allows only these scripts."""
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
    environment.filters |= {"breakable": _breakable, "unbroken": _unbroken}

    names = ("page", *(MAP_SCRIPTS if map_data else ()), "confusions")
    scripts = {"theme_js": _join_scripts("theme"), "report_js": _join_scripts(*names)}
    allowed = [*scripts.values()]
    packed_plotly = ""
    if map_data:
        code, packed_plotly = _plotly()
        allowed.append(code)  # the page decompresses this script
    return environment.get_template(template).render(
        variables,
        policy=_policy(allowed),
        css=Markup(_part("report.css")),
        map_data=Markup(script_safe_json(map_data) if map_data else ""),
        packed_plotly=packed_plotly,
        **{name: Markup(script) for name, script in scripts.items()},
    )


def _breakable(text: str) -> Any:
    """Allow line breaks after punctuation in a long name, instead of in the middle of a word."""
    from markupsafe import Markup, escape

    # HTML entities, such as those for < and &, do not contain these characters.
    return Markup(re.sub(r"([_/.:=,-])", r"\1<wbr>", str(escape(text))))


def _unbroken(text: str) -> str:
    """Prevent line breaks between numbers and their units and signs."""
    for breaking in (" %", " ± ", " < "):
        text = text.replace(breaking, breaking.replace(" ", "\xa0"))
    return text


def _map_data(summary: Summary) -> dict[str, Any]:
    inspection = summary.inspection
    assert inspection is not None
    assert not isinstance(inspection.maps, str)
    judged = {
        one.name: one.confusion.judged
        for one in inspection.methods
        if not isinstance(one.confusion, str)
    }
    n_neighbors = summary.comparison.protocol.n_neighbors
    return pack_maps(inspection.maps, summary.class_names, n_neighbors, inspection.suspects, judged)


def _join_scripts(*names: str) -> str:
    """Return files of the scripts folder as one function, so that they share one scope."""
    parts = [_part(f"script/{name}.js") for name in names]
    return "\n".join(['"use strict";', "(() => {", *parts, "})();"])


def _policy(scripts: Any) -> str:
    """Return a content security policy that allows these scripts by hash and blocks connections.

    unsafe-eval is needed because plotly generates code for WebGL at run time.
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
def _plotly() -> tuple[str, str]:
    """Return the script of plotly, plain and as base64 of gzip (40 % of the size)."""
    from plotly.offline import get_plotlyjs

    code = get_plotlyjs()
    return code, base64.b64encode(gzip.compress(code.encode(), mtime=0)).decode("ascii")
