"""Read tables and archives as numeric arrays, and write arrays as tables."""
