"""The command line, with one file for each command.

Large packages are imported inside the commands, so that ``discrimap --help`` is fast.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator

import click

from discrimap._version import __version__
from discrimap.cli.compare import compare as compare_command
from discrimap.cli.exit_codes import EXIT_BUG, EXIT_INPUT, EXIT_INTERRUPTED
from discrimap.cli.export import export as export_command
from discrimap.cli.fit import fit as fit_command
from discrimap.cli.lists import datasets as datasets_command
from discrimap.cli.lists import methods as methods_command
from discrimap.cli.transform import transform as transform_command
from discrimap.errors import InputError

# Signals other than Ctrl-C that end a program; kill or the closing of a terminal sends them.
ENDING_SIGNALS = ("SIGTERM", "SIGHUP")


class _EndedError(BaseException):
    """Raised by a signal that ends the program; not an ``Exception``, like KeyboardInterrupt."""

    def __init__(self, number: int):
        self.number = number


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return the exit code; errors are printed to stderr as one line."""
    arguments = sys.argv[1:] if argv is None else argv
    try:
        with _ending_signals_raised():
            return cli.main(arguments, prog_name="discrimap", standalone_mode=False) or 0
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except _EndedError as ended:
        name = signal.Signals(ended.number).name
        return _fail(f"ended by {name}.", 128 + ended.number)
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted; nothing was written.", EXIT_INTERRUPTED)
    except click.UsageError as error:
        where = f" (see '{error.ctx.command_path} --help')" if error.ctx else ""
        return _fail(f"{_one_line(error.format_message())}{where}", EXIT_INPUT)
    except (click.ClickException, InputError, OSError) as error:
        return _fail(_one_line(str(error)), EXIT_INPUT)
    except Exception as error:
        if "--traceback" in arguments:
            raise
        return _fail(
            f"unexpected {type(error).__name__}: {_one_line(str(error))} "
            "(a bug in discrimap; run again with --traceback for details)",
            EXIT_BUG,
        )


@contextlib.contextmanager
def _ending_signals_raised() -> Iterator[None]:
    """Convert the signals that end a program into an exception while the block runs.

    Worker processes, temporary folders and incomplete files are then removed, as after Ctrl-C. A
    signal that the parent process ignores, as under nohup, is still ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set signal handlers
        return
    numbers = [getattr(signal, name) for name in ENDING_SIGNALS if hasattr(signal, name)]
    before = {
        number: signal.getsignal(number)
        for number in numbers
        if signal.getsignal(number) is signal.SIG_DFL
    }

    def end(number, frame):
        # A second signal must not interrupt the cleanup.
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        raise _EndedError(number)

    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _fail(message: str, code: int) -> int:
    click.echo(f"discrimap: {message}", err=True)
    return code


def _one_line(message: str) -> str:
    return " ".join(message.split())


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="discrimap %(version)s")
def cli():
    """See your classes, find the few directions that tell them apart, and know whether to trust
    the picture.
    """


for command in (
    compare_command,
    fit_command,
    transform_command,
    export_command,
    methods_command,
    datasets_command,
):
    cli.add_command(command)
