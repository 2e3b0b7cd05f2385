import numpy as np
import pytest

from discrimap.datasets import open_source
from discrimap.inspection import NamedProblem, describe_data
from discrimap.tables.encoding import report_constant


@pytest.mark.parametrize("n_constant", [1, 12])
def test_constant_features_are_named_once(tmp_path, rng, n_constant):
    names = [f"c{i}" for i in range(n_constant)]
    lines = [",".join([*names, "x", "kind"])]
    lines += [",".join(["1"] * n_constant + [str(rng.normal()), "ab"[i % 2]]) for i in range(40)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(lines))
    dataset = open_source(str(path), target="kind")
    samples = NamedProblem.from_dataset(dataset)
    told = report_constant(names)
    assert list(describe_data(samples, notices=dataset.notices).warnings) == told
    # Arrays come without a reader's notices.
    assert list(describe_data(samples).warnings) == told
    assert np.ptp(samples.X[:, 0]) == 0


def test_constant_features_of_an_array_are_named_once(tmp_path, rng):
    X = rng.standard_normal((40, 3))
    X[:, 1] = 2.0
    np.savez(tmp_path / "data.npz", X=X, y=np.arange(40) % 2)
    dataset = open_source(str(tmp_path / "data.npz"))
    samples = NamedProblem.from_dataset(dataset)
    told = describe_data(samples, notices=dataset.notices).warnings
    assert sum("constant" in words for words in told) == 1
