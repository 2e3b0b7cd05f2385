"""Outputs never replace an input, a device, another output, a link or permissions."""

import os
import socket
import stat
from pathlib import Path

import pytest

from discrimap.datasets import load
from discrimap.models import fit_model, save_model
from discrimap.registry import get_method


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a table, a model and new rows, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    iris = load("iris")
    header = ",".join([*iris.feature_names, "kind"])
    rows = [",".join([*map(str, x), "abc"[k]]) for x, k in zip(iris.X, iris.y, strict=True)]
    Path("data.csv").write_text("\n".join([header, *rows]) + "\n")
    save_model(Path("model.skops"), fit_model(iris, get_method("lda")))
    return tmp_path


COMPARE = ("compare", "data.csv", "--target", "kind", "--methods", "pca", "--repeats", "1")
FIT = ("fit", "data.csv", "--target", "kind", "--method", "pca")
TRANSFORM = ("transform", "model.skops", "data.csv")
EXPORT = ("export", "model.skops")

OVER_AN_INPUT = {
    "compare --out": (COMPARE, "--out", "data.csv"),
    "compare --json": (COMPARE, "--json", "data.csv"),
    "compare --suspects": (COMPARE, "--suspects", "data.csv"),
    "fit --model": (FIT, "--model", "data.csv"),
    "transform --out": (TRANSFORM, "--out", "data.csv"),
    "transform in chunks": ((*TRANSFORM, "--chunk", "10"), "--out", "data.csv"),
    "transform over the model": (TRANSFORM, "--out", "model.skops"),
    "export --onnx": (EXPORT, "--onnx", "model.skops"),
}
WAYS = {
    "itself": lambda name, way: None,
    "symlink": lambda name, way: way.symlink_to(name),
    "hard link": lambda name, way: os.link(name, way),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", OVER_AN_INPUT)
def test_an_input_is_not_written_over(case, way, here, fails):
    command, option, name = OVER_AN_INPUT[case]
    before = Path(name).read_bytes()
    # The ending of a table, where the command asks for one.
    output = Path(name) if way == "itself" else Path("way.csv")
    WAYS[way](name, output)
    is_refused_by_ending = output.name == "model.skops" and option == "--out"
    fails("its extension" if is_refused_by_ending else "would overwrite", *command, option, output)
    assert Path(name).read_bytes() == before
    assert set(os.listdir(here)) == {"data.csv", "model.skops", output.name}


def test_a_file_of_the_folder_that_dask_reads_is_an_input(here, fails):
    Path("parts").mkdir()
    Path("parts/one.csv").write_bytes(Path("data.csv").read_bytes())
    for data in ("parts", "parts/*.csv"):
        command = ("fit", data, "--target", "kind", "--method", "sda", "--dask")
        fails("would overwrite the data", *command, "--model", "parts/../parts/one.csv")


@pytest.mark.parametrize("way", ["the same", "symlink", "hard link", "another spelling"])
def test_two_outputs_are_two_files(way, here, fails):
    other = "r.html"
    if way == "symlink":
        other = "link.json"
        Path(other).symlink_to("r.html")
    elif way == "hard link":
        other = "link.json"
        Path("r.html").write_text("old")
        os.link("r.html", other)
    elif way == "another spelling":
        other = f"../{here.name}/r.html"
    fails("--out and --json both name", *COMPARE, "--out", "r.html", "--json", other)


OUTPUTS = {
    "compare --out": (COMPARE, "--out"),
    "compare --json": (COMPARE, "--json"),
    "compare --suspects": (COMPARE, "--suspects"),
    "fit --model": (FIT, "--model"),
    "transform --out": (TRANSFORM, "--out"),
    "export --onnx": (EXPORT, "--onnx"),
}


def make_socket(path):
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.close()


@pytest.fixture(scope="module")
def terminal():
    """A device that no failure of these tests can replace, as root could replace /dev/null."""
    ends = os.openpty()
    yield os.ttyname(ends[1])
    for end in ends:
        os.close(end)


STRANGE = {
    "a pipe": lambda path, terminal: os.mkfifo(path),
    "a socket": lambda path, terminal: make_socket(path),
    "a device": lambda path, terminal: path.symlink_to(terminal),
}


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("case", OUTPUTS)
def test_a_device_pipe_or_socket_is_never_replaced(case, kind, here, fails, terminal):
    command, option = OUTPUTS[case]
    path = Path("out.csv")
    STRANGE[kind](path, terminal)
    before = path.lstat()
    fails(f"it is {kind}", *command, option, path)
    assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert stat.S_ISCHR(os.stat(terminal).st_mode)


@pytest.mark.parametrize("case", OUTPUTS)
def test_a_file_keeps_its_permissions_and_a_link_its_target(case, here, run):
    command, option = OUTPUTS[case]
    Path("elsewhere").mkdir()
    Path("elsewhere/real.csv").write_text("old")
    os.chmod("elsewhere/real.csv", 0o640)
    Path("out.csv").symlink_to("elsewhere/real.csv")
    code, _, err = run(*command, option, "out.csv")
    assert code == 0, err
    assert Path("out.csv").is_symlink()
    assert Path("elsewhere/real.csv").read_bytes()[:3] != b"old"
    assert stat.S_IMODE(os.stat("elsewhere/real.csv").st_mode) == 0o640
    assert os.listdir("elsewhere") == ["real.csv"]
    assert set(os.listdir(here)) == {"data.csv", "model.skops", "elsewhere", "out.csv"}


def test_a_new_file_has_the_mode_of_the_mask_and_a_dangling_link_gets_its_file(here, run):
    Path("out.csv").symlink_to("new.csv")
    before = os.umask(0o027)
    try:
        assert run(*TRANSFORM, "--out", "out.csv")[0] == 0
    finally:
        os.umask(before)
    assert Path("out.csv").is_symlink()
    assert stat.S_IMODE(Path("new.csv").lstat().st_mode) == 0o640


def test_a_failing_transform_in_chunks_leaves_no_parts(here, fails):
    with open("data.csv", "a") as file:
        file.write("1,2,3,inf,a\n")
    fails("", *TRANSFORM, "--chunk", "10", "--out", "map.csv")
    assert set(os.listdir(here)) == {"data.csv", "model.skops"}
