"""What estimators inherit: the linear map, the kernel map, reports of iterations."""
