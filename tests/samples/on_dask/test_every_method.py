"""No method loads a Dask collection into memory without an error."""

import dask.array as da
import numpy as np
import pytest

import discrimap
from discrimap.base.linear_projection import LinearProjection
from discrimap.registry import METHODS
from discrimap.samples import drawn_samples
from discrimap.samples.on_dask.dask_input import is_dask
from discrimap.samples.on_dask.runtime import Cluster

OURS = [method for method in METHODS if method.is_ours]
OTHERS = [getattr(discrimap, name) for name in discrimap._OTHER_CLASSES]
# Whatever takes samples after a fit.
ON_SAMPLES = ("transform", "predict", "predict_proba", "decision_function", "score_samples")


@pytest.fixture
def blocks(classes):
    X, y = classes
    return da.from_array(X, chunks=(300, 8)), da.from_array(y, chunks=(300,))


@pytest.fixture
def nothing_is_gathered(monkeypatch):
    """Make it an error to load a whole collection into memory."""

    def gather(*args, **kwargs):
        raise AssertionError("a dask collection was gathered")

    monkeypatch.setattr(da.Array, "__array__", gather)
    monkeypatch.setattr(da.Array, "compute", gather)


@pytest.mark.filterwarnings("ignore:perplexity")
@pytest.mark.parametrize(
    "make",
    [lambda m=m: m.make(2, random_state=0) for m in OURS] + OTHERS,
    ids=[m.name for m in OURS] + [cls.__name__ for cls in OTHERS],
)
def test_a_method_takes_a_collection_or_refuses_it(make, classes, blocks, nothing_is_gathered):
    X, y = classes
    estimator = make()
    if getattr(estimator, "_accepts_dask", False):
        assert estimator.fit(*blocks) is estimator
    else:
        with pytest.raises(TypeError, match=r"does not support Dask collections.*X\.compute\(\)"):
            estimator.fit(*blocks)
        target = y[:200] if getattr(estimator, "method", "") != "sir" else X[:200, 0]
        estimator = make().fit(X[:200], target)
    with pytest.raises(TypeError, match="compute"):
        make().fit(X, blocks[1])
    for name in ON_SAMPLES:
        if not hasattr(estimator, name):
            continue
        if name == "transform" and isinstance(estimator, LinearProjection):
            Z = estimator.transform(blocks[0])
            assert is_dask(Z)
            assert Z.shape == (1200, estimator.transform(X[:5]).shape[1])
        else:
            with pytest.raises(TypeError, match="block by block"):
                getattr(estimator, name)(blocks[0])


def test_the_registry_knows_who_takes_collections():
    for method in OURS:
        assert method.distributed == getattr(method.make(2), "_accepts_dask", False), method.name


@pytest.mark.parametrize("method", [m for m in OURS if m.distributed], ids=lambda m: m.name)
def test_what_reaches_the_client_is_small(method, rng, client, monkeypatch):
    """Apart from drawn samples (at most 100 here), no array has the length of the samples."""
    n_samples = 30_000
    y = rng.integers(0, 4, n_samples)
    X = rng.standard_normal((n_samples, 8)) + 2 * rng.standard_normal((4, 8))[y]
    monkeypatch.setattr(drawn_samples, "MOST_SEARCHED", 100)
    sizes = []
    fetch = Cluster.result

    def measured(self, handle):
        result = fetch(self, handle)
        sizes.append(max((part.size for part in _arrays(result)), default=0))
        return result

    monkeypatch.setattr(Cluster, "result", measured)
    chunks = da.from_array(X, chunks=(5000, 8)), da.from_array(y, chunks=(5000,))
    method.make(2, random_state=0).fit(*chunks)
    assert sizes
    assert max(sizes) < n_samples


def _arrays(result):
    if isinstance(result, np.ndarray):
        yield result
    elif isinstance(result, list | tuple):
        for part in result:
            yield from _arrays(part)
    elif hasattr(result, "__dict__"):
        yield from _arrays(list(vars(result).values()))
