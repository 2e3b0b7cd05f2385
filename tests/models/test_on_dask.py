"""Models that are fitted to Dask collections."""

import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discrimap import SupervisedPCA
from discrimap.errors import InputError
from discrimap.models.on_dask import fit_collection
from discrimap.registry import get_method


@pytest.fixture
def samples(rng):
    """Samples of unequal scales, and a number that depends on the first feature."""
    X = rng.standard_normal((300, 4)) * [1.0, 10.0, 100.0, 1000.0]
    return X, X[:, 0] + 0.1 * rng.standard_normal(300)


def in_chunks(X, y):
    return da.from_array(X, chunks=(100, 4)), da.from_array(y, chunks=(100,))


@pytest.mark.parametrize("scale", [True, False])
def test_a_continuous_target_is_fitted_as_in_memory(samples, scale):
    X, y = samples
    model = fit_collection(*in_chunks(X, y), get_method("spca"), scale=scale)
    steps = [StandardScaler()] if scale else []
    here = make_pipeline(*steps, SupervisedPCA(random_state=0)).fit(X, y)
    expected = here.transform(X)
    assert_allclose(model.transform(X), expected, rtol=0, atol=1e-6 * np.abs(expected).max())
    assert model.classes == []


def test_the_task_decides_whether_whole_numbers_are_classes(samples):
    X, y = samples
    collections = in_chunks(X, np.round(y).astype(int))
    spca = get_method("spca")
    assert fit_collection(*collections, spca, task="regression").classes == []
    assert len(fit_collection(*collections, spca, task="classification").classes) > 2
    with pytest.raises(InputError, match="needs class labels; leave out --task regression"):
        fit_collection(*collections, get_method("plsda"), task="regression")
