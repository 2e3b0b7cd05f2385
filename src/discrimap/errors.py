"""Errors that the user can correct."""


class InputError(ValueError):
    """Error in the data, a file or an option that the user can correct.

    The message is one line that says what is wrong, what was expected and found, and what to do.
    The command line prints it without a traceback and ends with a non-zero exit code.
    """
