"""The same scores on every processor, as far as one machine can tell."""

import json
import os
import subprocess
import sys

SCRIPT = """
import json, sys
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale
from discrimap import FisherTSNE
from discrimap.comparison import Protocol, compare

if __name__ == "__main__":
    X, y = load_wine(return_X_y=True)
    methods = ["lda", "category", "fisher-tsne"]
    found = compare(X, y, methods, protocol=Protocol(n_repeats=1), n_jobs=int(sys.argv[1]))
    scores = {
        result.name: [result.test_errors, result.train_errors, result.permuted_errors]
        for result in found.results
    }
    # Errors are counts, which other maps may share; a divergence says whether it is the same map.
    tsne = FisherTSNE(perplexity=10, random_state=0).fit(scale(X)[::2], y[::2])
    print(json.dumps({"scores": scores, "divergence": tsne.objective_}))
"""


def test_scores_depend_neither_on_the_kernels_of_blas_nor_on_the_number_of_processes(tmp_path):
    script = tmp_path / "scores.py"
    script.write_text(SCRIPT)
    results = []
    # OpenBLAS then takes the code of that processor; other libraries ignore the variable.
    for kernels, n_jobs in (("Nehalem", 1), ("Haswell", 2)):
        environment = {**os.environ, "OPENBLAS_CORETYPE": kernels, "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, script, str(n_jobs)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        results.append(json.loads(done.stdout))
    assert results[0] == results[1]
    assert set(results[0]["scores"]) == {"lda", "category", "fisher-tsne"}
