"""Stochastic discriminant analysis (Juuti, Corona and Karhunen, 2018)."""
