"""Inspection of a comparison: features, suspicious labels, confusions, dimensions, maps.

Each part is one file with one frozen dataclass of plain values and arrays. If a part cannot be
computed, it is replaced by a sentence with the reason. Nothing here depends on the report.
"""

from discrimap.inspection.cautions import cautions
from discrimap.inspection.data_facts import DataFacts, describe_data
from discrimap.inspection.inspect import Inspection, inspect
from discrimap.inspection.named_problem import NamedProblem

__all__ = [
    "DataFacts",
    "Inspection",
    "NamedProblem",
    "cautions",
    "describe_data",
    "inspect",
]
