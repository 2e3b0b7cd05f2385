"""
Discriminative projections of digits, compared with LDA and LPP
===============================================================

Locality preserving projections (LPP) keep neighbours together and do not use the classes. LDA uses only
the classes. Discriminative projections use both, and unlike in LDA, the number of components is not
limited by the number of classes. This is Fig. 2 of Wang and Mahadevan: three and two components of
handwritten digits. The data are USPS if available, and otherwise the digits of scikit-learn. Hollow
markers are held-out samples.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split

from discrimap import DiscriminativeProjections, LocalityPreservingProjections
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.metrics import knn_error
from discrimap.plots import plot_embedding

try:
    data = load("usps")
except InputError as missing:
    print(f"digits instead of USPS: {missing}")
    data = load("digits")
train, test, y_train, y_test = train_test_split(
    np.asarray(data.X, dtype=float), data.y, train_size=1200, stratify=data.y, random_state=0
)
test, y_test = test[:400], y_test[:400]
y = np.concatenate([y_train, y_test])
is_test = np.arange(len(y)) >= len(train)

methods = {
    "discriminative projections": lambda d: DiscriminativeProjections(d),
    "LDA": lambda d: LinearDiscriminantAnalysis(n_components=d),
    "LPP": lambda d: LocalityPreservingProjections(d),
}
figure = plt.figure(figsize=(15, 9.5), layout="constrained")
figure.suptitle(data.name)
for column, (name, make) in enumerate(methods.items()):
    for row, dimension in enumerate((3, 2)):
        model = make(dimension).fit(train, y_train)
        Z = np.concatenate([model.transform(train), model.transform(test)])
        Z /= Z.std(axis=0)  # for the eye: the methods scale their components differently
        error = knn_error(Z[~is_test], y_train, Z[is_test], y_test, n_neighbors=1)
        ax = figure.add_subplot(
            2, 3, 3 * row + column + 1, projection="3d" if dimension == 3 else None
        )
        title = f"{name}, {dimension}-D: held-out error {100 * error:.0f} %"
        plot_embedding(Z, y, is_test=is_test, ax=ax, title=title)
        if column < 2:
            ax.get_legend().remove()

plt.show()
