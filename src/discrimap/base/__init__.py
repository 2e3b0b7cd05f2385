"""Base classes of the estimators: the linear map, the kernel map, reports of iterations."""
