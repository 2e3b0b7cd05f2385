"""Named data sets, and tables from files."""

from discrimap.datasets.catalogue import Entry, dataset_names
from discrimap.datasets.dataset import Dataset
from discrimap.datasets.named import Listing, list_datasets, load

__all__ = ["Dataset", "Entry", "Listing", "dataset_names", "list_datasets", "load"]
