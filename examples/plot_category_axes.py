"""
Category space with kernels of three widths
===========================================

Category space gives each class its own axis, orthogonal to all others. In the feature space of a
Gaussian kernel ``exp(-d^2 / (2 sigma^2))``, the samples of a class are closer to its axis if the kernel
is narrower, but more of them are also close to the origin, where they belong to no class. These are
Figs. 1-3 of Smith and Rangarajan (2016): problems with three classes, scaled to the unit cube, with a
medium, a small and a large width. K-CQS and K-CAS are category spaces with the square and the absolute
objective. K-PCA (kernel PCA) and K-MC-FLD (kernel discriminant analysis) use the same kernel, but their
axes do not correspond to classes.

Wine and iris are part of scikit-learn. Vertebral, newthyroid and seeds are drawn as well if they are in
the folder named by the environment variable DISCRIMAP_DATA.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.preprocessing import minmax_scale

from discrimap import KernelCategorySpace, KernelDiscriminantAnalysis
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.plots import plot_category_axes, plot_embedding

problems = []
for name in ("vertebral", "newthyroid", "wine", "iris", "seeds"):
    try:
        problems.append(load(name))
    except InputError as missing:
        print(f"without {name}: {missing}")


def draw(size, sigma):
    height = 3.5 * len(problems) + 0.6
    figure = plt.figure(figsize=(15, height))
    figure.suptitle(f"{size} width of the kernel: sigma = {sigma}", y=1 - 0.15 / height)
    grid = figure.add_gridspec(len(problems), 4, width_ratios=(4, 4, 3, 3), hspace=0.3)
    grid.update(left=0.03, right=0.9, bottom=0.6 / height, top=1 - 0.8 / height, wspace=0.25)
    methods = {
        "K-CQS": KernelCategorySpace("square", sigma=sigma),
        "K-CAS": KernelCategorySpace("absolute", sigma=sigma),
        "K-PCA": KernelPCA(2, kernel="rbf", gamma=1 / (2 * sigma**2)),
        "K-MC-FLD": KernelDiscriminantAnalysis(2, sigma=sigma),
    }
    for row, data in enumerate(problems):
        X, y = minmax_scale(np.asarray(data.X, dtype=float)), data.class_labels
        for column, (name, model) in enumerate(methods.items()):
            Z, title = model.fit(X, y).transform(X), f"{data.name}: {name}"
            if isinstance(model, KernelCategorySpace):
                ax = figure.add_subplot(grid[row, column], projection="3d")
                # Of samples that were fitted: how well the picture separates, no more.
                title += f", {100 * model.score(X, y):.0f} % by angle"
                plot_category_axes(Z, y, ax=ax, title=title)
            else:
                ax = plot_embedding(Z, y, ax=figure.add_subplot(grid[row, column]), title=title)
            if column < 3:
                ax.get_legend().remove()


for size, sigma in {"Medium": 0.4, "Small": 0.1, "Large": 0.8}.items():
    draw(size, sigma)

plt.show()
