"""Writers of the pages in docs: one module for each page, each with a function ``page(folder)``."""
