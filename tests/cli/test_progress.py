import io

from rich.console import Console

from discrimap.cli.progress import ComparisonProgress
from discrimap.comparison import MethodResult
from discrimap.comparison.plan import Workload
from discrimap.registry import get_method


def show(is_terminal, *, quiet=False):
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=is_terminal, width=100)
    with ComparisonProgress(n_fits=10, quiet=quiet, console=console) as progress:
        progress.start([Workload(get_method("pca"), 100), Workload(get_method("lda"), 100)])
        progress.finish(MethodResult("nca", "NCA", "skipped", "too [large]"))
        progress.advance("pca", 3)
        progress._bar.refresh()
        progress.finish(MethodResult("pca", "PCA", "done", test_errors=(0.25,)))
    return screen.getvalue()


def test_each_method_has_a_bar_and_then_a_line():
    shown = show(True)
    assert "3/10" in shown
    assert "PCA: done, 25.0 % held-out error" in shown
    assert "NCA: skipped, too [large]" in shown


def test_nothing_is_shown_where_there_is_no_terminal_or_no_wish():
    assert show(False) == ""
    assert show(True, quiet=True) == ""
