"""Base classes of the estimators: linear maps, kernel maps, progress of iterations."""
