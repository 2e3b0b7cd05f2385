"""
Three linear maps of faces, digits and objects
==============================================

Two linear components of data with ten to forty classes, by the three methods that the paper found best
on each data set. LDA and PLS-DA separate a few classes and leave most of them together near the centre.
SDA, and RSDA with its penalty, use the whole area of the map. Filled markers are training samples, hollow
ones are held out, and each title gives the error of the held-out samples. These are Figs. 9 (Olivetti
faces), 11 (USPS digits) and 13 (COIL-20 objects, at 32 x 32 pixels) of Juuti, Corona and Karhunen (2018).
Data sets that are not available are left out; without any of them the digits of scikit-learn are drawn.
"""

from dataclasses import replace

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
# As in the paper a third is held out, of COIL-20 three views of each object.
FIGURES = {
    "olivetti": (1 / 3, ("RSDA", "LDA", "SDA")),
    "usps": (1 / 3, ("SDA", "LDA", "PLS-DA")),
    "coil20": (60, ("RSDA", "SDA", "PCA")),
}


def draw(data, test_size, methods):
    X, y = np.asarray(data.X, dtype=float), np.asarray(data.y)
    train, test = train_test_split(
        np.arange(len(y)), test_size=test_size, stratify=y, random_state=0
    )
    order = np.concatenate([train, test])
    maps = {}
    for name in methods:
        model = make_pipeline(StandardScaler(), METHODS[name]).fit(X[train], y[train])
        maps[name] = model.transform(X[order])
    axes = plot_side_by_side(maps, y[order], is_test=np.arange(len(order)) >= len(train))
    axes[0].figure.suptitle(data.name)
    axes[0].figure.set_size_inches(17, 6)
    for ax in axes:
        ax.set_aspect("equal", adjustable="datalim")
    for ax in axes[:-1]:
        ax.get_legend().remove()


found = 0
for name, (test_size, methods) in FIGURES.items():
    try:
        draw(load(name), test_size, methods)
        found += 1
    except InputError as missing:
        print(f"without {name}: {missing}")
if not found:
    digits = load("digits")
    varied = digits.X.std(axis=0) > 1  # a pixel that is almost always empty makes outliers
    draw(replace(digits, X=digits.X[:, varied]), *FIGURES["usps"])

plt.show()
