"""What discrimap inherits from scikit-learn, which has no annotations; the rest is Any to mypy."""

from typing import Any

def __getattr__(name: str) -> Any: ...
