"""Discriminative projections (Wang and Mahadevan)."""
