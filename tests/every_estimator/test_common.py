"""scikit-learn's own checks, and the conventions of this package, on every registered method."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

import discrimap
from discrimap.costs import Shape
from discrimap.registry import METHODS, get_method

OURS = [method for method in METHODS if method.is_ours]
# Public classes beside the methods, at their defaults.
OTHERS = [getattr(discrimap, name)() for name in discrimap._OTHER_CLASSES]
# Comparisons search its penalty where features are many; by default it has none.
OTHERS.append(discrimap.StochasticDiscriminantAnalysis(random_state=0))
OTHERS.append(discrimap.StochasticDiscriminantAnalysis(normalisation="rows", random_state=0))
LINEAR = [method for method in OURS if method.family == "linear"]
by_name = pytest.mark.parametrize("method", OURS, ids=lambda method: method.name)
by_linear_name = pytest.mark.parametrize("method", LINEAR, ids=lambda method: method.name)


FREE = [method for method in LINEAR if method.fixed_components is None]
SUPERVISED = [method for method in OURS if method.supervised]
by_supervised_name = pytest.mark.parametrize("method", SUPERVISED, ids=lambda method: method.name)
by_free_name = pytest.mark.parametrize("method", FREE, ids=lambda method: method.name)

# Checks whose data a method refuses for a stated reason, or whose demand contradicts what the
# method is. Each must really fail: an entry that passes is an error. scikit-learn has no tag for
# "at least as many features as classes"; with fewer axes than classes, a class would have no
# coordinate and could never be predicted, so the refusal, which names the remedy, is kept.
TOO_FEW_FEATURES = "uses 3 classes in 2 features: there is no room for 3 orthogonal axes"
EXPECTED_FAILURES = {
    "CategorySpace": {
        "check_estimators_overwrite_params": TOO_FEW_FEATURES,
        "check_estimators_fit_returns_self": TOO_FEW_FEATURES,
        "check_readonly_memmap_input": TOO_FEW_FEATURES,
        "check_classifiers_classes": TOO_FEW_FEATURES,
        "check_classifiers_train": TOO_FEW_FEATURES,
        "check_class_weight_classifiers": TOO_FEW_FEATURES,
    },
    "KernelCategorySpace": {
        "check_class_weight_classifiers": "asks that a weight of 1000 makes a class win every "
        "prediction; here weights shape the axes and are no prior of the angle classifier",
    },
}


def expected_failures(estimator):
    return EXPECTED_FAILURES.get(type(estimator).__name__, {})


# The checks fit some twenty samples, which bear no perplexity of 30; that fit says so is right.
@pytest.mark.filterwarnings("ignore:perplexity=30 exceeds a third:UserWarning")
@parametrize_with_checks(
    # SIR has one direction less than slices, and the checks have two classes.
    [method.make(2 if method.classes else 1, random_state=0) for method in OURS] + OTHERS,
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def n_components_on_iris(method):
    shape = Shape(n_samples=150, n_features=4, n_classes=3, n_components=2)
    return method.fixed_components(shape) if method.fixed_components else 2


@by_linear_name
def test_transform_is_the_centred_product_with_the_components(method):
    X, y = load_iris(return_X_y=True)
    estimator = method.make(random_state=0).fit(X, y)
    Z = estimator.transform(X)
    assert estimator.components_.shape == (n_components_on_iris(method), 4)
    assert_allclose(Z, (X - estimator.mean_) @ estimator.components_.T, atol=1e-10)
    assert_allclose(estimator.transform(estimator.inverse_transform(Z)), Z, atol=1e-8)


@by_name
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_set_output_names_the_columns(method, container):
    X, y = load_iris(return_X_y=True)
    estimator = method.make(random_state=0).set_output(transform=container)
    columns = list(estimator.fit(X, y).transform(X).columns)
    assert columns == list(estimator.get_feature_names_out())
    assert columns[0] == f"{type(estimator).__name__.lower()}0"


@by_name
def test_float32_stays_float32(method):
    X, y = load_iris(return_X_y=True)
    estimator = method.make(random_state=0).fit(X.astype(np.float32), y)
    assert estimator.transform(X.astype(np.float32)).dtype == np.float32


@by_supervised_name
def test_text_labels_give_the_same_map(method):
    X, y = load_iris(return_X_y=True)
    plain = method.make(random_state=0).fit(X, y)
    named = method.make(random_state=0).fit(X, np.array(["a", "b", "c"])[y])
    assert list(named.classes_) == ["a", "b", "c"]
    assert_allclose(named.transform(X), plain.transform(X))


@by_supervised_name
def test_a_number_is_no_matrix(method):
    with pytest.raises(ValueError, match="Expected 2D array, got scalar array"):
        method.make().fit(np.array(3.0), [0, 1])


@by_supervised_name
def test_one_class_is_refused(method):
    X, _ = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="one class"):
        method.make().fit(X, np.zeros(len(X), dtype=int))


@by_free_name
def test_too_many_components_are_refused_with_both_numbers(method):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"n_components=9 exceeds n_features=4"):
        method.make(n_components=9).fit(X, y)


def test_an_unknown_method_lists_the_known_ones():
    with pytest.raises(ValueError, match="pca, lda, nca"):
        get_method("sdaa")
