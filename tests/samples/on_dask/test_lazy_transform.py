import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from discrimap import PLSDA, LocalityPreservingProjections


@pytest.fixture
def fitted(classes):
    return PLSDA(2).fit(*classes)


def test_an_array_is_mapped_block_by_block_when_asked_for(classes, fitted, tmp_path):
    X, _ = classes
    looked_at = []

    def look(block):
        looked_at.append(len(block))
        return block

    blocks = da.from_array(X, chunks=((500, 0, 700), 5)).map_blocks(look, dtype=X.dtype, meta=X[:0])
    Z = fitted.transform(blocks)
    assert isinstance(Z, da.Array)
    assert Z.chunks == ((500, 0, 700), (2,))
    assert looked_at == []
    Z = Z.rechunk((700, 2))  # Zarr wants equal chunks
    Z.to_zarr(str(tmp_path / "map.zarr"))
    assert_allclose(da.from_zarr(str(tmp_path / "map.zarr")).compute(), fitted.transform(X))
    assert len(looked_at) > 0


# Of dask and pandas among themselves, not of ours.
@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.filterwarnings("ignore:An error occurred while calling the read_parquet")
def test_a_dataframe_streams_to_parquet(classes, place, tmp_path):
    X, y = classes
    table = pd.DataFrame(X.astype(np.float32), columns=list("stuvwxyz"))
    plsda = PLSDA(2).fit(table, y)
    Z = plsda.transform(dd.from_pandas(table, npartitions=4))
    assert list(Z.columns) == ["plsda0", "plsda1"]
    Z.to_parquet(tmp_path / "map")
    there = dd.read_parquet(tmp_path / "map").compute()
    assert_allclose(there.to_numpy(), plsda.transform(table), rtol=1e-5)
    assert there.to_numpy().dtype == np.float32


def test_every_linear_method_maps_blocks(classes):
    X, _y = classes
    lpp = LocalityPreservingProjections().fit(X[:200])
    Z = lpp.transform(da.from_array(X, chunks=(400, 8)))
    assert_allclose(Z.compute(), lpp.transform(X))


def test_another_number_of_features_is_refused_before_any_work(classes, fitted):
    X, _ = classes
    with pytest.raises(ValueError, match="X has 5 features, but PLSDA is expecting 8"):
        fitted.transform(da.from_array(X[:, :5], chunks=(400, 5)))
