"""Inspection of a comparison: features, suspicious labels, confusions, dimensions, maps.

Each part is one file with one frozen dataclass of plain values and arrays; where a part cannot be
computed, a sentence with the reason takes its place. Nothing here depends on the report.
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
