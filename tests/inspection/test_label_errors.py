import numpy as np
import pytest
from sklearn.datasets import load_digits

from discrimap.comparison import Protocol, compare
from discrimap.inspection import NamedProblem
from discrimap.inspection.budget import Budget
from discrimap.inspection.jury import convene_jury
from discrimap.inspection.suspects import find_suspects


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_planted_label_errors_are_found(seed):
    X, truth = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    flipped = rng.choice(len(truth), round(0.03 * len(truth)), replace=False)
    y = truth.copy()
    y[flipped] = (truth[flipped] + rng.integers(1, 10, len(flipped))) % 10
    protocol = Protocol(n_repeats=1)
    comparison = compare(X, y, ["pca", "lda", "plsda", "dp", "spca"], protocol=protocol)
    names = tuple(f"pixel {i}" for i in range(64))
    samples = NamedProblem(X, y, "classification", tuple("0123456789"), names)
    jury = convene_jury(comparison, samples, protocol, Budget(600))
    found = find_suspects(jury, samples)

    is_hit = np.isin([suspect.row for suspect in found.items], flipped)
    needed = int(np.ceil(0.8 * len(flipped)))
    assert is_hit.sum() >= needed
    n_listed = 1 + int(np.searchsorted(np.cumsum(is_hit), needed))
    print(f"precision {needed / n_listed:.3f} at recall 0.8")
    assert needed / n_listed >= 0.8
    # The list that is shown: about as long as there are errors, and most of them in it.
    assert 0.6 * len(flipped) <= found.n_estimated <= 1.5 * len(flipped)
    listed = is_hit[: found.n_estimated]
    assert listed.mean() >= 0.6
    assert listed.sum() >= 0.6 * len(flipped)
