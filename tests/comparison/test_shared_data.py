"""Arrays that processes share through a file."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from discrimap.comparison.problem import Problem
from discrimap.comparison.shared_data import Shared

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
    found = pickle.loads(pickle.dumps(Shared(given, str(tmp_path))))
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
def test_a_file_holds_the_numbers_and_the_pipe_the_rest(kind, rng, tmp_path):
    X = KINDS[kind](rng.standard_normal((500, 20)))
    sent = pickle.dumps(Shared({"X": X}, str(tmp_path)))
    assert len(sent) < 500
    (path,) = tmp_path.iterdir()
    assert_array_equal(np.load(path, allow_pickle=False), X)
    found = pickle.loads(sent)["X"]
    assert not found.flags.writeable
    assert isinstance(found.base, np.memmap)


def test_a_process_maps_the_arrays_once(rng, tmp_path):
    sent = pickle.dumps(Shared({"X": rng.standard_normal((5, 2))}, str(tmp_path)))
    assert pickle.loads(sent) is pickle.loads(sent)


def test_objects_in_arrays_are_sent_through_the_pipe(tmp_path):
    names = np.array(["a", None], dtype=object)
    found = pickle.loads(pickle.dumps(Shared({"names": names}, str(tmp_path))))
    assert found["names"].tolist() == ["a", None]
    assert not list(tmp_path.iterdir())
