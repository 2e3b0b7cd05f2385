"""
Accuracy by the number of components
====================================

The accuracy for held-out samples in projections with different numbers of components, as in Fig. 3 of
Peltonen and Kaski (2005). Discriminative components need fewer components than LDA to reach the accuracy
of all features, because they use the whole distribution of the classes and not only their means. With
many components their accuracy approaches that of all features again, because they are an orthonormal
projection. LDA scales its components to equal variance within the classes.

The data are the spoken letters of Isolet if they are available (30 principal components of every third
sample), and otherwise every second of the digits of scikit-learn.
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
from discrimap.plots import class_colors

try:
    data, step = load("isolet"), 3
except InputError as missing:
    print(f"digits instead of Isolet: {missing}")
    data, step = load("digits"), 2
X, y = np.asarray(data.X, dtype=float)[::step], np.asarray(data.y)[::step]
X = PCA(30, random_state=0).fit_transform(X)
train, test, y_train, y_test = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=0)
# LDA has fewer components than classes: 25 of the letters, 9 of the digits.
dimensions = [d for d in (2, 3, 4, 5, 7, 9, 13, 18, 25) if d < len(np.unique(y))]


def rate(model):
    model.fit(train, y_train)
    error = knn_error(model.transform(train), y_train, model.transform(test), y_test, n_neighbors=5)
    return 1 - error


curves = {
    "discriminative components": lambda d: DiscriminativeComponents(d, random_state=0),
    "LDA": lambda d: LinearDiscriminantAnalysis(n_components=d),
}
figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
for (name, make), style, color in zip(curves.items(), ("o-", "s--"), class_colors(2), strict=True):
    ax.plot(dimensions, [rate(make(d)) for d in dimensions], style, color=color, label=name)
everything = 1 - knn_error(train, y_train, test, y_test, n_neighbors=5)
ax.axhline(everything, linestyle=":", color="0.3", label=f"all {X.shape[1]} features")
ax.set(xlabel="components", ylabel="rate of correct classification", ylim=(0, 1))
ax.set_title(f"{data.name}, samples held out")
ax.legend(loc="lower right")

plt.show()
