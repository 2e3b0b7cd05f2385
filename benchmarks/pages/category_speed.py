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
        "Written by `python benchmarks/speed/category.py`: CPU time of one thread. "
        f"numpy {versions['numpy']}, scikit-learn {versions['sklearn']}, pymanopt "
        f"{versions['pymanopt_version']}.",
        "",
        "## Against pymanopt's conjugate gradients",
        "",
        "The square objective about the global origin, scaled to one. Both solvers use the same "
        "scatter matrices, the same code for value and gradient, and the same greedy start, and "
        "stop at a Riemannian gradient of 1e-06, the peer's default. Best of 10 (ours) and "
        "of 3 (peer). *Whole fit* is `CategorySpace().fit` with checks, scatters, start, and "
        "iterations to its own, stricter tolerance. *Peer's value* is over ours, minus one.",
        "",
        "| data | scaled | ours, ms | iterations | peer, ms | iterations | peer's value | ratio | "
        "whole fit, ms |",
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
        "## Against computing the landmark features",
        "",
        "300 landmarks. *Features* is scikit-learn's `Nystroem.fit_transform`; *fit* is the whole of "
        "`KernelCategorySpace.fit` with the same kernel, best of 3 each.",
        "",
        "| data | samples | features | classes | features, s | fit, s | iterations | "
        "fit / features |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in results["landmarks"].values():
        lines.append(
            f"| {row['data']} | {row['n_samples']} | {row['n_features']} | {row['n_classes']} | "
            f"{row['features_seconds']:.3f} | {row['fit_seconds']:.3f} | {row['iterations']} | "
            f"{row['ratio']:.2f} |"
        )
    return "\n".join(lines) + "\n"
