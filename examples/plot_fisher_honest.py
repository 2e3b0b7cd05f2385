"""
Training points and new points in maps of Fisher t-SNE and UMAP
===============================================================

Supervised UMAP places training points with the help of their own labels. It separates permuted labels as
well, and held-out points (hollow) are placed elsewhere. Fisher t-SNE does not use the own label of a
training point to place it. With the true labels, training and held-out points show the same classes.
With permuted labels, no classes are visible. UMAP is drawn if umap-learn is installed.
"""

from importlib.util import find_spec

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from discrimap import FisherTSNE
from discrimap.metrics import leave_one_out_error
from discrimap.plots import plot_side_by_side

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X / 16, y, train_size=800, test_size=250, stratify=y, random_state=0
)
makers = {"Fisher t-SNE": lambda: FisherTSNE(random_state=0)}
if find_spec("umap"):
    import umap

    makers = {"UMAP": lambda: umap.UMAP(random_state=0, n_jobs=1), **makers}

rng = np.random.default_rng(0)
targets = {
    "true labels": (y_train, y_test),
    "permuted labels": (rng.permutation(y_train), rng.permutation(y_test)),
}
is_test = np.arange(len(y_train) + len(y_test)) >= len(y_train)
figure, axes = plt.subplots(
    len(makers), 2, figsize=(12.4, 4.8 * len(makers)), layout="constrained", squeeze=False
)
for row, (name, make) in zip(axes, makers.items(), strict=True):
    for ax, (kind, (seen, held_out)) in zip(row, targets.items(), strict=True):
        fitted = make().fit(X_train, seen)
        positions = np.concatenate([fitted.embedding_, fitted.transform(X_test)])
        labels = np.concatenate([seen, held_out])
        apparent = leave_one_out_error(fitted.embedding_, seen, n_neighbors=1)
        title = f"{name}, {kind}: training {100 * apparent:.0f} %"
        plot_side_by_side({title: positions}, labels, is_test=is_test, axes=[ax])
        ax.set_aspect("equal", adjustable="datalim")
plt.show()
