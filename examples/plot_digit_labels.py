"""
The positions of the labels in a map of digits
==============================================

Discriminative projections map samples and labels into the same space, so that the labels can be drawn as
well. Labels that are close together belong to classes that the method hardly separates. This is Fig. 5
of Wang and Mahadevan, with the default weight ``mu`` of the neighbour graph and with a weight close to
zero. In the paper, all ten labels are well separated without the graph; here 7 and 9 of USPS stay close
together. The data are USPS if available, and otherwise the digits of scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np

from discrimap import DiscriminativeProjections
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.plots import plot_prototypes

try:
    data = load("usps")
except InputError as missing:
    print(f"digits instead of USPS: {missing}")
    data = load("digits")
X, y = np.asarray(data.X, dtype=float)[::2], np.asarray(data.y)[::2]

figure, axes = plt.subplots(1, 2, figsize=(12, 5.2), layout="constrained")
for ax, mu in zip(axes, ("auto", 1e-10), strict=True):
    model = DiscriminativeProjections(mu=mu).fit(X, y)
    plot_prototypes(
        model.prototypes_, model.classes_, ax=ax, title=f"{data.name}, mu = {model.mu_:.2g}"
    )
    gaps = np.linalg.norm(model.prototypes_[:, None] - model.prototypes_, axis=2)
    gaps[np.diag_indices_from(gaps)] = np.inf
    first, second = np.unravel_index(gaps.argmin(), gaps.shape)
    print(f"mu {model.mu_:.2g}: {first} and {second} are closest, {gaps.min():.3f} apart")

plt.show()
