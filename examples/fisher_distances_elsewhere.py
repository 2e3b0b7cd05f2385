"""
Fisher distances in other methods: k-NN, Isomap, MDS and UMAP
=============================================================

``FisherMetric`` computes distances that can be used by any method with precomputed distances.
``distances_to`` gives the distances of new points and needs no labels.
"""

import warnings

import numpy as np
from sklearn.datasets import load_wine
from sklearn.manifold import MDS, Isomap
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from discrimap import FisherMetric
from discrimap.metrics import knn_error

X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
scaler = StandardScaler().fit(X_train)
X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)

metric = FisherMetric(path="graph").fit(X_train, y_train)
among, to_new = metric.distances(), metric.distances_to(X_test)

knn = KNeighborsClassifier(5, metric="precomputed").fit(among, y_train)
print(f"k-NN, held out: {100 * (1 - knn.score(to_new, y_test)):.1f} % wrong")

with warnings.catch_warnings():
    # Classes that are told apart without doubt are not neighbours of each other.
    warnings.filterwarnings("ignore", "The number of connected components", UserWarning)
    isomap = Isomap(n_neighbors=20, metric="precomputed").fit(among)
error = knn_error(isomap.embedding_, y_train, isomap.transform(to_new), y_test, n_neighbors=1)
print(f"Isomap, held out: {100 * error:.1f} % wrong")

# MDS places no new points: all samples are embedded together, from cross-fitted distances, so that
# no label helps to place its own sample.
honest = FisherMetric(cross_fit=True, random_state=0).fit(scaler.transform(X), y).distances()
mds = MDS(n_init=1, init="random", metric="precomputed", random_state=0)
print("MDS:", mds.fit_transform(honest).shape)

try:
    import umap
except ImportError:
    print("UMAP is not installed (pip install umap-learn)")
else:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # UMAP's remarks on precomputed distances and threads
        reducer = umap.UMAP(metric="precomputed", random_state=0).fit(among)
        placed = reducer.transform(to_new)
    error = knn_error(np.asarray(reducer.embedding_), y_train, placed, y_test, n_neighbors=1)
    print(f"UMAP, held out: {100 * error:.1f} % wrong")
