"""Machine code on disk that several processes can write at the same time."""

import hashlib

from numba.core.caching import IndexDataCacheFile


class CodeFiles(IndexDataCacheFile):
    """Files of machine code that are named after the types of the arguments it is for.

    numba numbers the files of a function. Two processes that compile it for different types at the same time
    choose the same number, and the index then names the code of the other type. That code is run without an
    error, for instance on floating-point numbers as if they were integers.
    """

    def save(self, key, data):
        """Store machine code before the index names it."""
        name = self._data_name(int(hashlib.sha256(repr(key).encode()).hexdigest()[:15], 16))
        self._save_data(name, data)
        # An entry that another process adds between these two steps is lost, and compiled again.
        self._save_index({**self._load_index(), key: name})
