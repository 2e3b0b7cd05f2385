"""Arrays that processes share through a file."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from discrimap.comparison.problem import Problem
from discrimap.comparison.shared_data import load_shared, share

KINDS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "float32": lambda X: X.astype(np.float32),
    "sparse": lambda X: sparse.csr_matrix(np.where(X > 0, X, 0)),
    "empty": lambda X: X[:0],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_problem_is_read_as_it_was_written(kind, rng, tmp_path):
    X, y = KINDS[kind](rng.standard_normal((301, 7))), rng.integers(3, size=301)
    given = Problem(X, y, "classification", ("a", "b", "c"), groups=np.arange(301) // 5)
    shared = share(given, tmp_path / "arrays")
    found = load_shared(pickle.loads(pickle.dumps(shared)))
    assert type(found.X) is type(X)
    assert found.X.dtype == X.dtype
    assert (found.task_name, found.class_names, found.order) == (
        given.task_name,
        ("a", "b", "c"),
        None,
    )
    assert_array_equal(found.y, y)
    assert_array_equal(found.groups, given.groups)
    if sparse.issparse(X):
        assert_array_equal(found.X.toarray(), X.toarray())
    else:
        assert_array_equal(found.X, X)


@pytest.mark.parametrize("kind", ["rows", "columns", "every other column"])
def test_the_file_holds_the_numbers_and_the_pipe_the_rest(kind, rng, tmp_path):
    X = KINDS[kind](rng.standard_normal((500, 20)))
    shared = share({"X": X}, tmp_path / "arrays")
    assert len(shared.packed) < 500
    assert (tmp_path / "arrays").read_bytes() in (X.tobytes("C"), X.tobytes("F"))
    assert not load_shared(shared)["X"].flags.writeable


def test_an_object_without_arrays_needs_no_file_content(tmp_path):
    assert load_shared(share({"a": 1}, tmp_path / "arrays")) == {"a": 1}
