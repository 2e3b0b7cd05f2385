"""
Fisher t-SNE compared with t-SNE
================================

t-SNE shows all differences between samples. Fisher t-SNE shows the differences that change the class
probabilities. A quarter of the samples is held out and placed into both maps without labels; use their
error to compare the maps. Fisher t-SNE of permuted labels shows what the method separates if there is
nothing to find.
"""

import matplotlib.pyplot as plt
import numpy as np
import openTSNE
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from discrimap import FisherMetric, FisherTSNE
from discrimap.plots import plot_metric_ellipses, plot_side_by_side

data = load_wine()
train, test = train_test_split(
    np.arange(len(data.target)), test_size=0.25, stratify=data.target, random_state=0
)
scaler = StandardScaler().fit(data.data[train])
X = scaler.transform(np.concatenate([data.data[train], data.data[test]]))
y = data.target_names[np.concatenate([data.target[train], data.target[test]])]
is_test = np.arange(len(y)) >= len(train)

plain = openTSNE.TSNE(perplexity=30, random_state=0).fit(X[~is_test])
fisher = FisherTSNE(random_state=0).fit(X[~is_test], y[~is_test])
maps = {
    "t-SNE": np.concatenate([plain, plain.transform(X[is_test])]),
    "Fisher t-SNE": fisher.transform(X),
}
for ax in plot_side_by_side(maps, y, is_test=is_test):
    ax.set_aspect("equal", adjustable="datalim")
print(f"Fisher t-SNE, another held-out quarter: {100 * fisher.held_out_error_:.1f} %")

# %%
# The same with permuted labels. The training points may still be separated, but the held-out points are not.

shuffled = np.random.default_rng(0).permutation(y)
control = FisherTSNE(random_state=0).fit(X[~is_test], shuffled[~is_test])
cross_fitted = FisherTSNE(metric=FisherMetric(cross_fit=True), random_state=0)
# Cross-fitted, all points are drawn and none is placed with the help of its own label.
figure, axes = plt.subplots(1, 2, figsize=(12.4, 4.6), layout="constrained")
plot_side_by_side(
    {"permuted labels": control.transform(X)}, shuffled, is_test=is_test, axes=axes[:1]
)
plot_side_by_side(
    {"permuted labels, cross-fitted": cross_fitted.fit_transform(X, shuffled)},
    shuffled,
    axes=axes[1:],
)
for ax in axes:
    ax.set_aspect("equal", adjustable="datalim")

# %%
# The metric in two of the features. The ellipses are points at the same Fisher distance from their
# centres. They are short across a border between classes, and long along it and where one class is certain.

pair = [data.feature_names.index(name) for name in ("flavanoids", "color_intensity")]
plane = X[:, pair]
metric = FisherMetric().fit(plane, y)
low, high = plane.min(axis=0), plane.max(axis=0)
grid = np.stack(np.meshgrid(*(np.linspace(a, b, 14) for a, b in zip(low, high, strict=True))), -1)
grid = grid.reshape(-1, 2)
axes = plot_side_by_side({"Fisher metric of flavanoids and colour intensity": plane}, y)
plot_metric_ellipses(grid, metric.information(grid), ax=axes[0])
axes[0].set(xlabel="flavanoids (standardised)", ylabel="colour intensity (standardised)")
plt.show()
