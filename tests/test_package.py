"""What users get from PyPI: the package, its licence and its types, and nothing else."""

import re
import sys
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from hatchling import build

import discrimap

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "discrimap"
MOST_BYTES = 1_000_000


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """Build both in this process, which needs no network; return the files of wheel and sdist."""
    folder = tmp_path_factory.mktemp("dist")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.delenv("GITHUB_REPOSITORY", raising=False)
        names = build.build_wheel(str(folder)), build.build_sdist(str(folder))
    with zipfile.ZipFile(folder / names[0]) as wheel, tarfile.open(folder / names[1]) as sdist:
        yield (
            {name: wheel.read(name) for name in wheel.namelist()},
            {
                member.name.partition("/")[2]: sdist.extractfile(member).read()
                for member in sdist.getmembers()
                if member.isfile()
            },
        )


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(packages):
    wheel, _ = packages
    files = {
        path.relative_to(SOURCE.parent).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".nbi", ".nbc")
    }
    information = f"discrimap-{discrimap.__version__}.dist-info/"
    assert {name for name in wheel if not name.startswith(information)} == files
    assert "discrimap/py.typed" in files
    assert wheel[f"{information}licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    assert b"discrimap = discrimap.cli:main" in wheel[f"{information}entry_points.txt"]


def test_the_source_archive_has_neither_tests_nor_data(packages):
    wheel, sdist = packages
    beside = {name for name in sdist if not name.startswith("src/discrimap/")}
    assert beside == {
        ".gitignore",  # hatchling adds it always
        "CHANGELOG.md",
        "CITATION.cff",
        "LICENSE",
        "PKG-INFO",
        "README.md",
        "hatch_build.py",
        "pyproject.toml",
    }
    assert {f"src/{name}" for name in wheel if name.startswith("discrimap/")} == {*sdist} - beside
    assert sum(map(len, sdist.values())) < MOST_BYTES * 3
    assert not [name for name in sdist if re.search(r"\.(npz|csv|parquet|png)$", name)]


def test_the_metadata_says_what_pip_needs(packages):
    wheel, _ = packages
    text = next(content for name, content in wheel.items() if name.endswith("/METADATA"))
    metadata = message_from_bytes(text)
    assert metadata["Version"] == discrimap.__version__
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "make demo" in metadata.get_payload()
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert any(line.startswith("scikit-learn") for line in needed)
    assert not any(re.match(r"pytest|sphinx|dask|onnx", line) for line in needed)


def test_links_of_the_readme_are_full_addresses_on_pypi(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/discrimap")
    monkeypatch.setenv("GITHUB_REF_NAME", "v1.2.3")
    monkeypatch.delenv("GITHUB_SERVER_URL", raising=False)
    from hatch_build import CustomMetadataHook

    metadata = {}
    CustomMetadataHook(str(ROOT), {}).update(metadata)
    sys.modules.pop("hatch_build")
    text = metadata["readme"]["text"]
    address = "https://github.com/someone/discrimap"
    assert f"]({address}/raw/v1.2.3/docs/images/digits.png)" in text
    assert f"]({address}/blob/v1.2.3/CONTRIBUTING.md)" in text
    assert not re.search(r"\]\((?!https?:|#)", text)
    assert metadata["urls"]["Source"] == address


def test_the_citation_names_this_version():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", text, flags=re.MULTILINE)[1] == discrimap.__version__
