"""Exit codes of the command."""

EXIT_INPUT = 2  # an error that the user can correct
EXIT_BUG = 70  # an error in discrimap
EXIT_INTERRUPTED = 130
