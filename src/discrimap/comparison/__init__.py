"""Compare methods by their errors on held-out points, with permuted labels as a control.

For each method and each of several splits, the features are scaled, the method is fitted on the
training part, and the held-out part is transformed. The class of each held-out point is predicted
by its nearest training points in the map. For some splits this is repeated with permuted labels of
all samples. An error below chance with permuted labels is not due to the labels.
"""

from discrimap.comparison.compare import compare
from discrimap.comparison.evidence import Evidence
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import Comparison, MethodResult, SplitMap

__all__ = ["Comparison", "Evidence", "MethodResult", "Protocol", "SplitMap", "compare"]
