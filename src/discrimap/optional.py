"""Check whether optional packages are installed, and raise an error with instructions if not.

finufft and openTSNE have wheels for Linux, Windows and macOS on Intel and AMD processors and for
macOS on ARM, but none for Linux and Windows on ARM. On these systems they are not installed by
default, and methods that need them raise an error of one line; everything else works.
"""

from __future__ import annotations

from importlib.util import find_spec

from discrimap.errors import InputError


def is_installed(package: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    return find_spec(package) is not None


def how_to_get(package: str) -> str:
    """Return the part of a message that says how to install a missing package."""
    return (
        f"the package {package}, which is not installed; get it with: "
        f"python -m pip install {package} (on ARM, where it has to be compiled, this needs a C++ "
        "compiler and CMake)"
    )


def require(package: str, who: str) -> None:
    """Raise an error of one line if a package is not installed.

    Parameters
    ----------
    package : str
        Name of the package, the same for pip and for import.
    who : str
        Method or feature that needs it: the first words of the message.

    Raises
    ------
    InputError
        If the package is not installed.
    """
    if not is_installed(package):
        raise InputError(f"{who} needs {how_to_get(package)}.")
