"""A notebook that is executed by a kernel, and what it shows in a browser."""

import subprocess
import sys

import nbformat
import pytest

CELLS = [
    """import discrimap
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA

X, y = load_wine(return_X_y=True, as_frame=True)
y = y.map({0: "<b>Barolo</b>", 1: "Grignolino", 2: "Barbera"})""",
    'discrimap.compare(X, y, ["pca", "lda"], data_name="wine")',
    "discrimap.show(PCA(3).fit(X), X, y)",
]
# In a process of its own: two event loops do not go together.
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[1])
"""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """The outputs of each cell."""
    path = tmp_path_factory.mktemp("notebook") / "n.ipynb"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbformat.write(notebook, path)
    subprocess.run([sys.executable, "-c", EXECUTE, str(path)], check=True, capture_output=True)
    return [cell.outputs for cell in nbformat.read(path, as_version=4).cells]


@pytest.fixture
def frames(browser, outputs, tmp_path, is_about_the_page):
    """The frames of the comparison and of the map in a page that holds both outputs."""
    path = tmp_path / "notebook.html"
    shown = [output.data["text/html"] for cell in outputs[1:] for output in cell[-1:]]
    path.write_text("<!doctype html><meta charset=utf-8>" + "".join(shown), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1000, "height": 1900})
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("request", lambda request: complaints.append(request.url))
    page.goto(path.as_uri())
    complaints.clear()  # of the page itself
    for frame in page.frames[1:]:
        frame.wait_for_function("document.documentElement.dataset.ready === 'yes'")
    yield page, page.frames[1:]
    page.close()
    local = ("data:", "blob:", "about:srcdoc")
    complaints = filter(is_about_the_page, complaints)
    assert [text for text in complaints if not text.startswith(local)] == []


def test_the_cell_of_a_comparison_shows_progress_then_verdict_table_and_maps(outputs):
    progress, result = outputs[1]
    assert progress.output_type == "display_data"
    assert progress.data["text/plain"] == ""  # cleared at the end
    lines = result.data["text/plain"].splitlines()
    assert 5 <= len(lines) <= 10
    assert lines[0] == "Comparison of wine: 178 samples, 3 classes"
    assert lines[1].startswith("The classes separate")
    for cell in outputs[1:]:
        assert 1e6 < len(cell[-1].data["text/html"]) < 4e6
    assert outputs[2][-1].data["text/plain"].startswith("Map of PCA: 178 points")


def test_the_maps_of_a_notebook_are_interactive_and_isolated(frames):
    page, (comparison, alone) = frames
    assert comparison.inner_text("#verdict p:first-child").startswith("The classes separate")
    assert comparison.locator("#methods tbody tr").count() == 2
    assert comparison.locator("#maps .map:visible").count() == 2
    assert comparison.locator("#legend .name").all_inner_texts() == sorted(
        ["<b>Barolo</b>", "Grignolino", "Barbera"]
    )
    with pytest.raises(Exception, match=r"cross-origin|SecurityError|Blocked"):
        comparison.evaluate("window.parent.document.body")
    # A point can be selected and saved; the frame lets files out and nothing else.
    comparison.click("#take-view")
    assert comparison.inner_text("#selection strong") == "178 points selected"
    with page.expect_download() as download:
        comparison.click("#selection .save")
    assert download.value.suggested_filename == "wine-selection.csv"
    assert alone.locator("#maps .map:visible").count() == 1
    alone.check("#space")
    alone.wait_for_function("document.getElementById('map-training').data[0].type === 'scatter3d'")
