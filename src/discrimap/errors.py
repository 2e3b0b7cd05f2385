"""What the user can mend."""


class InputError(ValueError):
    """The data, a file or an option cannot be used as given, and the user can mend it.

    The message is one line that says what is wrong, what was needed, what came and what to do.
    The command line prints it without a traceback and ends with a non-zero exit code.
    """
