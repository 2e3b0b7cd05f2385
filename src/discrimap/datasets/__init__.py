"""Load named data sets, and read tables from files."""

from discrimap.datasets.catalogue import Entry, dataset_names
from discrimap.datasets.named import Listing, list_datasets, load
from discrimap.datasets.source import open_source
from discrimap.tables.dataset import Dataset
from discrimap.tables.new_samples import FeatureBatches, read_features
from discrimap.tables.output import TableWriter, check_table_path, write_table
from discrimap.tables.reading import read_table
from discrimap.tables.targets import check_classes

__all__ = [
    "Dataset",
    "Entry",
    "FeatureBatches",
    "Listing",
    "TableWriter",
    "check_classes",
    "check_table_path",
    "dataset_names",
    "list_datasets",
    "load",
    "open_source",
    "read_features",
    "read_table",
    "write_table",
]
