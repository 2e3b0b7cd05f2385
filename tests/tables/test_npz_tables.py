import numpy as np
import pytest
from scipy import sparse

from discrimap.datasets import read_features, read_table
from discrimap.errors import InputError

nan = np.nan
X = np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]])


@pytest.fixture
def save(tmp_path):
    def save_arrays(**arrays):
        np.savez(tmp_path / "t.npz", **arrays)
        return tmp_path / "t.npz"

    return save_arrays


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (np.array(["b", "a", "b"]), ["b", "a", "b"]),
        (np.array([b"b", b"a", b"b"]), ["b", "a", "b"]),
        (np.array([2, 1, 2], dtype=np.uint8), [2, 1, 2]),
        (np.array([True, False, True]), [1, 0, 1]),
        (np.array([0.5, 1.5, 0.5]), [0.5, 1.5, 0.5]),
    ],
)
def test_samples_labels_and_the_rest_find_their_place(save, y, expected):
    path = save(X=X, y=y, feature_names=np.array(["f", "g"]), weight=np.arange(3))
    before = path.read_bytes()
    dataset = read_table(path)
    np.testing.assert_array_equal(dataset.X, X)
    assert dataset.y.tolist() == expected
    assert dataset.feature_names == ["f", "g"]
    assert list(dataset.extras) == ["weight"]
    assert dataset.notices[-1] == "constant, so without any effect: column 'g'."
    assert path.read_bytes() == before


def test_the_target_names_another_array(save):
    dataset = read_table(save(X=X, y=[0, 0, 1], sex=[1, 0, 1]), target="sex")
    assert dataset.y.tolist() == [1, 0, 1]
    assert list(dataset.extras) == ["y"]


def test_names_of_classes_are_kept(save):
    path = save(X=X, y=[1, 0, 1], target_names=np.array(["no", "yes"]))
    assert read_table(path).target_names == ["no", "yes"]


def test_a_sparse_matrix_is_read(save):
    matrix = sparse.csr_array(X)
    parts = {key: getattr(matrix, key) for key in ("data", "indices", "indptr", "shape")}
    dataset = read_table(save(**parts, y=[0, 1, 1]))
    np.testing.assert_array_equal(dataset.X.toarray(), X)
    with pytest.raises(InputError, match=r"missing values \(1 in 3 rows\)"):
        read_table(save(**{**parts, "data": [1, 5, nan, 5, 4, 5]}, y=[0, 1, 1]), impute="mean")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": X}, "has no array 'y' with the labels; there are 'X'"),
        ({"y": [0, 1]}, "has no array 'X' with the samples; it has 'y'"),
        ({"X": X[:, 0], "y": [0, 1, 1]}, "X must be 2-D"),
        ({"X": X, "y": [0, 1, 1, 0]}, "y has 4 labels, but X has 3 samples"),
        ({"X": X[:1], "y": [0]}, "has 1 row; at least 2"),
        ({"X": X[:0], "y": []}, "has no rows; at least 2"),
        ({"X": X, "y": [1, 1, 1]}, "the target 'y' holds one class only"),
        (
            {"X": X * [[1, np.inf]], "y": [0, 1, 1]},
            r"infinite values \(3\), by column: X\[:, 1\] \(3\)",
        ),
        (
            {"X": X * [[1], [nan], [1]], "y": [0, 1, 1]},
            r"missing values \(2 in 3 rows\), by column: X\[",
        ),
        ({"X": X, "y": [0.5, nan, 1.5]}, "'y' is missing in 1 of 3 rows"),
        ({"X": X, "y": [1j, 2j, 1j]}, "neither text nor numbers"),
    ],
)
def test_an_archive_that_cannot_be_used_gets_one_clear_line(save, arrays, message):
    with pytest.raises(InputError, match=message) as caught:
        read_table(save(**arrays))
    assert "\n" not in str(caught.value)


def test_columns_of_an_archive_cannot_be_dropped(save):
    with pytest.raises(InputError, match=r"drop=\['f'\] needs named columns"):
        read_table(save(X=X, y=[0, 1, 1]), drop=["f"])


def test_missing_numbers_are_filled_in_when_asked(save):
    path = save(X=np.array([[1, 5], [nan, 5], [4, nan], [10, 6]]), y=[0, 1, 1, 0])
    dataset = read_table(path, impute="median")
    assert dataset.X.tolist() == [[1, 5], [4, 5], [4, 5], [10, 6]]
    assert "imputed 2 missing values by the median" in dataset.notices[0]


def test_an_empty_column_cannot_be_filled_in(save):
    path = save(X=np.array([[1, nan], [nan, nan], [4, nan]]), y=[0, 1, 1])
    with pytest.raises(
        InputError, match=r"missing values \(3 in 3 rows\), by column: X\[:, 1\] \(3\)"
    ):
        read_table(path, impute="median")


def test_minus_one_marks_no_label_where_the_caller_says_so(save):
    path = save(
        X=X, y=[2, -1, 0], target_names=np.array(["no", "?", "yes"]), speaker=np.array([7, 8, 9])
    )
    assert read_table(path).y.tolist() == [2, -1, 0]

    kept = read_table(path, unlabelled="keep")
    assert kept.y.tolist() == [1, -1, 0]
    assert kept.target_names == ["no", "yes"]
    assert kept.is_labelled.tolist() == [True, False, True]

    dropped = read_table(path, unlabelled="drop")
    assert dropped.y.tolist() == [2, 0]
    assert dropped.X.tolist() == [[1, 5], [4, 5]]
    assert dropped.extras["speaker"].tolist() == [7, 9]
    assert dropped.target_names == ["no", "?", "yes"]


def test_large_numbers_name_classes_of_their_own(save):
    path = save(X=np.eye(4), y=np.array([1e300, -1e300, 1e299, 1e300]))
    y = read_table(path, task="classification").y
    assert y.tolist() == ["1e+300", "-1e+300", "1e+299", "1e+300"]
    path = save(X=X, y=np.array([2**63, 1, 2**63 + 1], dtype=np.uint64))
    assert read_table(path).y.tolist() == [2**63, 1, 2**63 + 1]


def test_equal_names_of_classes_are_refused(save):
    path = save(X=X, y=[0, 1, 2], target_names=np.array(["a", "b", "a"]))
    with pytest.raises(
        InputError, match="target_names has the same name for different classes: 'a'"
    ):
        read_table(path)


@pytest.mark.parametrize("y", [[0, 1, 5], [0, -1, 0], [0.5, 1.5, 1.5]])
def test_names_that_do_not_fit_the_labels_are_not_used(save, y):
    dataset = read_table(save(X=X, y=y, target_names=np.array(["a", "b"])))
    assert dataset.target_names is None
    assert dataset.class_labels.tolist() == y


def test_a_sparse_matrix_is_no_wider_than_memory(save):
    parts = {"data": [1.0, 2], "indices": [0, 1], "indptr": [0, 1, 2]}
    path = save(**parts, shape=[2, 2**40], y=[0, 1])
    with pytest.raises(InputError, match="a sparse matrix of 1099511627776 columns is too wide"):
        read_table(path)
    with pytest.raises(InputError, match="is too wide"):
        read_features(path, ["a"])
    path = save(**parts, shape=[2, 3], y=[0, 1])
    assert read_features(path, ["a", "b", "c"]).X.toarray().tolist() == [[1, 0, 0], [0, 2, 0]]
