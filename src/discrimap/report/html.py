"""The summary as one HTML file that needs nothing else."""

from __future__ import annotations

from discrimap.report.summary import Summary
from discrimap.report.wording import percent


def to_html(summary: Summary) -> str:
    """Lay the summary out as a self-contained page; all text from data is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("discrimap.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = percent
    return environment.get_template("report.html").render(
        summary=summary, comparison=summary.comparison
    )
