"""Fixtures that run the command line and check exit code, stdout, stderr and files."""

import numpy as np
import pytest

from discrimap import cli


@pytest.fixture
def run(capsys):
    """Run a command in this process; return exit code, stdout and stderr."""

    def run_here(*arguments):
        code = cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_here


@pytest.fixture
def fails(run):
    """Run a command that must fail with one line on stderr, which contains the given words."""

    def fails_with(message, *arguments):
        code, out, err = run(*arguments)
        assert code == cli.EXIT_INPUT, (code, out, err)
        assert out == ""
        lines = [line for line in err.splitlines() if not line.startswith("note: ")]
        assert len(lines) == 1, err
        assert lines[0].startswith("discrimap: ")
        assert message in lines[0]
        assert "Traceback" not in err

    return fails_with


@pytest.fixture
def table(tmp_path, rng):
    """Write a small CSV with two well separated classes."""

    def write(name="data.csv", n_samples=60, header="size,weight,colour,kind"):
        kind = np.arange(n_samples) % 2
        size = kind * 5 + rng.standard_normal(n_samples)
        weight = rng.standard_normal(n_samples)
        path = tmp_path / name
        lines = [header] + [
            f"{size[i]:.4f},{weight[i]:.4f},{'red' if i % 3 else 'blue'},{'ab'[kind[i]]}"
            for i in range(n_samples)
        ]
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


@pytest.fixture
def change_cells():
    """Write other text into some cells of a CSV: {(row, column): text}, rows from 0."""

    def change(path, cells):
        header, *rows = (line.split(",") for line in path.read_text().splitlines())
        for (row, column), text in cells.items():
            rows[row][header.index(column)] = text
        path.write_text("\n".join(",".join(row) for row in [header, *rows]) + "\n")

    return change
