"""Compare methods by their errors on held-out points, with permuted labels as a control.

For each method and each of several splits: scale, fit on the training part, map the held-out part,
and let the training points vote for the class of each held-out point. For some splits the same is
repeated with the labels shuffled over all samples: an error below chance there is not due to the
labels.
"""

from discrimap.comparison.compare import compare
from discrimap.comparison.evidence import Evidence
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import Comparison, MethodResult, SplitMap

__all__ = ["Comparison", "Evidence", "MethodResult", "Protocol", "SplitMap", "compare"]
