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
        "Written from the runs of `python benchmarks/speed/projections.py`, which are in",
        "`benchmarks/results/projections-speed.jsonl`. MNIST.",
        "Bar: search, graph and solution in at most three times PCA and search together.",
    ]
    if "wall" in results:
        result = results["wall"]
        lines += [
            "",
            f"## In one run, {result['n_samples']:,} samples, {result['n_features']} features",
            "",
            f"The search, compiled beforehand, finds {100 * result['recall']:.1f} % of the true "
            f"{N_NEIGHBORS} neighbours (500 samples checked).",
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
            f"## Without the search, {result['n_samples']:,} samples, "
            f"{result['n_features']} features, processor time on one thread",
            "",
            "With search s, PCA q and the rest r the ratio is (s + r)/(s + q), at most max(1, r/q) "
            "whatever s is. The graph has random neighbours: as many edges, in the worst order.",
            "",
            "| what | processor seconds |",
            "|---|---|",
            f'| scikit-learn\'s PCA, svd_solver="full" (q) | {result["pca_processor_seconds"]:.1f} |',
            "| DiscriminativeProjections(50) without the search (r) | "
            f"{result['rest_processor_seconds']:.1f} |",
            f"| the ratio is at most | {result['bound']:.2f} |",
        ]
    return "\n".join(lines) + "\n"
