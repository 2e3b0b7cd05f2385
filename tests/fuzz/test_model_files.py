"""Changed model files: the right map, or one line and exit code 2.

The suite tries some of each method. A longer run: ``DISCRIMAP_FUZZ_SECONDS=600 pytest tests/fuzz``,
from another seed with ``DISCRIMAP_TEST_SEED``.
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from discrimap import cli
from discrimap.datasets import Dataset
from discrimap.models import fit_model, save_model
from discrimap.registry import get_method

sys.path.insert(0, str(Path(__file__).parent))
import model_mutations

METHODS = ("lda", "pca", "nca", "lslda", "category", "kspca", "kernel-category", "fisher-tsne")
CONTINUOUS = ("pls", "manifold-regularization")
MUTATIONS = 10  # of each method, where no time is given
LONGEST = 120  # seconds of one command


@pytest.fixture(scope="module", params=METHODS + CONTINUOUS)
def saved(request, tmp_path_factory):
    """A model file, its content, new rows and their map."""
    folder = tmp_path_factory.mktemp("model")
    rng = np.random.default_rng(0)
    y = np.arange(96) % 3
    X = rng.standard_normal((96, 3)) + 2 * y[:, None]
    is_continuous = request.param in CONTINUOUS
    data = Dataset("made", X, y + rng.random(96) if is_continuous else y, ["a", "b", "c"])
    impute = "median" if request.param == "pca" else None
    model = fit_model(data, get_method(request.param), n_components=1, impute=impute)
    save_model(folder / "model.skops", model)
    rows = rng.standard_normal((4, 3))
    pl.DataFrame(rows, schema=["a", "b", "c"], orient="row").write_csv(folder / "rows.csv")
    assert cli.main(transform(folder)) == 0
    expected = pl.read_csv(folder / "map.csv").to_numpy()
    (folder / "map.csv").unlink()
    return folder, (folder / "model.skops").read_bytes(), expected


def transform(folder):
    return [
        *("transform", str(folder / "model.skops"), str(folder / "rows.csv")),
        *("--out", str(folder / "map.csv")),
    ]


@pytest.fixture
def generator(request, saved):
    """Random numbers of this method, another stream with every seed."""
    seed = int(os.environ.get("DISCRIMAP_TEST_SEED", "0"))
    place = (METHODS + CONTINUOUS).index(request.node.callspec.params["saved"])
    return np.random.default_rng([seed, place])


def rounds(seconds):
    if not seconds:
        yield from range(MUTATIONS)
        return
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        yield number
        number += 1


@pytest.fixture
def time_limit():
    """A command that does not end is a failure too."""

    def too_long(*_):
        raise AssertionError(f"no answer within {LONGEST} seconds")

    before = signal.signal(signal.SIGALRM, too_long)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_a_changed_model_file_gives_the_right_map_or_one_line(
    saved, generator, capsys, time_limit, fuzz_seconds
):
    folder, content, expected = saved
    for number in rounds(fuzz_seconds):
        of_bytes = generator.random() < 0.4
        changes = model_mutations.OF_BYTES if of_bytes else model_mutations.OF_VALUES
        change = changes[generator.integers(len(changes))]
        changed = change(content, generator)
        (folder / "model.skops").write_bytes(changed)
        signal.alarm(LONGEST)
        code = cli.main(transform(folder))
        signal.alarm(0)
        out, err = capsys.readouterr()
        what = f"change {number}, {change.__name__}: exit code {code}, {err!r}"
        if code == 0:
            found = pl.read_csv(folder / "map.csv").to_numpy()
            assert np.isfinite(found).all(), what
            assert len(found) == len(expected), what
            if of_bytes:
                assert_array_equal(found, expected, what)
            (folder / "map.csv").unlink()
        else:
            assert code == cli.EXIT_INPUT, what
            assert out == "", what
            assert err.startswith("discrimap: "), what
            assert err.count("\n") == 1, what
        assert sorted(os.listdir(folder)) == ["model.skops", "rows.csv"], what
    (folder / "model.skops").write_bytes(content)
