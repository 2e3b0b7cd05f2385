"""
The penalty of SDA with many features
=====================================

With more features than samples, SDA can map all training samples of a class to one point and still
predict no new sample. ``alpha="cv"`` (RSDA) tries penalties from large to small on held-out samples of the
training part, and refines the search near the best. This is Fig. 6 of Juuti, Corona and Karhunen
(2018): the error for each penalty, and the maps of the four penalties that are marked with a ring. A large
penalty moves all samples together. A small one overfits: held-out samples (hollow) are far from their
classes.

The data are the Olivetti faces, 4096 pixels of 40 persons, if they are available, and otherwise fifty
training samples of the digits of scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from discrimap import StochasticDiscriminantAnalysis
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.plots import plot_alpha_search, plot_side_by_side

try:
    data, train_size = load("olivetti"), 2 / 3
except InputError as missing:
    print(f"digits instead of Olivetti faces: {missing}")
    data, train_size = load("digits"), 50
X, y = np.asarray(data.X, dtype=float), np.asarray(data.y)
X = X[:, X.std(axis=0) > 0.2 * X.std()]  # the corners of the digits are always empty
train, test = train_test_split(np.arange(len(y)), train_size=train_size, stratify=y, random_state=0)
order = np.concatenate([train, test[:200]])
X, y = StandardScaler().fit(X[train]).transform(X[order]), y[order]
is_test = np.arange(len(y)) >= len(train)

search = StochasticDiscriminantAnalysis(alpha="cv", random_state=0).fit(X[~is_test], y[~is_test])
errors = dict(zip(search.alphas_, search.cv_errors_, strict=True))
# The chosen penalty may be one of the others.
shown = list(dict.fromkeys((search.alphas_[-2], search.alpha_, 1e-4, 1e-8)))
maps = {}
for alpha in shown:
    model = StochasticDiscriminantAnalysis(alpha=alpha, random_state=0)
    maps[f"alpha = {alpha:.3g}"] = model.fit(X[~is_test], y[~is_test]).transform(X)

figure = plt.figure(figsize=(18, 9), layout="constrained")
upper, lower = figure.subfigures(2, 1, height_ratios=(4, 5))
ax = plot_alpha_search(
    search.alphas_, search.cv_errors_, best=search.alpha_, ax=upper.subplots(), title=data.name
)
ax.plot(shown, [errors[alpha] for alpha in shown], "o", markersize=13, mfc="none", mec="#D55E00")
for ax in plot_side_by_side(maps, y, is_test=is_test, axes=lower.subplots(1, len(maps))):
    ax.set_aspect("equal", adjustable="datalim")
    ax.get_legend().remove()

plt.show()
