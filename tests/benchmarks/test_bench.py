"""make bench: a slowdown of 30 % is reported, and the stored run is kept."""

import importlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bench(monkeypatch):
    """The module, with two measures whose processor times are set by hand."""
    monkeypatch.syspath_prepend(str(ROOT))
    module = importlib.import_module("benchmarks.bench")
    clock = {"now": 0.0}
    seconds = {"quick": 2.0, "steady": 5.0}

    def spend(name):
        clock["now"] += seconds.get(name, 1.0)

    monkeypatch.setattr(module, "processor_seconds", lambda: clock["now"])
    monkeypatch.setattr(
        module,
        "MEASURES",
        [
            module.Measure(name, name, "one second", lambda name=name: (
                lambda: spend(name), lambda: spend("peer")))
            for name in seconds
        ],
    )  # fmt: skip
    module.seconds = seconds
    return module


def stored(folder):
    (path,) = folder.glob("*.json")
    return json.loads(path.read_text())


def test_ratios_are_stored_by_machine(bench, tmp_path, capsys):
    assert bench.main(["--folder", str(tmp_path)]) == 0
    assert stored(tmp_path) == {"quick": 2.0, "steady": 5.0}
    assert [path.stem for path in tmp_path.iterdir()] == [bench.machine()]
    assert "SLOWER" not in capsys.readouterr().out


def test_a_slowdown_is_reported_and_not_stored(bench, tmp_path, capsys):
    bench.main(["--folder", str(tmp_path)])
    bench.seconds["quick"] = 3.0
    assert bench.main(["--folder", str(tmp_path)]) == 1
    assert "SLOWER by 50 %" in capsys.readouterr().out
    assert stored(tmp_path)["quick"] == 2.0
    assert bench.main(["--folder", str(tmp_path), "--accept"]) == 0
    assert stored(tmp_path)["quick"] == 3.0


def test_less_than_30_percent_is_noise(bench, tmp_path):
    bench.main(["--folder", str(tmp_path)])
    bench.seconds["quick"] = 2.5
    assert bench.main(["--folder", str(tmp_path)]) == 0


def test_other_measures_stay_when_some_are_run(bench, tmp_path):
    bench.main(["--folder", str(tmp_path)])
    bench.seconds["steady"] = 4.0
    assert bench.main(["steady", "--folder", str(tmp_path)]) == 0
    assert stored(tmp_path) == {"quick": 2.0, "steady": 4.0}


def test_a_slow_moment_is_measured_again(bench, tmp_path, monkeypatch):
    bench.main(["--folder", str(tmp_path)])
    ratios = iter([9.0, 2.1, 5.0])
    monkeypatch.setattr(bench, "time_in_turns", lambda *_: next(ratios))
    assert bench.main(["--folder", str(tmp_path)]) == 0
