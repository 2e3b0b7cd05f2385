"""The suspicious labels as CSV."""

from __future__ import annotations

import csv
import io

from discrimap.inspection.suspects import Suspects


def suspects_csv(suspects: Suspects) -> str:
    """Return all suspicious labels as CSV, most suspicious first.

    Parameters
    ----------
    suspects : Suspects
        From :func:`discrimap.inspection.suspects.find_suspects`.

    Returns
    -------
    text : str
        Columns ``row`` (counted from 1, as on the page and in JSON), ``id`` (if the table has a
        column of ids), ``given``, ``suggested``, ``score`` and ``listed``. ``listed`` is true for
        the first labels, as many as are estimated to be wrong.

    Examples
    --------
    >>> from discrimap.comparison import Protocol, compare
    >>> from discrimap.datasets import load
    >>> from discrimap.report import look_closer, summarise, suspects_csv
    >>> iris = load("iris")
    >>> comparison = compare(iris.X, iris.class_labels, ["lda"], protocol=Protocol(n_repeats=2))
    >>> summary = look_closer(summarise(comparison, iris), iris, seconds=10)
    >>> print(suspects_csv(summary.inspection.suspects).splitlines()[0])
    row,given,suggested,score,listed
    """
    has_ids = suspects.id_name is not None
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["row", *["id"] * has_ids, "given", "suggested", "score", "listed"])
    for place, item in enumerate(suspects.items):
        row, score = item.row + 1, f"{item.score:.7g}"
        listed = "true" if place < suspects.n_estimated else "false"
        writer.writerow([row, *[item.id] * has_ids, item.given, item.suggested, score, listed])
    return text.getvalue()
