import zipfile

import numpy as np
import pytest

from discrimap.errors import InputError
from discrimap.tables.archives import read_archive, split_archive


class Trap:
    """Would leave a file behind if it were ever unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (self.path, "w"))


def test_arrays_come_back_as_they_were_saved(tmp_path, rng):
    arrays = {"X": rng.standard_normal((3, 2)), "names": np.array(["a", "bc"])}
    np.savez_compressed(tmp_path / "a.npz", **arrays)
    read = read_archive(tmp_path / "a.npz")
    assert read.keys() == arrays.keys()
    for key, array in arrays.items():
        np.testing.assert_array_equal(read[key], array)


def test_pickled_objects_are_refused_and_never_run(tmp_path):
    trace = tmp_path / "trace"
    path = tmp_path / "a.npz"
    np.savez(path, X=np.eye(2), y=np.array([Trap(str(trace)), None], dtype=object))
    with pytest.raises(InputError, match="array 'y' holds pickled Python objects, which could run"):
        read_archive(path)
    assert not trace.exists()


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"is not an NPZ archive, although its extension is \.npz"):
        read_archive(path)


def test_a_damaged_archive_is_refused(tmp_path, rng):
    path = tmp_path / "a.npz"
    np.savez(path, X=rng.standard_normal((50, 50)))
    content = bytearray(path.read_bytes())
    content[5000:5100] = bytes(100)  # inside the numbers: the check sum no longer fits
    path.write_bytes(content)
    with pytest.raises(InputError, match="is broken"):
        read_archive(path)


def test_an_array_with_a_damaged_header_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", b"\x93NUMPY\x01\x00\x10\x00not a dictionary")
    with pytest.raises(InputError, match="is broken at 'X'"):
        read_archive(path)


def test_an_archive_of_other_files_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(InputError, match=r"'readme\.txt' is not a NumPy array"):
        read_archive(path)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.zeros(3), np.zeros(3), r"X must be 2-D .* but is 1-D with shape \(3,\); reshape it"),
        (np.zeros((3, 2, 2)), np.zeros(3), r"X must be 2-D .* but is 3-D"),
        (np.array([["a"], ["b"]]), np.zeros(2), "X must hold real numbers, but its type is <U1"),
        (np.ones((2, 1)) * 1j, np.zeros(2), "X must hold real numbers, but its type is complex"),
        (np.zeros((3, 0)), np.zeros(3), "X has no columns"),
        (np.zeros((3, 1)), np.zeros((3, 1)), r"y must be 1-D, .* but has shape \(3, 1\)"),
        (np.zeros((3, 1)), np.zeros(4), "y has 4 labels, but X has 3 samples"),
        (np.zeros((3, 1)), np.zeros(2), "y has 2 labels, but X has 3 samples"),
    ],
)
def test_samples_and_labels_must_fit_together(X, y, message):
    with pytest.raises(InputError, match=message):
        split_archive("a", "a.npz", {"X": X, "y": y})


def test_names_of_features_must_fit_the_columns():
    arrays = {"X": np.eye(2), "y": np.arange(2), "feature_names": np.array(["a", "b", "c"])}
    with pytest.raises(InputError, match="feature_names has 3 names, but X has 2 columns"):
        split_archive("a", "a.npz", arrays)


def test_the_samples_cannot_be_the_target():
    with pytest.raises(InputError, match=r"'X' holds the samples, .*; there are 'y'"):
        split_archive("a", "a.npz", {"X": np.eye(2), "y": np.arange(2)}, target="X")


def test_an_archive_without_arrays_is_refused():
    with pytest.raises(InputError, match="has no array 'y' with the labels; there are none"):
        split_archive("a", "a.npz", {})


def test_an_array_larger_than_its_entry_is_refused_before_it_is_made(tmp_path):
    path = tmp_path / "a.npz"
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 4)}\n"
    with zipfile.ZipFile(path, "w") as archive:
        start = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little")
        archive.writestr("X.npy", start + header + bytes(64))
    message = "is broken at 'X.npy': its header declares 35184372088832 bytes, but it has"
    with pytest.raises(InputError, match=message):
        read_archive(path)
