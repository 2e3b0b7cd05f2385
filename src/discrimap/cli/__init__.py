"""The command line: arguments, one library call, an exit code.

One file for each command. Everything heavy is imported inside the commands, so that
``discrimap --help`` answers at once.
"""

from __future__ import annotations

import sys

import click

from discrimap._version import __version__
from discrimap.cli.compare import compare as compare_command
from discrimap.cli.export import export as export_command
from discrimap.cli.fit import fit as fit_command
from discrimap.cli.lists import datasets as datasets_command
from discrimap.cli.lists import methods as methods_command
from discrimap.cli.transform import transform as transform_command
from discrimap.errors import InputError

EXIT_INPUT = 2  # something the user can mend
EXIT_BUG = 70  # something we must mend
EXIT_INTERRUPTED = 130


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code; expected errors are one line on stderr."""
    arguments = sys.argv[1:] if argv is None else argv
    try:
        return cli.main(arguments, prog_name="discrimap", standalone_mode=False) or 0
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
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
            "(a fault of discrimap's; run again with --traceback for the details)",
            EXIT_BUG,
        )


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
