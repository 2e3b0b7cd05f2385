"""The page of the speed of discriminative projections: docs/benchmarks/projections-speed.md."""

from benchmarks.results import Store
from benchmarks.speed.projections import N_NEIGHBORS


def page(folder):
    results = Store("projections-speed", folder).tree()
    if not results:
        return ""
    lines = [
        "# Discriminative projections: speed",
        "",
        "Time of `DiscriminativeProjections` on MNIST, compared with PCA and the search for neighbours.",
        "`python benchmarks/speed/projections.py` makes the runs and stores them in",
        "`benchmarks/results/projections-speed.jsonl`. Required: a fit takes at most three times as long as PCA",
        "and the search together.",
    ]
    if "wall" in results:
        result = results["wall"]
        lines += [
            "",
            f"## A whole fit, {result['n_samples']:,} samples, {result['n_features']} features",
            "",
            f"The search is approximate: it finds {100 * result['recall']:.1f} % of the true "
            f"{N_NEIGHBORS} nearest neighbours (measured on 500 samples). The time of its compilation is not "
            "included. *Ratio* is the time of the fit divided by that of PCA and the search together.",
            "",
            "| what | seconds |",
            "|---|---|",
            f'| scikit-learn\'s PCA, svd_solver="full" | {result["pca_seconds"]:.1f} |',
            "| neighbour search alone (timed inside the fit below) | "
            f"{result['search_seconds']:.1f} |",
            "| DiscriminativeProjections(50): search, graph and solution | "
            f"{result['fit_seconds']:.1f} |",
            f"| ratio | {result['ratio']:.2f} |",
        ]
    if "processor" in results:
        result = results["processor"]
        lines += [
            "",
            f"## A fit without the search, {result['n_samples']:,} samples, "
            f"{result['n_features']} features, processor time of one thread",
            "",
            "Let s be the time of the search, q that of PCA and r that of the rest of the fit. The ratio is "
            "(s + r)/(s + q), which is at most max(1, r/q) for any s. The graph has random neighbours, which "
            "is the slowest order for memory access.",
            "",
            "| what | processor seconds |",
            "|---|---|",
            f'| scikit-learn\'s PCA, svd_solver="full" (q) | {result["pca_processor_seconds"]:.1f} |',
            "| DiscriminativeProjections(50) without the search (r) | "
            f"{result['rest_processor_seconds']:.1f} |",
            f"| the ratio is at most | {result['bound']:.2f} |",
        ]
    return "\n".join(lines) + "\n"
