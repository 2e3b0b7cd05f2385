"""Experiments, their results and the pages written from them; run.py runs what is missing."""
