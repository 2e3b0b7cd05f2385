"""Hostile samples for every method of the registry: a finite map, or one error that says what to do.

The suite tries the same few tables every time. A longer run takes another path with every seed:
``DISCRIMAP_FUZZ_SECONDS=600 DISCRIMAP_TEST_SEED=1 pytest tests/fuzz``.
"""

import os
import time
import warnings
from dataclasses import dataclass

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from discrimap.registry import METHODS

OURS = [method for method in METHODS if method.is_ours]
EXAMPLES = 8  # of each method, in the suite
EXAMPLES_AT_A_TIME = 50  # in a longer run
SEED = int(os.environ.get("DISCRIMAP_TEST_SEED", "0"))
# Fits of at most 16 samples; the first of a process compiles.
LONGEST = 60.0

# What our own code says of small or hard data. Everything else is an error, numpy's warnings above all.
OUR_WARNINGS = (
    "perplexity=",
    "the bandwidth .* is more than twice",
    "The number of unique classes is greater than 50%",
)


@dataclass(frozen=True)
class Table:
    """Samples and target as a user may bring them; printed in full when they fail."""

    X: object
    y: np.ndarray
    n_components: int

    def __repr__(self):
        X = self.X.toarray() if sparse.issparse(self.X) else self.X
        kind = "sparse " if sparse.issparse(self.X) else ""
        return (
            f"Table({kind}{X.dtype}, n_components={self.n_components},\n"
            f"X = {X.tolist()},\ny = {self.y.tolist()})"
        )


@st.composite
def features(draw, n_samples):
    """A few columns, each of one of the shapes that numerical code trips over."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    n_features = draw(st.integers(1, 6))
    columns = []
    for _ in range(n_features):
        kind = draw(
            st.sampled_from(
                ["normal", "normal", "constant", "copy", "sum", "whole", "ties", "zeros"]
            )
        )
        values = rng.standard_normal(n_samples)
        if kind == "constant":
            values = np.full(n_samples, draw(st.sampled_from([0.0, 0.1, -7.0, 1e8 + 0.1])))
        elif kind == "copy" and columns:
            values = columns[-1].copy()
        elif kind == "sum" and columns:
            values = np.sum(columns, axis=0) / 3
        elif kind == "whole":
            values = np.round(3 * values)
        elif kind == "ties":
            values = np.sign(values)
        elif kind == "zeros":
            values = np.where(values > 0.5, values, 0.0)
        columns.append(values * draw(st.sampled_from([1.0, 1.0, 1.0, 1e-8, 1e8])))
    X = np.column_stack(columns)
    if draw(st.booleans()):  # repeated rows, which may be of different classes
        X = X[rng.integers(max(n_samples // 2, 1), size=n_samples)]
    if draw(st.integers(0, 7)) == 0:
        X[rng.integers(n_samples)] *= draw(st.sampled_from([1e6, 1e12]))
    X = X + draw(st.sampled_from([0.0, 0.0, 1e4, 1e8, -1e8]))
    return X * draw(
        st.sampled_from(
            [1.0, 1.0, 1.0, 1e-150, 1e-75, 1e-50, 1e-20, 1e20, 1e50, 1e75, 1e100, 1e150]
        )
    )


@st.composite
def tables(draw, method):
    n_samples = draw(st.integers(2, 16))
    X = draw(features(n_samples))
    is_continuous = method.continuous and (not method.classes or draw(st.booleans()))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    if is_continuous:
        y = rng.standard_normal(n_samples) * draw(st.sampled_from([1.0, 1e-100, 1e-8, 1e8, 1e100]))
        y = y + draw(st.sampled_from([0.0, 1e8]))
        if draw(st.booleans()):
            y = y[rng.integers(max(n_samples // 2, 1), size=n_samples)]
        if method.unlabelled and draw(st.booleans()):
            y = np.where(rng.random(n_samples) < 0.4, np.nan, y)
    else:
        n_classes = draw(st.integers(1, min(n_samples, 5)))
        y = np.r_[np.arange(n_classes), rng.integers(n_classes, size=n_samples - n_classes)]
        if draw(st.integers(0, 4)) == 0:  # one sample for each class
            y = np.arange(n_samples)
        if method.unlabelled and draw(st.booleans()):
            y = np.where(rng.random(n_samples) < 0.4, -1, y)
    kind = draw(st.sampled_from(["float64", "float64", "float32", "sparse"]))
    if kind == "float32":
        limit = np.finfo(np.float32).max
        X = np.clip(X, -limit, limit).astype(np.float32)
    elif kind == "sparse" and method.sparse:
        X = sparse.csr_array(X)
    return Table(X, y, draw(st.integers(1, 3)))


def check(method, table):
    """A finite map of every sample, or an error with a message of more than a few words."""
    started = time.process_time()
    is_continuous = not method.classes or table.y.dtype.kind == "f"
    estimator = method.make(table.n_components, random_state=0, continuous=is_continuous)
    X_before = table.X.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        for message in OUR_WARNINGS:
            warnings.filterwarnings("ignore", message, UserWarning)
        try:
            Z = estimator.fit(table.X, table.y).transform(table.X)
        except ValueError as error:
            # LinAlgError is one too, and says nothing about samples.
            if isinstance(error, np.linalg.LinAlgError) or len(str(error).split()) < 6:
                raise
            return
    assert np.isfinite(Z).all()
    assert len(Z) == table.X.shape[0]
    assert abs(table.X - X_before).max() == 0
    assert time.process_time() - started < LONGEST


def rounds(seconds):
    """Settings of one round after another: one that is always the same, or as time allows."""
    common = {"database": None, "deadline": None, "suppress_health_check": list(HealthCheck)}
    if not seconds:
        yield settings(max_examples=EXAMPLES, derandomize=True, **common), 0
        return
    end = time.monotonic() + seconds
    number = 0
    while number == 0 or time.monotonic() < end:
        yield settings(max_examples=EXAMPLES_AT_A_TIME, **common), number
        number += 1


@pytest.mark.parametrize("method", OURS, ids=lambda method: method.name)
def test_hostile_samples_give_a_finite_map_or_one_error(method, fuzz_seconds):
    for options, number in rounds(fuzz_seconds):

        @options
        @given(table=tables(method))
        def try_tables(table):
            check(method, table)

        if fuzz_seconds:
            try_tables = seed(1000 * SEED + number)(try_tables)
        try_tables()
