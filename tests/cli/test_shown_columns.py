"""``--text`` and ``--image``: texts and images of a table in the report."""

import json
import re

import numpy as np
import pytest
from PIL import Image

from discrimap import cli

ATTACK = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    (tmp_path / "drawing.svg").write_text(ATTACK)
    lines = ["key,x,z,note,file,kind"]
    for row in range(24):
        Image.new("L", (8, 8), 10 * row).save(tmp_path / f"{row}.png")
        file = "drawing.svg" if row == 5 else f"{row}.png"
        x, z = rng.standard_normal(2) + 4 * (row % 2)
        lines.append(f'k{row},{x},{z},"{ATTACK} {row}",{file},{"ab"[row % 2]}')
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_texts_and_pictures_go_from_the_table_to_the_page(table, tmp_path):
    page = tmp_path / "r.html"
    command = ["compare", str(table), "--target", "kind", "--methods", "lda,pca", "--rounds", "1"]
    shown = ["--text", "note", "--image", "file", "--quiet", "--jobs", "1", "--out", str(page)]
    assert cli.main([*command, *shown]) == 0
    text = page.read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="map-data">(.*?)</script>', text, re.DOTALL)[1])
    assert sorted(data["texts"]) == sorted(f"{ATTACK} {row}" for row in range(24))
    assert data["valueNames"] == ["x", "z"] or data["valueNames"] == ["z", "x"]
    assert (data["idName"], len(data["ids"])) == ("key", 24)
    assert data["pictures"]["n"] == 23
    assert "1 file are missing" not in text
    assert "1 file is missing or holds no picture" in text
    assert ATTACK not in text


def test_a_column_that_names_no_file_is_an_error_of_one_line(table, capsys):
    command = ["compare", str(table), "--target", "kind", "--image", "note", "--quiet"]
    assert cli.main(command) == 2
    message = capsys.readouterr().err
    assert "--image" in message
    assert "names no existing file" in message
