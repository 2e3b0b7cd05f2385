"""Machine code on disk that several processes write at the same time."""

import os
import subprocess
import sys

import pytest

from discrimap.linalg._code_files import CodeFiles
from discrimap.linalg._vector_math import compiled


def write_at_the_same_time(folder):
    """Let two processes store code for different arguments; return an object that reads the files.

    The second begins when the first has read the index, and its code is written last.
    """
    first, second, reader = (CodeFiles(str(folder), "function", "stamp") for _ in range(3))
    read_index, write_code, late = first._load_index, second._save_data, []

    def read_and_be_overtaken():
        index = read_index()
        first._load_index = read_index
        second.save("floats", "code for floats")
        return index

    second._save_data = lambda *arguments: late.append(arguments)
    first._load_index = read_and_be_overtaken
    first.save("integers", "code for integers")
    write_code(*late[0])
    return reader


def test_code_is_never_that_of_other_arguments(tmp_path):
    files = write_at_the_same_time(tmp_path)
    assert files.load("integers") == "code for integers"
    # What the index lost is compiled again.
    assert files.load("floats") in (None, "code for floats")
    files.save("floats", "code for floats")
    assert files.load("integers") == "code for integers"
    assert files.load("floats") == "code for floats"
    assert len(list(tmp_path.glob("*.nbc"))) == 2


def test_code_is_there_when_the_index_names_it(tmp_path, monkeypatch):
    files = CodeFiles(str(tmp_path), "function", "stamp")

    def fail(*arguments):
        raise OSError("no space left")

    monkeypatch.setattr(files, "_save_data", fail)
    with pytest.raises(OSError, match="no space"):
        files.save("floats", "code for floats")
    assert files._load_index() == {}


def test_compiled_functions_use_these_files():
    @compiled()
    def double(x):
        return 2 * x

    assert type(double._cache._cache_file) is CodeFiles
    assert double(2.5) == 5.0


def test_loops_can_be_imported_without_compiling():
    script = "import discrimap.kernel_sums._pair_loops"
    subprocess.run(
        [sys.executable, "-c", script], env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, check=True
    )
