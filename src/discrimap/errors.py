"""Errors caused by user input."""


class InputError(ValueError):
    """Error caused by the data, a file or an option, which the user can correct.

    The message is one line that states what is wrong, what was expected, what was found and what to
    do. The command line prints it without a traceback and exits with a non-zero code.
    """
