"""Exit codes of the command."""

EXIT_INPUT = 2  # an error caused by user input
EXIT_BUG = 70  # an error in discrimap
EXIT_INTERRUPTED = 130
