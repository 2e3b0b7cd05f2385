"""
Two components of handwritten digits by four methods
====================================================

PCA finds the directions of largest variance, and LDA those in which the class means differ. Renyi
components maximise a quadratic mutual information with the classes, and discriminative components
maximise the likelihood of the classes in the map. This is Fig. 2 of Peltonen and Kaski (2005). The maps
show held-out samples, and each title gives their error.

The data are MFeat, the Fourier coefficients of the paper, if they are available (6 and 9 look the same
in them), and otherwise the digits of scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split

from discrimap import DiscriminativeComponents, RenyiComponents
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.metrics import knn_error
from discrimap.plots import plot_embedding

try:
    data = load("mfeat_fou")
except InputError as missing:
    print(f"digits instead of MFeat: {missing}")
    data = load("digits")
train, test, y_train, y_test = train_test_split(
    np.asarray(data.X, dtype=float), data.y, train_size=900, stratify=data.y, random_state=0
)

methods = {
    "PCA": PCA(2),
    "LDA": LinearDiscriminantAnalysis(n_components=2),
    "Renyi components": RenyiComponents(random_state=0),
    "discriminative components": DiscriminativeComponents(random_state=0),
}
figure, axes = plt.subplots(2, 2, figsize=(12, 10), layout="constrained")
figure.suptitle(f"{data.name}, samples held out")
for ax, (name, model) in zip(axes.flat, methods.items(), strict=True):
    model.fit(train, y_train)
    Z = model.transform(test)
    error = knn_error(model.transform(train), y_train, Z, y_test, n_neighbors=5)
    plot_embedding(Z, y_test, ax=ax, title=f"{name}: held-out error {100 * error:.0f} %")

plt.show()
