"""
How many components are enough?
===============================

The rate of correct classification in projections of growing dimension, for held-out samples: Fig. 3
of Peltonen and Kaski (2005). Discriminative components need fewer dimensions than LDA to reach what
all features give, because they look at the whole distribution of the classes and not at their means
alone.

The sounds of spoken letters, Isolet, if they are at hand (30 principal components of every fourth
sample), else the digits that come with scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split

from discrimap import DiscriminativeComponents
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.metrics import knn_error

DIMENSIONS = (1, 2, 3, 5, 7, 9)

try:
    data, step = load("isolet"), 4
except InputError as missing:
    print(f"digits instead of Isolet: {missing}")
    data, step = load("digits"), 1
X, y = np.asarray(data.X, dtype=float)[::step], np.asarray(data.y)[::step]
X = PCA(30, random_state=0).fit_transform(X)
train, test, y_train, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)


def rate(model):
    model.fit(train, y_train)
    error = knn_error(model.transform(train), y_train, model.transform(test), y_test, n_neighbors=5)
    return 1 - error


curves = {
    "discriminative components": lambda d: DiscriminativeComponents(d, random_state=0),
    "LDA": lambda d: LinearDiscriminantAnalysis(n_components=d),
}
figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
for (name, make), style in zip(curves.items(), ("o-", "s--"), strict=True):
    ax.plot(DIMENSIONS, [rate(make(d)) for d in DIMENSIONS], style, label=name)
everything = 1 - knn_error(train, y_train, test, y_test, n_neighbors=5)
ax.axhline(everything, linestyle=":", color="0.3", label="all features")
ax.set(xlabel="components", ylabel="rate of correct classification", ylim=(0, 1))
ax.legend()

plt.show()
