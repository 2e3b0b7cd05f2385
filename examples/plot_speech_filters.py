"""
Components of speech as filters of the spectrum
===============================================

Feature exploration as in Sec. V-G of Peltonen and Kaski (2005). The LVQ_PAK features are cepstral
coefficients, cosine transforms of the logarithmic spectrum of short pieces of Finnish speech. A
component is a weighted sum of them, so it is a filter of the spectrum. The first figure shows phonemes
over pairs of components, as in Fig. 4 (``[`` is the vowel of "cat", ``#`` is silence). If a phoneme is
separated along a component, the filter of this component, as in Fig. 5, shows which frequencies
distinguish it.

Without ``lvqpak.npz`` in the folder named by the variable DISCRIMAP_DATA, the samples are the digits of
scikit-learn, and the filters are weights of their 8 x 8 pixels. The filters of speech are drawn over the
mel scale of the cosine transform; the paper's axis in hertz needs its filter bank, which is not part of
the data.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from discrimap import DiscriminativeComponents, feature_contributions
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.plots import plot_embedding, plot_loadings

try:
    data = load("lvqpak")
except InputError as missing:
    print(f"digits instead of speech: {missing}")
    data = load("digits")
_, positions, counts = np.unique(data.y, return_inverse=True, return_counts=True)
is_frequent = counts[positions] >= 80  # the 13 phonemes of the paper, or all ten digits
X, y = np.asarray(data.X, dtype=np.float64)[is_frequent], data.class_labels[is_frequent]
train, test, y_train, y_test = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=0)
model = DiscriminativeComponents(5, ordered=True, random_state=0).fit(train, y_train)
print(f"mutual information with the classes: {model.mutual_information_:.2f} nats")

# %%
# Held-out samples over pairs of components, as in Fig. 4.

Z = model.transform(test)
figure, axes = plt.subplots(1, 3, figsize=(18, 5.6), layout="constrained")
figure.suptitle(f"{data.name}, samples held out")
for ax, pair in zip(axes, ([0, 1], [1, 2], [1, 3]), strict=True):
    plot_embedding(Z[:, pair], y_test, ax=ax)
    ax.set(xlabel=f"component {pair[0] + 1}", ylabel=f"component {pair[1] + 1}")
for ax in axes[:-1]:
    ax.get_legend().remove()

# %%
# The components as filters, as in Fig. 5, and the features that weigh most in the first. A weight w
# on cepstral coefficient k is the filter w cos(pi k f), f from 0 to 1.

figure, axes = plt.subplots(2, 3, figsize=(12, 6.5), layout="constrained")
figure.suptitle(f"{data.name}, filters" + (": purple adds" if data.name == "digits" else ""))
mel = np.linspace(0, 1, 200)
cosines = np.cos(np.pi * np.outer(np.arange(1, X.shape[1] + 1), mel))
for k, (ax, weights) in enumerate(zip(axes.flat, model.components_, strict=False), start=1):
    ax.set_title(f"component {k}")
    if data.name == "lvqpak":
        ax.axhline(0, color="0.7", linewidth=0.8)
        ax.plot(mel, weights @ cosines, color="#0072B2")
        ax.set(xlabel="frequency (mel, 0 to 1)", ylabel="response")
    else:
        largest = abs(weights).max()
        ax.imshow(weights.reshape(8, 8), cmap="PuOr", vmin=-largest, vmax=largest)
        ax.set_axis_off()
loadings = feature_contributions(model, train).loadings[0]
names = data.feature_names or [f"cepstral {k}" for k in range(1, X.shape[1] + 1)]
plot_loadings(loadings, names, top=8, ax=axes.flat[5], title="component 1, largest weights")

plt.show()
