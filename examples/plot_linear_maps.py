"""
Three linear maps of faces, digits and objects
==============================================

Two linear components of data with ten to forty classes, by the three methods that the paper found
best on each. LDA and PLS-DA show corners of a simplex of more dimensions and leave most classes in a
heap near the middle; SDA, and RSDA with its penalty, use the whole disc. Full marks were fitted,
hollow ones held out; each title has the error of the held-out ones. Figs. 9, 11 and 13 of Juuti,
Corona and Karhunen (2018).

Olivetti faces, USPS digits and COIL-20 objects if they are at hand; else scikit-learn's digits.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discrimap import PLSDA, StochasticDiscriminantAnalysis
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.plots import plot_side_by_side

METHODS = {
    "SDA": StochasticDiscriminantAnalysis(random_state=0),
    "RSDA": StochasticDiscriminantAnalysis(alpha="cv", random_state=0),
    "LDA": LinearDiscriminantAnalysis(n_components=2),
    "PLS-DA": PLSDA(),
    "PCA": PCA(2),
}
FIGURES = {
    "olivetti": ("RSDA", "LDA", "SDA"),
    "usps": ("SDA", "LDA", "PLS-DA"),
    "coil20": ("RSDA", "SDA", "PCA"),
}


def draw(data, methods):
    X, y = np.asarray(data.X, dtype=float), np.asarray(data.y)
    size = min(len(y) * 2 // 3, 3000)  # fewer of USPS than the paper, to save time
    train, test = train_test_split(np.arange(len(y)), train_size=size, random_state=0)
    order = np.concatenate([train, test[:600]])
    maps = {}
    for name in methods:
        model = make_pipeline(StandardScaler(), METHODS[name]).fit(X[train], y[train])
        maps[name] = model.transform(X[order])
    axes = plot_side_by_side(maps, y[order], is_test=np.arange(len(order)) >= len(train))
    for ax in axes[:-1]:
        ax.get_legend().remove()


found = 0
for name, methods in FIGURES.items():
    try:
        draw(load(name), methods)
        found += 1
    except InputError as missing:
        print(f"without {name}: {missing}")
if not found:
    draw(load("digits"), FIGURES["usps"])

plt.show()
