"""
Classes move to their axes as the kernel narrows
================================================

Category space gives each class an axis of its own, orthogonal to all others. In the feature space
of a Gaussian kernel ``exp(-d^2 / (2 sigma^2))`` there is room for that: the narrower the kernel,
the closer the samples of a class lie to its axis, and the more of them shrink towards the origin,
where no class claims them. These are Figs. 1-3 of Smith and Rangarajan (2016): a narrow, a medium
and a wide kernel on three-class problems, all scaled to the unit cube.

Wine and iris come with scikit-learn. With the research data sets at hand (the folder named by the
environment variable DISCRIMAP_DATA) vertebral, newthyroid and seeds are drawn too.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import minmax_scale

from discrimap import KernelCategorySpace
from discrimap.datasets import load
from discrimap.errors import InputError
from discrimap.plots import plot_category_axes

WIDTHS = (0.1, 0.4, 0.8)

problems = []
for name in ("vertebral", "newthyroid", "wine", "iris", "seeds"):
    try:
        problems.append((name, load(name)))
    except InputError as missing:
        print(f"without {name}: {missing}")

# %%
# One row per data set, one column per width. The accuracy is that of the angle classifier on the
# samples drawn, which were also fitted: it says how well the picture separates, no more.

figure = plt.figure(figsize=(11, 3.6 * len(problems)))
for row, (name, data) in enumerate(problems):
    X = minmax_scale(np.asarray(data.X, dtype=float))
    for column, sigma in enumerate(WIDTHS):
        space = KernelCategorySpace(sigma=sigma).fit(X, data.y)
        ax = figure.add_subplot(
            len(problems), len(WIDTHS), row * len(WIDTHS) + column + 1, projection="3d"
        )
        plot_category_axes(
            space.transform(X),
            data.y,
            ax=ax,
            title=f"{name}, sigma {sigma}: {100 * space.score(X, data.y):.0f} % by angle",
        )
        ax.view_init(elev=25, azim=40)
        if column < len(WIDTHS) - 1:
            ax.get_legend().remove()
figure.subplots_adjust(left=0.05, right=0.86, bottom=0.04, top=0.95, wspace=0.15, hspace=0.25)

plt.show()
