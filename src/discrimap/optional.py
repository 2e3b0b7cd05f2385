"""Optional packages: checks whether they are installed, and messages if not.

finufft and openTSNE have wheels for Linux, Windows and macOS on Intel and AMD processors and for
macOS on ARM, but none for Linux and Windows on ARM. There they are not installed, and methods that
need them raise an error of one line; everything else works.
"""

from __future__ import annotations

from importlib.util import find_spec

from discrimap.errors import InputError


def is_installed(package: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    return find_spec(package) is not None


def how_to_get(package: str) -> str:
    """Message that a package is not installed, and how to install it."""
    return (
        f"the package {package}, which is not installed; get it with: "
        f"python -m pip install {package} (on ARM, where it has to be compiled, this needs a C++ "
        "compiler and CMake)"
    )


def require(package: str, who: str) -> None:
    """Raise an error of one line if a package is missing.

    Parameters
    ----------
    package : str
        Name of the package, the same for pip and for import.
    who : str
        Method or feature that needs it, as the beginning of a sentence.
    """
    if not is_installed(package):
        raise InputError(f"{who} needs {how_to_get(package)}.")
