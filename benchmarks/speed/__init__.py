"""Experiments that measure time and memory."""
