"""Methods with which the papers compare their own, one file each."""
