"""SIGTERM and SIGHUP end a command and its workers like Ctrl-C, and leave no files behind."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from discrimap.datasets import load
from discrimap.models import fit_model, save_model
from discrimap.registry import get_method

SECONDS = 120


@pytest.fixture
def start(tmp_path):
    """Start a command in a process group of its own, with its own folder for temporary files."""
    started = []

    def run(*arguments):
        (tmp_path / "temporary").mkdir()
        process = subprocess.Popen(
            [sys.executable, "-m", "discrimap.cli", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=_hear_signals,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        if is_alive(process.pid):
            os.killpg(process.pid, signal.SIGKILL)


def _hear_signals():
    """Under nohup or in the background tests ignore some signals, and children inherit that."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


def is_alive(group):
    """Whether any process of the group is left; the command is its first."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(condition, what, process=None):
    """Wait until the condition holds; fail if it never does, or if the process ends before."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, what
        if process is not None and process.poll() is not None:
            pytest.fail(f"{what}: exit code {process.returncode}, {process.communicate()}")
        time.sleep(0.05)


def check_end(process, number, tmp_path, left):
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 128 + number, err
    assert out == ""
    assert err == f"discrimap: ended by {signal.Signals(number).name}.\n"
    wait_for(lambda: not is_alive(process.pid), "a process is left")
    assert os.listdir(tmp_path / "temporary") == []
    assert sorted(os.listdir(tmp_path)) == sorted([*left, "temporary"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["SIGTERM", "SIGHUP"])
def test_a_comparison_ends_with_its_workers_and_its_folder(number, start, tmp_path):
    process = start(
        *("compare", "iris", "--methods", "pca,lda", "--repeats", "9999", "--jobs", "2"),
        *("--budget", "3000", "--quiet", "--out", "r.html"),
    )
    temporary = tmp_path / "temporary"
    wait_for(lambda: list(temporary.glob("discrimap-*")), "no worker has begun", process)
    # The page of the first round: workers are at work.
    wait_for((tmp_path / "r.html").exists, "no first round", process)
    check_end(process, number, tmp_path, ["r.html"])
    page = (tmp_path / "r.html").read_text()
    assert "it is still running" in page
    assert page.rstrip().endswith("</html>")


def test_ctrl_c_ends_with_the_report_of_what_is_there(start, tmp_path):
    process = start(
        *("compare", "iris", "--methods", "pca,lda", "--repeats", "9999", "--jobs", "2"),
        *("--budget", "3000", "--quiet", "--out", "r.html", "--json", "r.json"),
    )
    wait_for((tmp_path / "r.html").exists, "no first round", process)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (130, "")
    assert "Not all rounds were run, because it was interrupted" in out
    result = json.loads((tmp_path / "r.json").read_text())
    assert {row["name"] for row in result["results"] if row["status"] == "done"} == {"pca", "lda"}
    assert "because it was interrupted" in (tmp_path / "r.html").read_text()
    wait_for(lambda: not is_alive(process.pid), "a process is left")
    assert os.listdir(tmp_path / "temporary") == []


# Python imports it before anything else. It delays the server from which workers are forked.
SLOW_SERVER = """
import sys
import time

if any("multiprocessing.forkserver" in part for part in sys.orig_argv):
    time.sleep(8)
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="workers are forked from a server on Linux only"
)
@pytest.mark.parametrize(
    ("number", "message"),
    [
        (signal.SIGINT, "discrimap: interrupted; nothing was written."),
        (signal.SIGTERM, "discrimap: ended by SIGTERM."),
    ],
    ids=["SIGINT", "SIGTERM"],
)
def test_a_worker_that_starts_after_the_end_is_silent(
    number, message, start, tmp_path, monkeypatch
):
    """The server forks workers that were requested during its imports, whoever has ended since."""
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "sitecustomize.py").write_text(SLOW_SERVER)
    path = [str(tmp_path / "first"), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    process = start("compare", "iris", "--methods", "pca,lda", "--jobs", "2", "--quiet")
    temporary = tmp_path / "temporary"
    wait_for(lambda: list(temporary.glob("discrimap-*")), "no worker was requested", process)
    time.sleep(1)  # the folder is made shortly before the first request
    began = time.monotonic()
    os.kill(process.pid, number)
    process.wait(SECONDS)
    assert time.monotonic() - began < 5  # it does not wait for the server
    _, err = process.communicate(timeout=SECONDS)  # until the server has ended as well
    assert (process.returncode, err.strip()) == (128 + number, message)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["SIGTERM", "SIGHUP"])
def test_a_transform_in_chunks_leaves_no_parts(number, start, tmp_path):
    iris = load("iris")
    save_model(tmp_path / "model.skops", fit_model(iris, get_method("pca")))
    row = ",".join(map(str, iris.X[0]))
    (tmp_path / "rows.csv").write_text(
        "\n".join([",".join(iris.feature_names), *([row] * 200_000)]) + "\n"
    )
    process = start("transform", "model.skops", "rows.csv", "--chunk", "5", "--out", "map.csv")
    wait_for(lambda: list(tmp_path.glob(".map.csv.*/*.arrow")), "no part was written")
    check_end(process, number, tmp_path, ["model.skops", "rows.csv"])


def test_a_signal_that_was_ignored_stays_ignored(monkeypatch):
    """For example under nohup."""
    from discrimap import cli

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with cli._ending_signals_raised():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
