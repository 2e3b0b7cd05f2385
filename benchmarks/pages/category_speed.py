"""The page of the speed of category space: docs/benchmarks/category-speed.md."""

import numpy as np

from benchmarks.results import Store


def page(folder):
    results = Store("category-speed", folder).tree()
    if not results:
        return ""
    versions, peers = results["versions"], results["pymanopt"].values()
    ratios = [row["ratio"] for row in peers]
    lines = [
        "# Category space: speed",
        "",
        "CPU time of one thread, measured by `python benchmarks/speed/category.py` with "
        f"numpy {versions['numpy']}, scikit-learn {versions['sklearn']} and pymanopt "
        f"{versions['pymanopt_version']}. Results are in `benchmarks/results/category-speed.jsonl`.",
        "",
        "## Comparison with pymanopt's conjugate gradients",
        "",
        "Both solvers maximise the square objective about the global origin, scaled to one. They use "
        "the same scatter matrices, the same code for value and gradient and the same greedy start. "
        "Both stop when the norm of the Riemannian gradient is 1e-06, pymanopt's default. Times are "
        "the best of 10 calls (ours) and of 3 calls (pymanopt). Columns:",
        "",
        "- *scaled*: whether the features are standardised.",
        "- *pymanopt, value*: objective of pymanopt divided by ours, minus one.",
        "- *ratio*: time of pymanopt divided by ours.",
        "- *whole fit*: `CategorySpace().fit`, which also checks the input, computes the scatter "
        "matrices and the start, and iterates to a smaller tolerance.",
        "",
        "| data | scaled | ours, ms | iterations | pymanopt, ms | iterations | pymanopt, value | "
        "ratio | whole fit, ms |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in peers:
        lines.append(
            f"| {row['data']} | {'yes' if row['standardised'] else 'no'} | "
            f"{1e3 * row['ours_seconds']:.2f} | {row['ours_iterations']} | "
            f"{1e3 * row['peer_seconds']:.0f} | {row['peer_iterations']} | "
            f"{row['peer_over_ours']:.0e} | {row['ratio']:.0f} | {1e3 * row['fit_seconds']:.1f} |"
        )
    lines += [
        "",
        f"Smallest ratio {min(ratios):.1f}, median {np.median(ratios):.1f}.",
        "",
        "## Comparison with computing the landmark features",
        "",
        "A fit with 300 landmarks should cost little more than the landmark features themselves. "
        "*Nystroem* is scikit-learn's `Nystroem.fit_transform`; *fit* is `KernelCategorySpace.fit` "
        "with the same kernel. Best of 3 calls each.",
        "",
        "| data | samples | features | classes | Nystroem, s | fit, s | iterations | "
        "fit / Nystroem |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in results["landmarks"].values():
        lines.append(
            f"| {row['data']} | {row['n_samples']} | {row['n_features']} | {row['n_classes']} | "
            f"{row['features_seconds']:.3f} | {row['fit_seconds']:.3f} | {row['iterations']} | "
            f"{row['ratio']:.2f} |"
        )
    return "\n".join(lines) + "\n"
