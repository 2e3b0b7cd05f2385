"""scikit-learn classes: each checks its input, assembles an objective, solves it, and stores."""
