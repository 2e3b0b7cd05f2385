"""Sphinx configuration; ``make docs`` builds the site into docs/_build/html."""

import re
import shutil
from pathlib import Path

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.domains.python import PyObject

import discrimap

project = "discrimap"
author = "The discrimap developers"
copyright = author
version = release = discrimap.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_math_renderer = "mathml"
# Summaries are fetched, which browsers do not allow for local files. Without them search needs no server.
html_show_search_summary = False
html_title = f"discrimap {release}"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["wide.css"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
copybutton_exclude = ".linenos, .gp, .go"

autodoc_typehints = "none"
napoleon_use_rtype = False
napoleon_use_ivar = True
# Otherwise the trailing underscore of a fitted attribute is parsed as a link and not shown.
strip_signature_backslash = True

ROOT = Path(__file__).parents[1]
sphinx_gallery_conf = {
    "examples_dirs": [str(ROOT / "examples")],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "image_srcset": ["2x"],
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "remove_config_comments": True,
    "copyfile_regex": r"index\.rst",
}
# Examples take minutes and need data sets, so they do not run here. Their images are in docs/images/gallery.
plot_gallery = "0"


def formulas_as_written(app, what, name, obj, options, lines):
    """Show the indented formulas of docstrings as literal blocks."""
    end = lines.index("Parameters") if "Parameters" in lines else len(lines)
    for at in range(end - 1, 1, -1):
        begins = lines[at].startswith("    ") and not lines[at - 1].strip()
        before = lines[at - 2]
        if begins and not before.startswith(" ") and not before.endswith("::"):
            lines[at:at] = ["::", ""]


def one_by_one(app, what, name, obj, options, lines):
    """Split attributes that share a description, because napoleon would misread their names."""
    begin = lines.index("Attributes") if "Attributes" in lines else len(lines)
    for at in range(len(lines) - 1, begin, -1):
        shared = re.fullmatch(r"(\w+(?:, \w+)+) : (.*)", lines[at])
        if shared:
            below = range(at + 1, len(lines))
            end = next((row for row in below if not lines[row].startswith(" ")), len(lines))
            description = lines[at + 1 : end]
            lines[at:end] = [
                line
                for attribute in shared[1].split(", ")
                for line in (f"{attribute} : {shared[2]}", *description)
            ]


def skip_foreign(app, what, name, obj, skip, options):
    """Skip members that are inherited from scikit-learn."""
    return skip or str(getattr(obj, "__module__", "")).startswith("sklearn.")


def mathml(display):
    """Render formulas as MathML, which browsers draw without scripts or downloads."""

    def visit(translator, node):
        formula = convert(node.astext(), display=display)
        if display == "block":
            formula = f'<div class="formula">{formula}</div>'
        translator.body.append(formula)
        raise SkipNode

    return visit, None


def show_pictures(app, docname, source):
    """Show those images of a page that have been drawn; they are not stored in the repository."""
    folder = Path(docname).parent

    def shown(mark):
        # Sphinx reads the page again when the image is created or changes.
        app.env.note_dependency(str(folder / mark["file"]))
        is_there = (Path(app.srcdir) / folder / mark["file"]).is_file()
        return f"![{mark['words']}]({mark['file']})" if is_there else ""

    marks = r"<!-- picture (?P<file>\S+): (?P<words>.+?) -->"
    source[0] = re.sub(marks, shown, source[0])


def keep_deviations_together(app, docname, source):
    """Let no line end between a mean and its deviation."""
    source[0] = source[0].replace(" ± ", "\u00a0±\u00a0")


def thumbnails(app):
    """Replace the empty thumbnails of examples, which have not run, by their first images."""
    for path in sorted(Path(app.srcdir, "images", "gallery").glob("*_1.png")):
        name = f"sphx_glr_{path.stem.removesuffix('_1')}_thumb.png"
        shutil.copy(path, Path(app.srcdir, "gallery", "images", "thumb", name))


def show_gallery_pictures(app, docname, source):
    """Show the images of an example between its text and its code."""
    if not docname.startswith("gallery/plot_"):
        return
    name = docname.removeprefix("gallery/")
    pictures = sorted(Path(app.srcdir, "images", "gallery").glob(f"{name}_*.png"))
    shown = "".join(f".. image:: /images/gallery/{path.name}\n\n" for path in pictures)
    mark = ".. GENERATED FROM PYTHON SOURCE LINES"  # above each part of the code
    source[0] = source[0].replace(mark, shown + mark, 1)


def setup(app):
    # Napoleon writes fitted attributes as variables.
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"
    app.add_html_math_renderer("mathml", mathml("inline"), mathml("block"))
    # Before napoleon, which has the usual priority of 500.
    app.connect("autodoc-process-docstring", formulas_as_written, priority=400)
    app.connect("autodoc-process-docstring", one_by_one, priority=400)
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("source-read", show_pictures)
    app.connect("source-read", keep_deviations_together)
    app.connect("source-read", show_gallery_pictures)
    app.connect("builder-inited", thumbnails, priority=900)  # after sphinx-gallery
