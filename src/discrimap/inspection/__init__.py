"""A closer look at a comparison: is there anything, which features, which labels, how many dimensions.

Each question is one file with one frozen dataclass of plain values and arrays; what has no answer is
a sentence that says why. Nothing here knows of pages.
"""

from discrimap.inspection.data_facts import DataFacts, describe_data
from discrimap.inspection.evidence import Evidence, weigh_evidence
from discrimap.inspection.inspect import Inspection, inspect
from discrimap.inspection.samples import Samples

__all__ = [
    "DataFacts",
    "Evidence",
    "Inspection",
    "Samples",
    "describe_data",
    "inspect",
    "weigh_evidence",
]
