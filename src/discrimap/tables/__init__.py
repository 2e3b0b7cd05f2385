"""Tables: from files to numbers, and from numbers to files."""
