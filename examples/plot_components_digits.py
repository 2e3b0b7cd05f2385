"""
Two components of handwritten digits, four ways
===============================================

PCA keeps what varies, LDA what differs between class means, and the other two what tells the classes
apart: Renyi components by mutual information with a quadratic entropy, discriminative components by
the likelihood of the classes in the map. Fig. 2 of Peltonen and Kaski (2005), on samples that were
held out of every fit; the title of each map has their error.

The digits are the Fourier coefficients of the paper, MFeat, if they are at hand (where 6 and 9 look
the same), else the pixels that come with scikit-learn.
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
