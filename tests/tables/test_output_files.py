import os
from pathlib import Path

import pytest

from discrimap.errors import InputError
from discrimap.tables import output_files as files


def test_a_file_is_replaced_in_one_step(tmp_path):
    path = tmp_path / "out.html"
    path.write_text("old")
    files.write_text(path, "new ± text")
    assert path.read_text(encoding="utf-8") == "new ± text"
    assert os.listdir(tmp_path) == ["out.html"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "out.html"
    path.write_text("old")

    def no_space(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(files.os, "replace", no_space)
    with pytest.raises(OSError, match="no space"):
        files.write_text(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.html"]


def test_the_mode_is_that_of_an_ordinary_new_file(tmp_path):
    (tmp_path / "ordinary").write_text("")
    files.write_text(tmp_path / "ours", "")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_outputs_that_cannot_be_written_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="it is a folder"):
        files.check_writable(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        files.check_writable(tmp_path / "absent" / "out.html")
    monkeypatch.setattr(files.os, "access", lambda *_: False)
    with pytest.raises(InputError, match="no permission"):
        files.check_writable(tmp_path / "out.html")


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/1"])
def test_streams_are_refused(name):
    # The check alone, not a command: as root a failure of it would replace the link in /dev.
    with pytest.raises(InputError, match="an output stream of this program; name a file"):
        files.check_writable(Path(name))


def test_links_in_a_circle_are_refused(tmp_path):
    (tmp_path / "one").symlink_to("other")
    (tmp_path / "other").symlink_to("one")
    with pytest.raises(InputError, match="cannot write"):
        files.check_writable(tmp_path / "one")
