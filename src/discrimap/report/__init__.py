"""The report of a comparison: a table, one HTML page, or JSON."""

from discrimap.report.html import to_html
from discrimap.report.notebook import Page, show
from discrimap.report.summary import Summary, look_closer, summarise, to_json
from discrimap.report.suspects_file import suspects_csv
from discrimap.report.table import comparison_table, text_table

__all__ = [
    "Page",
    "Summary",
    "comparison_table",
    "look_closer",
    "show",
    "summarise",
    "suspects_csv",
    "text_table",
    "to_html",
    "to_json",
]
