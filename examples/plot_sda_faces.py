"""
A map of faces
==============

RSDA of the Olivetti faces, drawn with the images themselves, as in Fig. 8 of Juuti, Corona and Karhunen
(2018). Images without a border are training samples. Images with a border are held out: the border is
blue if the nearest training image shows the same person, and orange otherwise. Forty persons overlap in
two dimensions, but light and dark faces, glasses and beards are in different regions. Without Olivetti,
the digits of scikit-learn are drawn.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from discrimap import StochasticDiscriminantAnalysis
from discrimap.datasets import load
from discrimap.errors import InputError

try:
    data, side = load("olivetti"), 64
except InputError as missing:
    print(f"digits instead of Olivetti faces: {missing}")
    data, side = load("digits"), 8
X, y = np.asarray(data.X, dtype=float)[:400], np.asarray(data.y)[:400]
train, test = train_test_split(np.arange(len(y)), test_size=1 / 3, stratify=y, random_state=0)
scaler = StandardScaler().fit(X[train])

model = StochasticDiscriminantAnalysis(alpha="cv", random_state=0)
Z_train = model.fit_transform(scaler.transform(X[train]), y[train])
Z_test = model.transform(scaler.transform(X[test]))
nearest = KNeighborsClassifier(n_neighbors=1).fit(Z_train, y[train])
is_right = nearest.predict(Z_test) == y[test]
print(f"alpha {model.alpha_:.2g}, held-out accuracy {is_right.mean():.3f}")

# %%
# Held-out pictures are drawn last, so that none is hidden.

figure, ax = plt.subplots(figsize=(12, 11), layout="constrained")
colors = ["none"] * len(train) + ["#0072B2" if right else "#D55E00" for right in is_right]
order = np.concatenate([train, test])
for place, row, color in zip(np.concatenate([Z_train, Z_test]), order, colors, strict=True):
    picture = OffsetImage(X[row].reshape(side, side), zoom=26 / side, cmap="gray")
    frame = {"edgecolor": color, "linewidth": 2, "boxstyle": "square,pad=0"}
    ax.add_artist(AnnotationBbox(picture, place, bboxprops=frame, pad=0, frameon=color != "none"))
ax.update_datalim(np.concatenate([Z_train, Z_test]))
ax.margins(0.05)
ax.autoscale()
ax.set_aspect("equal", adjustable="datalim")
ax.set(xlabel="first component", ylabel="second component")
ax.set_title(f"{data.name}: {100 * is_right.mean():.0f} % of the held-out pictures are right")

plt.show()
