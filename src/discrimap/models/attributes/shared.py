"""Attributes and checks that methods of several subpackages share."""

from __future__ import annotations

from discrimap.models.archive import DamagedError
from discrimap.models.fields import Array, Labels, Number, Text

# Limits of widths: the squares, and the inverses of the squares, are finite and not zero.
NARROWEST, WIDEST = 1e-150, 1e150

CLASSES = {"classes_": Labels()}
MAYBE_CLASSES = {"classes_": Labels(absent=True)}
LINEAR = {
    "mean_": Array(("features",)),
    "components_": Array(("components", "features")),
}
EIGENVALUES = {"eigenvalues_": Array(("components",), finite=False)}
DESCENT = {
    "objective_": Number(finite=False),
    "loss_curve_": Array(("any",), finite=False),
    "n_iter_": Number(whole=True),
    "stopping_reason_": Text(),
}
KERNEL = {
    "landmark_indices_": Array(("landmarks",), "i", above=-1),
    "landmarks_": Array(("landmarks", "features"), none=True),
    "sigma_": Number(NARROWEST, WIDEST, none=True),
    "dual_coef_": Array(("components", "landmarks")),
    "offset_": Array(("components",)),
}


def finish_linear(estimator, values, reader):
    """Check the number of components after a linear method has been loaded."""
    check_components(estimator, len(estimator.components_))


def check_components(estimator, n_components):
    """Raise an error if the number of components differs from the parameter ``n_components``."""
    wanted = estimator.get_params(deep=False).get("n_components")
    if isinstance(wanted, int) and wanted != n_components:
        raise DamagedError(f"n_components is {wanted}, but there are {n_components}")


def finish_kernel(estimator, values, reader):
    """Raise an error if the landmarks do not match the kernel and the number of features."""
    check_components(estimator, len(estimator.dual_coef_))
    n_features, n_landmarks = reader.lengths["features"], reader.lengths["landmarks"]
    if estimator.kernel != "precomputed":
        if estimator.landmarks_ is None:
            raise DamagedError(
                "a kernel that is not precomputed needs the features of its landmarks"
            )
    elif estimator.n_landmarks is None and n_landmarks != n_features:
        raise DamagedError(f"{n_features} similarities do not match {n_landmarks} landmarks")
    elif estimator.landmark_indices_.max() >= n_features:
        raise DamagedError(f"the index of a landmark exceeds the {n_features} similarities")
