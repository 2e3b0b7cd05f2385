"""Which data sets of the tables are available; a missing one is shown as "not available"."""

import os
from functools import cache

from discrimap.datasets import list_datasets

NOT_AVAILABLE = "not available"
# Data sets that the tables call otherwise.
FILES = {
    "landsat": "satellite",
    "mfeat": "mfeat_fou",
    "mfeat-2d": "mfeat_fou",
    "OHSUMED": "ohsumed",
    "Mushroom": "mushroom",
    "Aural Sonar": "aural_sonar",
    "Voting": "voting",
    "Protein": "protein",
    "Java": "java_sorting",
    "Vertebral": "vertebral",
}


def is_at_hand(label):
    """Whether the data set of a row is in the folder or comes with scikit-learn.

    What follows a comma in the label says how the set was used. No download is tried.
    """
    name = label.split(",")[0]
    return FILES.get(name, name) in _names(os.environ.get("DISCRIMAP_DATA"))


@cache
def _names(folder):
    """Data sets in this folder, which list_datasets finds by itself, and the built-in ones."""
    listings = list_datasets()
    return {entry.entry.name for entry in listings if entry.origin in ("built in", "folder")}


def why_not(error):
    """What a table says of a data set that could not be loaded."""
    return f"{NOT_AVAILABLE} ({str(error).splitlines()[0]})"
