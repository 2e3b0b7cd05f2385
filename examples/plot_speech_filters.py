"""
What the components of speech listen to
=======================================

Feature exploration as in Sec. V-G of "Discriminative components of data" (Figs. 4 and 5): the
LVQ_PAK features are cepstral coefficients, cosine transforms of the logarithmic spectrum of short
pieces of Finnish speech. A component is a weighted sum of them, so it is itself a filter of the
spectrum. Phonemes are drawn over pairs of components: where one of them stands apart, the filter of
that component tells what makes it so.

Needs ``lvqpak.npz`` in the folder named by the variable DISCRIMAP_DATA. The filters are drawn over
the mel scale of the cosine transform; the paper's axis in hertz needs its filter bank, which is not
part of the data.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from discrimap import DiscriminativeComponents, feature_contributions
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.plots import plot_embedding, plot_loadings


def draw(data):
    _, positions, counts = np.unique(data.y, return_inverse=True, return_counts=True)
    is_frequent = counts[positions] >= 80  # the 13 phonemes of the paper
    X, y = np.asarray(data.X, dtype=np.float64)[is_frequent], data.class_labels[is_frequent]
    train, test, y_train, y_test = train_test_split(
        X, y, test_size=1 / 3, stratify=y, random_state=0
    )
    model = DiscriminativeComponents(5, bandwidth=4.8, ordered=True).fit(train, y_train)
    print(f"mutual information with the phonemes: {model.mutual_information_:.2f} nats")

    # Fig. 4: held-out phonemes over pairs of components.
    Z = model.transform(test)
    _, axes = plt.subplots(1, 3, figsize=(18, 5.2), layout="constrained")
    for ax, (first, second) in zip(axes, ((0, 1), (2, 3), (3, 4)), strict=True):
        plot_embedding(Z[:, [first, second]], y_test, ax=ax)
        ax.set(xlabel=f"component {first + 1}", ylabel=f"component {second + 1}")

    # Fig. 5: a weight w on cepstral coefficient k is the filter w cos(pi k f), f from 0 to 1.
    mel = np.linspace(0, 1, 200)
    cosines = np.cos(np.pi * np.outer(np.arange(1, X.shape[1] + 1), mel))
    _, axes = plt.subplots(2, 3, figsize=(11, 6), layout="constrained")
    for k, (ax, response) in enumerate(zip(axes.flat, model.components_ @ cosines, strict=False)):
        ax.axhline(0, color="0.7", linewidth=0.8)
        ax.plot(mel, response)
        ax.set(title=f"component {k + 1}", xlabel="frequency (mel, 0 to 1)", ylabel="response")
    contributions = feature_contributions(model, train)
    names = [f"cepstral {k}" for k in range(1, X.shape[1] + 1)]
    plot_loadings(contributions.loadings[0], names, top=8, ax=axes.flat[5], title="component 1")


try:
    draw(load("lvqpak"))
except InputError as missing:
    print(f"nothing to draw: {missing}")

plt.show()
