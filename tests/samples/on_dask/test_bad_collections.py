import subprocess
import sys

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from discrimap import (
    PLSDA,
    CategorySpace,
    FisherTSNE,
    KernelDiscriminantAnalysis,
    LeastSquaresLDA,
    StochasticDiscriminantAnalysis,
    SupervisedPCA,
)


@pytest.fixture
def blocks(classes):
    X, y = classes
    return da.from_array(X, chunks=(500, 8)), da.from_array(y, chunks=(500,))


def refused(error, *words, fit):
    with pytest.raises(error) as caught:
        fit()
    for word in words:
        assert word in str(caught.value)


def test_results_of_a_cluster_without_a_client_are_refused(blocks, monkeypatch):
    monkeypatch.setattr("discrimap.samples.on_dask.collection.holds_futures", lambda array: True)
    monkeypatch.setattr("discrimap.samples.on_dask.runtime._active_client", lambda: None)
    words = ("holds results of a cluster", "distributed.Client(address)")
    refused(ValueError, *words, fit=lambda: SupervisedPCA().fit(*blocks))


@pytest.mark.parametrize(("what", "value"), [("NaN", np.nan), ("infinity", np.inf)])
def test_a_bad_value_is_named_by_chunk_and_column(blocks, place, what, value):
    X, y = blocks
    bad = X.compute()
    bad[[1150, 700], [2, 5]] = value
    bad = da.from_array(bad, chunks=(500, 8))
    words = (f"X contains {what} in chunk 1, column 5", "row 700")
    refused(ValueError, *words, fit=lambda: PLSDA().fit(bad, y))


def test_a_bad_value_is_named_by_the_column_of_a_dataframe(classes):
    X, y = classes
    table = pd.DataFrame(X, columns=list("stuvwxyz"))
    table.iloc[900, 3] = np.nan
    table = dd.from_pandas(table, npartitions=3)
    words = ("chunk 2, column 3 ('v')",)
    refused(ValueError, *words, fit=lambda: PLSDA().fit(table, y))


def test_unknown_chunk_sizes_of_an_array_name_the_command(blocks):
    X, y = blocks
    unknown = X[y >= 0]
    words = ("X = X.compute_chunk_sizes()",)
    refused(ValueError, *words, fit=lambda: PLSDA().fit(unknown, y))
    refused(ValueError, "y = y.compute_chunk_sizes()", fit=lambda: PLSDA().fit(X, y[y >= 0]))
    assert np.isnan(unknown.chunks[0][0])  # the user's collection is left as it was


def test_labels_follow_the_chunks_of_the_samples(blocks, assert_same_fit):
    X, y = blocks
    usual = PLSDA().fit(X, y)
    assert_same_fit(usual, PLSDA().fit(X, y.rechunk((70,))))
    assert_same_fit(usual, PLSDA().fit(X.rechunk((500, 3)), y.compute().tolist()))


def test_lengths_must_agree(blocks):
    X, y = blocks
    words = ("inconsistent numbers of samples", "1200", "1100")
    refused(ValueError, *words, fit=lambda: PLSDA().fit(X, y[:1100]))
    refused(ValueError, *words, fit=lambda: PLSDA().fit(X, np.zeros(1100)))


def test_objects_are_refused(blocks):
    X, y = blocks
    refused(ValueError, "dtype object", "astype", fit=lambda: PLSDA().fit(X.astype(object), y))
    table = dd.from_pandas(pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]}), npartitions=1)
    refused(ValueError, "not numbers: b", fit=lambda: PLSDA().fit(table, [0, 1]))


@pytest.mark.parametrize(
    ("labels", "word"),
    [
        (np.linspace(0, 1, 1200), "Unknown label type: continuous"),
        (np.where(np.arange(1200) == 800, np.nan, 1.0), "NaN in chunk 1"),
        (np.array(["a", None] * 600, dtype=object), "None among text in chunk 0"),
        (np.zeros(1200, dtype=int), "one class only"),
    ],
)
def test_labels_that_are_no_classes_are_refused(blocks, labels, word):
    X, _ = blocks
    refused(ValueError, word, fit=lambda: PLSDA().fit(X, da.from_array(labels, chunks=(500,))))


@pytest.mark.parametrize(
    ("estimator", "word"),
    [
        (StochasticDiscriminantAnalysis(4), "at most 3"),
        (StochasticDiscriminantAnalysis(engine="exact"), "engine='auto'"),
        (StochasticDiscriminantAnalysis(solver="sd"), "solver='lbfgs'"),
        (StochasticDiscriminantAnalysis(normalisation="rows"), "pass 'pairs'"),
        (CategorySpace("absolute"), "objective='square'"),
        (SupervisedPCA(target="continuous", target_kernel="delta"), "'linear' or 'rbf'"),
    ],
)
def test_what_cannot_be_distributed_names_the_alternative(blocks, estimator, word):
    refused(ValueError, word, fit=lambda: estimator.fit(*blocks))


@pytest.mark.parametrize("estimator", [FisherTSNE(), KernelDiscriminantAnalysis()])
def test_other_methods_refuse_dask_and_name_those_that_take_it(blocks, estimator):
    words = (type(estimator).__name__, "X.compute()", "StochasticDiscriminantAnalysis", "PLSDA")
    refused(TypeError, *words, fit=lambda: estimator.fit(*blocks))


def test_mixtures_of_memory_and_blocks(blocks):
    X, y = blocks
    refused(TypeError, "y.compute()", fit=lambda: PLSDA().fit(X.compute(), y))
    refused(TypeError, "partial_fit", fit=lambda: LeastSquaresLDA().partial_fit(X, y))
    sda = StochasticDiscriminantAnalysis()
    refused(ValueError, "sample_weight", fit=lambda: sda.fit(X, y, np.ones(1200)))


def test_dask_is_imported_by_those_who_use_it():
    program = "import sys, discrimap; discrimap.PLSDA; print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert answer.returncode == 0
    assert not {"dask", "distributed"} & set(answer.stdout.split())
