"""From a comparison to something a person reads: a table, and one self-contained HTML page."""

from discrimap.report.html import to_html
from discrimap.report.summary import Summary, summarise
from discrimap.report.table import text_table

__all__ = ["Summary", "summarise", "text_table", "to_html"]
