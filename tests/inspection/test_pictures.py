"""Pictures are drawn small and encoded anew, whatever their files hold."""

import io
import os

import numpy as np
import pytest
from PIL import Image

from discrimap.inspection import pictures as pictures_module
from discrimap.inspection.pictures import PER_SHEET, collect_pictures


def tile(pictures, point):
    """The pixels of the picture of a point."""
    sheet, within = divmod(int(pictures.place[point]), PER_SHEET)
    row, column = divmod(within, pictures.columns)
    with Image.open(io.BytesIO(pictures.sheets[sheet])) as image:
        assert image.format == "JPEG"
        pixels = np.asarray(image.convert("RGB")).astype(int)
    side = pictures.side
    return pixels[row * side : (row + 1) * side, column * side : (column + 1) * side]


@pytest.mark.parametrize("n_samples", [3, 300])
def test_each_point_has_the_picture_of_its_row(n_samples, rng):
    shades = np.arange(n_samples) % 256
    images = np.tile(shades[:, None, None], (1, 16, 16)).astype(np.uint8)
    rows = rng.permutation(n_samples)
    found = collect_pictures(images, rows)
    assert (found.side, found.n_pictures, found.n_failed) == (16, n_samples, 0)
    assert len(found.sheets) == -(-n_samples // PER_SHEET)
    for point in (0, 1, n_samples - 1):
        assert np.abs(tile(found, point) - shades[rows[point]]).max() <= 6


def test_numbers_and_colours_become_pixels_on_one_scale():
    numbers = np.array([-2.0, 0.0, 2.0])[:, None, None] * np.ones((3, 16, 16))
    found = collect_pictures(numbers, np.arange(3))
    assert [round(tile(found, point).mean() / 127.5) for point in range(3)] == [0, 1, 2]
    colours = np.zeros((2, 16, 16, 3), dtype=np.uint8)
    colours[0, ..., 0] = colours[1, ..., 2] = 255
    found = collect_pictures(colours, np.arange(2))
    assert tile(found, 0).mean(axis=(0, 1)).argmax() == 0
    assert tile(found, 1).mean(axis=(0, 1)).argmax() == 2


def test_files_are_recognised_by_what_they_hold(tmp_path):
    def save(name, mode="RGB", size=(300, 150), color="red", **options):
        Image.new(mode, size, color).save(tmp_path / name, **options)
        return str(tmp_path / name)

    good = [
        save("a.png"),
        save("b.jpg", exif=b"Exif\x00\x00secret place"),
        save("c.webp"),
        save("clear.png", "RGBA", color=(255, 0, 0, 255)),
        save("palette.gif", "P", color=5),
        save("named.txt", format="PNG"),
    ]
    svg = tmp_path / "d.svg"
    svg.write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    disguised = tmp_path / "e.png"
    disguised.write_text("<script>alert(1)</script>")
    cut = tmp_path / "f.png"
    cut.write_bytes((tmp_path / "a.png").read_bytes()[:60])
    pipe = tmp_path / "g.png"
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe)  # who opens it waits for ever
    bad = [
        save("other.ppm"),  # Pillow reads it, but also formats that call other programs
        str(pipe),
        str(svg),
        str(disguised),
        str(cut),
        str(tmp_path / "missing.png"),
        str(tmp_path),
        "",
        "https://example.org/x.png",
        "/dev/zero",
        "zero\0byte",
        "x" * 5000,
    ]
    paths = np.array(good + bad)
    found = collect_pictures(paths, np.arange(len(paths)))
    assert (found.place >= 0).tolist() == [True] * len(good) + [False] * len(bad)
    assert found.n_failed == len(bad)
    red = tile(found, 0)
    middle, edge = red[len(red) // 2, len(red) // 2], red[1, len(red) // 2]
    assert middle[0] > 230 > 30 > middle[1]  # twice as wide as tall: paper above and below
    assert edge.min() > 230
    assert b"secret" not in b"".join(found.sheets)
    assert collect_pictures(np.array(bad), np.arange(len(bad))) is None


def test_pictures_of_too_many_pixels_are_refused(tmp_path, monkeypatch):
    Image.new("RGB", (40, 40)).save(tmp_path / "a.png")
    monkeypatch.setattr(pictures_module, "MOST_PIXELS", 1599)
    assert collect_pictures(np.array([str(tmp_path / "a.png")]), np.arange(1)) is None


def test_pictures_become_smaller_and_then_fewer_to_fit(rng, monkeypatch):
    noise = rng.integers(0, 256, (600, 32, 32), dtype=np.uint8)
    sides = []
    for most in (10_000_000, 150_000, 15_000):
        monkeypatch.setattr(pictures_module, "MOST_BYTES", most)
        found = collect_pictures(noise, np.arange(600))
        assert sum(map(len, found.sheets)) <= most
        assert found.n_pictures == min(600, PER_SHEET * len(found.sheets))
        sides.append((found.side, found.n_pictures))
    assert sides[0] == (32, 600)
    assert sides[1][0] < 32
    assert sides[2][1] < 600
    monkeypatch.setattr(pictures_module, "MOST_PICTURES", 50)
    monkeypatch.setattr(pictures_module, "MOST_BYTES", 10_000_000)
    assert collect_pictures(noise, np.arange(600)).n_pictures == 50
