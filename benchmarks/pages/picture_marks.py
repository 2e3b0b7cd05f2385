"""Marks of pictures, which the site shows where they have been drawn (see docs/conf.py)."""


def picture(file, words):
    """A comment in the place of a picture beside the page; pictures are not kept with the pages."""
    return f"<!-- picture {file}: {words} -->"
