"""The Fisher information matrix at points of a vector space."""

import numpy as np


def parzen_information(field, exponents, centres):
    """Fisher information J(x) of a Parzen posterior, Eqs. (1), (4)-(6) of Schulz and Hammer (2016).

    ``J = sum_c p_c b_c b_c' / sigma^4``, where ``b_c`` is the mean of the centres of class c minus
    the mean of all centres, both weighted by the Gaussians at x. Costs O(n m p + n C p^2) for C
    classes.

    Parameters
    ----------
    field : ParzenField
        The posterior.
    exponents : ndarray of shape (n, m)
        The points, in the representation of the field.
    centres : ndarray of shape (m, p)
        Coordinates of the centres.

    Returns
    -------
    information : ndarray of shape (n, p, p)
    """
    posterior, class_means = field.class_means(exponents, centres)
    offsets = class_means - np.einsum("cn,cnp->np", posterior, class_means)
    scaled = np.sqrt(posterior)[:, :, None] * offsets / field.bandwidth**2
    return np.einsum("cnp,cnq->npq", scaled, scaled)


def classifier_information(field, points):
    """Fisher information J(x) of a classifier, by central differences.

    ``J = 4 sum_c grad(sqrt p_c) grad(sqrt p_c)'``. Costs 2 p predictions per point for p features.
    J is zero for piecewise constant posteriors, such as those of decision trees.
    """
    step = np.finfo(np.float64).eps ** (1 / 3) * np.maximum(1, np.abs(points))
    roots = np.empty((points.shape[1], field.n_classes, len(points)))
    for feature in range(points.shape[1]):
        ahead, behind = points.astype(np.float64), points.astype(np.float64)
        ahead[:, feature] += step[:, feature]
        behind[:, feature] -= step[:, feature]
        difference = np.sqrt(field.posterior(ahead)) - np.sqrt(field.posterior(behind))
        roots[feature] = difference / (2 * step[:, feature])
    return 4 * np.einsum("pcn,qcn->npq", roots, roots).astype(points.dtype)
