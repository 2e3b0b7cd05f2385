"""
Fisher t-SNE of similarities
============================

Sonar echoes, proteins, voting records and programs are given as matrices of similarities or distances,
not as feature vectors. t-SNE shows which objects are similar (upper row). Fisher t-SNE shows which
differences change the class (lower row). A quarter of the objects (hollow) was held out and placed
without labels; the title gives their error. The error of the training objects would be too optimistic,
because the map was fitted to their labels. This is Fig. 1 of Schulz and Hammer (2016), with those of its
data sets that are available (Patrol and Sonatas are not public), and otherwise with the distances
between the wines of scikit-learn. As in the paper, negative eigenvalues of the similarities are set to
zero first.
"""

import matplotlib.pyplot as plt
import numpy as np
import openTSNE
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import KernelCenterer, scale

from discrimap import FisherTSNE
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.plots import plot_side_by_side

MATRICES = {"aural_sonar": "S", "protein": "D", "voting": "S", "java_sorting": "D_ted"}


def distances(name):
    data = load(name)
    matrix = np.asarray(data.extras[MATRICES[name]], dtype=float)
    if MATRICES[name] != "S":  # distances: the similarities they come from
        matrix = KernelCenterer().fit_transform(-0.5 * matrix**2)
    values, vectors = np.linalg.eigh(matrix)
    features = vectors * np.sqrt(np.maximum(values, 0))
    return pairwise_distances(features), data.class_labels


problems = {}
for name in MATRICES:
    try:
        problems[name] = distances(name)
    except InputError as missing:
        print(f"without {name}: {missing}")
if not problems:
    wine = load("wine")
    problems["wine"] = pairwise_distances(scale(wine.X)), wine.class_labels

figure, axes = plt.subplots(
    2, len(problems), figsize=(5.2 * len(problems), 9), squeeze=False, layout="constrained"
)
for column, (name, (D, y)) in zip(axes.T, problems.items(), strict=True):
    train, test = train_test_split(np.arange(len(y)), test_size=0.25, stratify=y, random_state=0)
    inner, outer = D[np.ix_(train, train)], D[np.ix_(test, train)]
    size = min(30, len(train) // 4)
    plain = openTSNE.TSNE(
        perplexity=size, metric="precomputed", initialization="spectral", random_state=0
    ).fit(inner)
    fisher = FisherTSNE(kernel="precomputed_distance", perplexity=size, random_state=0)
    fisher.fit(inner, y[train])
    maps = {
        f"{name}: t-SNE": np.concatenate([plain, plain.transform(outer)]),
        f"{name}: Fisher t-SNE": np.concatenate([fisher.embedding_, fisher.transform(outer)]),
    }
    order = np.concatenate([train, test])
    plot_side_by_side(maps, y[order], is_test=np.arange(len(y)) >= len(train), axes=column)
    column[1].get_legend().remove()
for ax in axes.flat:
    ax.set_aspect("equal", adjustable="datalim")

plt.show()
