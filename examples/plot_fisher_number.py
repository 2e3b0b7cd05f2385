"""
Fisher t-SNE for a continuous target
====================================

The progression of diabetes, a number, is predicted from ten measurements. The distance between two
patients is the difference of their predictions, in units of the prediction error. A quarter of the
patients is held out and placed without the target. If the colours of the second map agree with those of
the first, the map is also valid for new patients. The third map was fitted to permuted targets, where
there is nothing to find.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from discrimap import FisherTSNE
from discrimap.metrics import knn_regression_error

X, y = load_diabetes(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=0)
scaler = StandardScaler().fit(X_train)
X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)

fisher = FisherTSNE(random_state=0, target="continuous").fit(X_train, y_train)
shuffled = np.random.default_rng(0).permutation(y_train)
control = FisherTSNE(random_state=0, target="continuous").fit(X_train, shuffled)
placed = fisher.transform(X_test)
error = knn_regression_error(fisher.embedding_, y_train, placed, y_test)
panels = {
    "training": (fisher.embedding_, y_train),
    f"held out, error {100 * error:.0f} % of the variance": (placed, y_test),
    "permuted numbers, training": (control.embedding_, shuffled),
}
figure, axes = plt.subplots(1, 3, figsize=(15, 4.6), layout="constrained")
limits = {"vmin": y.min(), "vmax": y.max(), "cmap": "viridis", "s": 18}
for ax, (title, (positions, target)) in zip(axes, panels.items(), strict=True):
    drawn = ax.scatter(*positions.T, c=target, **limits)
    ax.set_title(title, loc="left")
    ax.set_xticks([])
    ax.set_yticks([])
axes[1].set(xlim=axes[0].get_xlim(), ylim=axes[0].get_ylim())
figure.colorbar(drawn, ax=axes, label="progression of diabetes")
plt.show()
