"""Metrics of the quality of a map: functions of coordinates and labels."""

from discrimap.metrics.knn import knn_error, leave_one_out_error
from discrimap.metrics.knn_regression import (
    knn_regression_error,
    leave_one_out_regression_error,
)
from discrimap.metrics.permuted import permuted_label_error, permuted_label_errors
from discrimap.metrics.retention import class_retention, neighbor_retention

__all__ = [
    "class_retention",
    "knn_error",
    "knn_regression_error",
    "leave_one_out_error",
    "leave_one_out_regression_error",
    "neighbor_retention",
    "permuted_label_error",
    "permuted_label_errors",
]
