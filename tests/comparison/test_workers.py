"""Methods that hang or crash, in real worker processes."""

import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_iris

from discrimap.comparison import Protocol, compare
from discrimap.comparison.workers import Workers


class Crashing(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        os._exit(3)

    def transform(self, X):
        return X


class Endless(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        time.sleep(600)

    def transform(self, X):
        return X


def test_a_crash_or_a_hang_of_one_method_does_not_lose_the_others():
    X, y = load_iris(return_X_y=True)
    start = time.monotonic()
    comparison = compare(
        X,
        y,
        [("endless", Endless()), ("crashing", Crashing()), "pca"],
        protocol=Protocol(n_repeats=1),
        n_jobs=3,
        time_limit=4,  # from the moment at which a worker, its imports done, begins
    )
    by_name = {result.name: result for result in comparison.results}
    assert by_name["pca"].status == "done"
    assert by_name["crashing"].status == "failed"
    assert "its process ended" in by_name["crashing"].reason
    assert by_name["endless"].status == "skipped"
    assert by_name["endless"].reason == "not done within 4 s"
    assert time.monotonic() - start < 120


def _process_number():
    return os.getpid()


def test_a_process_that_ends_between_tasks_is_replaced():
    # The system may end a process at any time, for example if memory is exhausted.
    known = set(multiprocessing.active_children())
    with Workers(1) as workers:
        first = workers.submit(_process_number).result()
        (process,) = set(multiprocessing.active_children()) - known
        process.kill()
        process.join()
        deadline = time.monotonic() + 60
        while workers._pool.active and time.monotonic() < deadline:
            time.sleep(0.05)
        assert workers.submit(_process_number).result() != first


def test_processes_of_the_caller_go_on_if_workers_are_stopped():
    process = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(600,))
    process.start()
    try:
        with Workers(1) as workers:
            workers.submit(time.sleep, 600)
            workers.stop()
        process.join(1)
        assert process.is_alive()
    finally:
        process.kill()
        process.join()


def test_a_fit_that_was_lost_with_its_pool_is_run_again(monkeypatch):
    lost = []

    def lose_the_first(self, task, *arguments, **options):
        future = submit(self, task, *arguments, **options)
        if not lost:
            lost.append(future)
            future = concurrent.futures.Future()
            future.set_exception(BrokenProcessPool("All workers expired"))
        return future

    submit = Workers.submit
    monkeypatch.setattr(Workers, "submit", lose_the_first)
    X, y = load_iris(return_X_y=True)
    comparison = compare(X, y, ["pca", "lda"], protocol=Protocol(n_repeats=2), n_jobs=2)
    assert [len(result.test_errors) for result in comparison.results] == [2, 2]
    assert not any(result.notices for result in comparison.results)


def test_workers_import_nothing_from_the_current_folder(tmp_path):
    # Python puts the current folder first on the path of a command, such as that which starts workers.
    for name in ("numba", "pebble", "sklearn"):
        (tmp_path / f"{name}.py").write_text(f"open('{name} was here', 'w').close()\n")
    script = os.path.join(os.path.dirname(sys.executable), "discrimap")
    subprocess.run(
        [script, "compare", "iris", "--methods", "pca", "--repeats", "1", "--jobs", "2", "--quiet"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    assert not list(tmp_path.glob("*here"))


def test_the_folder_of_temporary_files_can_have_a_long_path(tmp_path):
    folder = tmp_path / ("long" * 30)  # longer than the path of a socket may be
    folder.mkdir()
    script = tmp_path / "script.py"
    script.write_text(
        "from sklearn.datasets import load_iris\n"
        "from discrimap.comparison import Protocol, compare\n"
        "if __name__ == '__main__':\n"
        "    X, y = load_iris(return_X_y=True)\n"
        "    made = compare(X, y, ['pca', 'lda'], protocol=Protocol(n_repeats=2), n_jobs=2)\n"
        "    print(*(result.status for result in made.results))\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["done", "done"]


LATE_WORKER = """
import signal
import time

from discrimap.comparison.workers import Workers


class Late(int):
    # Every worker but the first receives this number late, before it receives the locks of the pool.
    n_sent = 0

    def __reduce__(self):
        Late.n_sent += 1
        return make_late, (int(self), 0.0 if Late.n_sent == 1 else 1.5)


def make_late(number, seconds):
    time.sleep(seconds)
    return number


def ignore_the_end():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


if __name__ == "__main__":
    try:
        with Workers(Late(2)) as workers:
            workers.submit(ignore_the_end).result()  # so that stopping the first worker takes time
            workers.submit(time.sleep, 60)
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        print("interrupted")
"""


def test_a_worker_that_starts_while_others_are_stopped_is_silent(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(LATE_WORKER)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")
