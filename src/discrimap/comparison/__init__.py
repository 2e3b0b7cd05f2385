"""Compare methods the honest way: on held-out points, beside the same with permuted labels.

For each method and each of several stratified splits: scale, fit on the training part, map the
held-out part, and let the training points vote for the class of each held-out point. Then do the
same once more with the labels shuffled over all samples: what is left then is what the method
makes out of nothing.
"""

from discrimap.comparison.compare import compare
from discrimap.comparison.protocol import Protocol
from discrimap.comparison.result import Comparison, MethodResult, SplitMap

__all__ = ["Comparison", "MethodResult", "Protocol", "SplitMap", "compare"]
