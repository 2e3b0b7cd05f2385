"""Discriminative components (Peltonen and Kaski, 2005), and Renyi components."""
