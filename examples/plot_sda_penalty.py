"""
Too many features: how much to penalise
=======================================

With more features than samples SDA can put every training sample of a class on one spot and learn
nothing. ``alpha="cv"`` (RSDA) tries penalties from large to small on an inner split and refines near
the best. Fig. 6 of Juuti, Corona and Karhunen (2018): the error of each penalty, and the maps of
four of them. A large penalty draws all samples together, a small one overfits: its held-out
samples (hollow) lie far from their classes.

The faces are Olivetti's, 4096 pixels of 40 persons, if they are at hand; else scikit-learn's digits,
two of each for the fit.
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
train, test = train_test_split(np.arange(len(data.y)), train_size=train_size, random_state=0)
test = test[:200]
scaler = StandardScaler().fit(np.asarray(data.X, dtype=float)[train])
order = np.concatenate([train, test])
X, y = scaler.transform(np.asarray(data.X, dtype=float)[order]), np.asarray(data.y)[order]
is_test = np.arange(len(y)) >= len(train)

search = StochasticDiscriminantAnalysis(alpha="cv", random_state=0).fit(X[~is_test], y[~is_test])
ax = plot_alpha_search(search.alphas_, search.cv_errors_, best=search.alpha_)

# %%
# The maps of three other penalties, and of the one that was chosen.

maps = {}
for alpha in (search.alphas_[-1], search.alpha_, 1e-4, 1e-8):
    model = StochasticDiscriminantAnalysis(alpha=alpha, random_state=0)
    maps[f"alpha = {alpha:.2g}"] = model.fit(X[~is_test], y[~is_test]).transform(X)
figure, axes = plt.subplots(1, 4, figsize=(18, 4.6), layout="constrained")
for ax in plot_side_by_side(maps, y, is_test=is_test, axes=axes):
    ax.get_legend().remove()

plt.show()
