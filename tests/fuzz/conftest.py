"""How long the fuzz tests run: a bounded share of the suite, or a time that the user gives.

``make fuzz`` sets ``DISCRIMAP_FUZZ_SECONDS``, the seconds of all fuzz tests together, which each test
gets an equal part of, and ``DISCRIMAP_TEST_SEED`` chooses the examples. Without the first, as in
``make test``, each test runs a few examples, always the same.
"""

from __future__ import annotations

import itertools
import os
import time

import hypothesis
import pytest

SECONDS = float(os.environ.get("DISCRIMAP_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("DISCRIMAP_TEST_SEED", "0"))
# Examples of one test in the suite, and between two looks at the clock.
FEW_EXAMPLES = 25
MANY_EXAMPLES = 200


@pytest.fixture
def fuzz_seconds(request) -> float:
    """The time of this test; 0 in the suite."""
    here = os.path.dirname(__file__)
    n_tests = sum(str(item.path).startswith(here) for item in request.session.items)
    return SECONDS / max(1, n_tests)


@pytest.fixture
def fuzz(fuzz_seconds):
    """Run a check on examples of a strategy: a few in the suite, else as many as the time allows."""

    def run(strategy, check, *, few=FEW_EXAMPLES):
        def run_once(seed, n_examples):
            health = [hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large]

            @hypothesis.seed(seed)
            @hypothesis.settings(
                max_examples=n_examples,
                deadline=None,
                database=None,
                suppress_health_check=health,
                # Shrinking takes long, and says most of what is to know in a few steps.
                print_blob=True,
            )
            @hypothesis.given(strategy)
            def examine(example):
                check(example)

            examine()

        if not fuzz_seconds:
            run_once(SEED, few)
            return
        ends = time.monotonic() + fuzz_seconds
        for k in itertools.count():
            run_once(1_000_003 * SEED + k, MANY_EXAMPLES)
            if time.monotonic() > ends:
                return

    return run
