"""Columns of texts and image paths."""

import numpy as np
import pytest
from PIL import Image

from discrimap.datasets import open_source, read_table
from discrimap.errors import InputError


@pytest.fixture
def table(tmp_path):
    (tmp_path / "pictures").mkdir()
    Image.new("RGB", (4, 4)).save(tmp_path / "pictures" / "a.png")
    path = tmp_path / "t.csv"
    path.write_text(
        "x,note,file,kind\n1,first,pictures/a.png,a\n2,,,b\n3,third,pictures/none.png,a\n4,4,,b\n"
    )
    return path


def test_text_and_paths_of_a_table_are_no_features(table):
    dataset = read_table(table, "kind", text="note", image="file")
    assert dataset.feature_names == ["x"]
    assert dataset.texts.tolist() == ["first", "", "third", "4"]
    folder = table.parent / "pictures"
    assert dataset.images.tolist() == [str(folder / "a.png"), "", str(folder / "none.png"), ""]


def test_a_column_without_files_is_refused(table):
    with pytest.raises(
        InputError, match=r"'note' \(--image\) names no existing file: the first would be .*first"
    ):
        read_table(table, "kind", image="note")
    with pytest.raises(InputError, match=r"no column 'files' \(--image\).*file"):
        read_table(table, "kind", image="files")


def test_arrays_of_an_archive(tmp_path, rng):
    path = tmp_path / "t.npz"
    pixels = rng.integers(0, 256, (6, 2, 3), dtype=np.uint8)
    more = {"words": np.array(list("abcdef")), "thumbnails": pixels, "image_shape": [3, 2]}
    X, y = rng.standard_normal((6, 6)), np.arange(6) % 2
    np.savez(path, X=X, y=y, **more)
    dataset = read_table(path, text="words", image="thumbnails")
    assert dataset.texts.tolist() == list("abcdef")
    np.testing.assert_array_equal(dataset.images, pixels)
    np.testing.assert_array_equal(read_table(path, image="X").images, X.reshape(6, 3, 2))
    with pytest.raises(
        InputError, match=r"no array 'words' of shape \(6, height, width\).*thumbnails"
    ):
        read_table(path, image="words")
    with pytest.raises(InputError, match=r"no array 'thumbnails' with one text.*words"):
        read_table(path, text="thumbnails")


def test_digits_are_pictures():
    dataset = open_source("digits", image="X")
    np.testing.assert_array_equal(dataset.images[3].ravel(), dataset.X[3])
