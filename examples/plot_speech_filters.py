"""
What the components of speech listen to
=======================================

Feature exploration as in Sec. V-G of "Discriminative components of data": the LVQ_PAK features are
cepstral coefficients, cosine transforms of the logarithmic spectrum of short pieces of Finnish
speech. A component is a weighted sum of them, so it is itself a filter of the spectrum, which this
script draws, beside the features that contribute most.

Needs ``lvqpak.npz`` in the folder named by the variable DISCRIMAP_DATA. The filters are drawn over
the mel scale of the cosine transform; the paper's axis in hertz needs its filter bank, which is not
part of the data.
"""

import matplotlib.pyplot as plt
import numpy as np

from discrimap import DiscriminativeComponents, feature_contributions
from discrimap.datasets import load
from discrimap.plots import plot_loadings

data = load("lvqpak")
_, positions, counts = np.unique(data.y, return_inverse=True, return_counts=True)
is_frequent = counts[positions] >= 80  # the 13 phonemes of the paper
X, y = np.asarray(data.X, dtype=np.float64)[is_frequent], data.y[is_frequent]

model = DiscriminativeComponents(5, bandwidth=4.8, ordered=True).fit(X, y)
print(f"mutual information with the phonemes: {model.mutual_information_:.2f} nats")

# A weight w on cepstral coefficient k is the filter w cos(pi k f), f from 0 to 1 on the mel scale.
mel = np.linspace(0, 1, 200)
cosines = np.cos(np.pi * np.outer(np.arange(1, X.shape[1] + 1), mel))
filters = model.components_ @ cosines

figure, axes = plt.subplots(2, 3, figsize=(11, 6), layout="constrained")
for k, (ax, response) in enumerate(zip(axes.flat, filters, strict=False)):
    ax.axhline(0, color="0.7", linewidth=0.8)
    ax.plot(mel, response)
    ax.set(title=f"component {k + 1}", xlabel="frequency (mel, 0 to 1)", ylabel="response")

contributions = feature_contributions(model, X)
names = [f"cepstral {k}" for k in range(1, X.shape[1] + 1)]
plot_loadings(contributions.loadings[0], names, top=8, ax=axes.flat[5], title="component 1")

plt.show()
