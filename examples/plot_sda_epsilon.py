"""
The effect of epsilon in stochastic discriminant analysis
=========================================================

Stochastic discriminant analysis aims at distance zero for pairs of the same class, and at one ideal
distance, which depends on epsilon, for pairs of different classes. Ten classes cannot all have the same
distance in two dimensions. With a small epsilon, larger distances cost little, and the classes fill a
disc. With a large epsilon they cost more, and the classes move to the edge of the disc, or onto each
other. These are Figs. 4 and 5 of Juuti, Corona and Karhunen (2018), with 100 handwritten digits of USPS
if it is available, and otherwise of scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale

from discrimap import StochasticDiscriminantAnalysis
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.plots import plot_distances, plot_embedding

try:
    data = load("usps")
except InputError as missing:
    print(f"digits instead of USPS: {missing}")
    data = load("digits")
X, _, y, _ = train_test_split(
    np.asarray(data.X, dtype=float), data.y, train_size=100, stratify=data.y, random_state=0
)
X = scale(X)

# %%
# Below each map the cost of a distance between classes (black) over the distances in the map. The
# first epsilon, one over the squared number of classes, is the default, and the second is the paper's,
# one over the number of classes. Fig. 4 has the first two, Fig. 5 the others.

figure, axes = plt.subplots(2, 4, figsize=(16, 7.5), layout="constrained")
for (top, bottom), epsilon in zip(axes.T, (0.01, 0.1, 0.5, 0.9), strict=True):
    sda = StochasticDiscriminantAnalysis(epsilon=epsilon, random_state=0)
    Z = sda.fit_transform(X, y)
    plot_embedding(Z, y, ax=top, title=f"{data.name}, epsilon = {epsilon}")
    top.set_aspect("equal", adjustable="datalim")
    plot_distances(Z, y, epsilon=epsilon, ax=bottom)
for ax in axes[0, :-1]:
    ax.get_legend().remove()

plt.show()
