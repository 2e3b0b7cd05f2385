from pathlib import Path

import pytest

from discrimap.errors import InputError
from discrimap.tables.input_files import check_readable


def test_a_file_with_something_in_it_passes(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    assert check_readable(str(path)) == path


def test_a_missing_file_gets_the_nearest_name_of_its_folder(tmp_path):
    (tmp_path / "flowers.csv").write_text("a\n1\n")
    with pytest.raises(
        InputError, match=r"flower\.csv does not exist; the nearest .* flowers\.csv"
    ):
        check_readable(tmp_path / "flower.csv")


def test_a_missing_folder_is_told_from_a_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"does not exist, nor can its folder .*absent be listed"):
        check_readable(tmp_path / "absent" / "a.csv")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="is a folder; name a file in it"):
        check_readable(tmp_path)


def test_a_file_without_permission_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")

    # Not chmod: the super-user, whom continuous integration often is, may read everything.
    def refuse(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(
        InputError, match=r"a\.csv cannot be read: permission denied; ask its owner"
    ):
        check_readable(path)


def test_a_file_on_a_broken_disk_is_refused(tmp_path, monkeypatch):
    def fail(self, *args, **kwargs):
        raise OSError(5, "Input/output error")

    (tmp_path / "a.csv").write_text("a\n1\n")
    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(InputError, match=r"cannot be read: \[Errno 5\] Input/output error"):
        check_readable(tmp_path / "a.csv")


def test_a_path_that_cannot_exist_is_refused():
    with pytest.raises(InputError, match=r"cannot be read: .*null"):
        check_readable("a\0b.csv")


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"")
    with pytest.raises(InputError, match=r"is empty \(0 bytes\)"):
        check_readable(tmp_path / "a.csv")
