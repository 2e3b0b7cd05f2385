"""Every code block of README and documentation runs, and shows what it says."""

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest

import discrimap
from discrimap import cli
from discrimap.registry import METHODS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
# Pages written by benchmark scripts have no code of their own.
PAGES = sorted(
    page
    for page in [ROOT / "README.md", *DOCS.rglob("*.md")]
    if not {"_build", "benchmarks", "gallery", "generated"} & set(page.parts[len(DOCS.parts) :])
)
FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<code>.*?)^```$", flags=re.DOTALL | re.MULTILINE)
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def code_blocks(text):
    """Language, code and line number of each fenced block that names a language."""
    for match in FENCE.finditer(text):
        yield match["language"], match["code"], text.count("\n", 0, match.start()) + 1


def run_python(code, names, page, line):
    if ">>>" not in code:
        exec(compile("\n" * line + code, str(page), "exec"), names)
        return
    example = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line)
    failures = []
    runner = doctest.DocTestRunner(optionflags=LENIENT)
    runner.run(example, out=failures.append, clear_globs=False)
    assert not runner.failures, "".join(failures)
    names.update(example.globs)


def run_console(code):
    """Run each ``$`` line in this process; output lines below it, if any, must match."""
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", code, flags=re.MULTILINE):
        words = shlex.split(command)
        assert words[0] == "discrimap"
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(words[1:])
        assert code == 0, err.getvalue()
        if shown.strip():
            answer = out.getvalue()
            assert doctest.OutputChecker().check_output(shown, answer, LENIENT), answer


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for language, code, line in code_blocks(page.read_text()):
        if language == "python":
            run_python(code, names, page, line)
        elif language == "console":
            run_console(code)
        else:
            assert language == "text", f"{page.name}:{line}: a {language} block is not run"


@pytest.mark.parametrize("method", [m for m in METHODS if m.is_ours], ids=lambda m: m.name)
def test_each_method_has_a_page(method):
    first = next(m for m in METHODS if m.path == method.path)  # SIR is on the page of SAVE
    page = (DOCS / "methods" / f"{first.name}.md").read_text()
    assert f"`{method.name}`" in page
    assert f"{{py:class}}`discrimap.{method.class_name}`" in page
    sections = re.findall(r"^## (.*)$", page, flags=re.MULTILINE)
    assert sections == ["The idea", "The formula", "What it costs", "When it fails", "Try it"]
    assert f"{{doc}}`{first.name}`" in (DOCS / "methods" / "index.md").read_text()


@pytest.mark.parametrize("name", [n for n in discrimap.__all__ if not n.startswith("_")])
def test_each_public_name_is_in_the_reference(name):
    assert re.search(rf"^   {name}$", (DOCS / "api.md").read_text(), flags=re.MULTILINE)


def test_a_wrong_block_is_noticed():
    with pytest.raises(AssertionError, match="Expected:"):
        run_python(">>> 1 + 1\n3\n", {}, Path("page.md"), 1)
    with pytest.raises(AssertionError):
        run_console("$ discrimap methods --no-such-option\n")
    with pytest.raises(AssertionError):
        run_console("$ discrimap --version\nsomething else\n")
