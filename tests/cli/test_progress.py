import io

from rich.console import Console

from discrimap.cli.progress import ComparisonProgress
from discrimap.comparison import MethodResult


def show(is_terminal, *, quiet=False):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=is_terminal, width=100)
    with ComparisonProgress(quiet=quiet, console=console) as progress:
        progress.update(
            (
                MethodResult("nca", "NCA", "skipped", "too [large]"),
                MethodResult("lda", "LDA", "skipped"),
                MethodResult("pca", "PCA", "done", test_errors=(0.25,), n_fitted=2000, splits=(0,)),
            )
        )
        if progress.is_shown:
            progress._live.refresh()
    return screen.getvalue()


def test_each_method_has_a_line_with_what_its_error_rests_on():
    lines = [line.split() for line in show(True).splitlines()]
    assert ["PCA", "2,000", "1", "25.0", "%"] in lines
    assert ["NCA", "too", "[large]"] in lines
    assert ["LDA", "waiting"] in lines


def test_nothing_is_shown_without_a_terminal_or_with_quiet():
    assert show(False) == ""
    assert show(True, quiet=True) == ""
