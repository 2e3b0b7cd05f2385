"""
Ordered labels: the digits 1 to 4 as numbers
============================================

Ratings, grades and counts have an order, which methods for classes do not use. With
``target="continuous"``, discriminative projections place the digits 1 to 4 along the first component in
their order. As classes, they are placed where they separate best. This is Fig. 4 of Wang and Mahadevan.
The titles give the rank correlation of the first component with the digit for held-out samples (hollow).
The data are USPS if available, and otherwise the digits of scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import spearmanr
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split

from discrimap import DiscriminativeProjections, LocalityPreservingProjections
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.plots import plot_embedding

try:
    data = load("usps")
except InputError as missing:
    print(f"digits instead of USPS: {missing}")
    data = load("digits")
chosen = np.isin(data.y, (1, 2, 3, 4))
train, test, y_train, y_test = train_test_split(
    np.asarray(data.X, dtype=float)[chosen], data.y[chosen], test_size=0.5, random_state=0
)
y = np.concatenate([y_train, y_test])
is_test = np.arange(len(y)) >= len(train)

methods = {
    "discriminative projections, label as a number": (
        DiscriminativeProjections(target="continuous"),
        y_train.astype(float),
    ),
    "discriminative projections, label as a class": (DiscriminativeProjections(), y_train),
    "LDA": (LinearDiscriminantAnalysis(n_components=2), y_train),
    "LPP": (LocalityPreservingProjections(), y_train),
}
figure, axes = plt.subplots(2, 2, figsize=(12, 9.5), layout="constrained")
figure.suptitle(f"{data.name}, 1 to 4")
for ax, (name, (model, target)) in zip(axes.flat, methods.items(), strict=True):
    Z = np.concatenate([model.fit(train, target).transform(part) for part in (train, test)])
    correlation = abs(spearmanr(Z[is_test, 0], y_test).statistic)
    title = f"{name}\nrank correlation {correlation:.2f}"
    plot_embedding(Z, y, is_test=is_test, ax=ax, title=title)

plt.show()
