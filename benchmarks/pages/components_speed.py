"""The page of the speed of discriminative components: docs/benchmarks/components_speed.md."""

from benchmarks.results import Store


def page(folder):
    results = Store("components_speed", folder).tree()
    if not results:
        return ""
    nca, plane = results["nca"], results["plane"].values()
    ours, theirs = nca["discriminative components"], nca["NCA"]
    small, large = plane
    lines = [
        "# Speed of discriminative components",
        "",
        "Time and memory of `DiscriminativeComponents`, measured by `python benchmarks/speed/components.py` on",
        "2 cores. Results are in `benchmarks/results/components_speed.jsonl`. *Wall* is elapsed time,",
        "*processor* the CPU time of all threads. *Required* is what every version of this library should reach.",
        "",
        "## Value and gradient: 4,000 samples, 30 features, 5 components",
        "",
        "One evaluation of the objective and its gradient, beside the same for scikit-learn's",
        "neighborhood components analysis (NCA).",
        "",
        "| | wall s | processor s | peak memory MB |",
        "|---|---|---|---|",
        *(
            f"| {name} | {row['wall']:.3f} | {row['cpu']:.3f} | {row['peak_mb']:.1f} |"
            for name, row in nca.items()
        ),
        "",
        f"NCA takes {theirs['wall'] / ours['wall']:.1f} times the wall time and "
        f"{theirs['cpu'] / ours['cpu']:.1f} times the processor time (required: at least 5).",
        "One array of n x n floats takes 128 MB.",
        "",
        "## Value and gradient in two dimensions, tolerance 1e-6",
        "",
        "1 % of the samples are far outliers. The sums are computed by Fourier approximation, so the",
        "time grows almost in proportion to n.",
        "",
        "| n | wall s | processor s | largest error of a log-sum | error of the gradient |",
        "|---|---|---|---|---|",
    ]
    for row in plane:
        error = f"{row['gradient_error']:.1e}" if "gradient_error" in row else ""
        lines.append(
            f"| {row['n']:,} | {row['wall']:.3f} | {row['cpu']:.3f} | {row['log_sum_error']:.1e} "
            f"| {error} |"
        )
    lines += [
        "",
        f"n = {large['n']:,} takes {large['wall'] / small['wall']:.1f} times the wall time and "
        f"{large['cpu'] / small['cpu']:.1f} times the processor time of n = {small['n']:,} "
        "(required: at most 15). The errors are differences from exact sums, at all points of the "
        "small problem and at 500 random points of the large one.",
        "",
        *fits_before(results.get("before", {})),
        *fits_beside(results.get("beside", {})),
    ]
    return "\n".join(lines)


def fits_before(results):
    """Fits of two revisions to the same samples."""
    if not results:
        return
    yield from (
        "## Whole fits compared with an earlier revision, two components, one thread",
        "",
        "Measured by `python benchmarks/speed/components_fits.py --before REVISION`. The columns are",
        "processor seconds, the objective on the training samples, and the 1-NN error on held-out samples",
        "with its standard error (s.e.). The two versions run in turn, because CPU time also depends on the",
        "load of the machine. On mnist5k there are so many features that the classes of the training samples",
        "can be separated completely; objectives near zero then differ by large factors.",
        "On 6,000 samples of MNIST most fits end at the largest number of iterations, not at an optimum.",
        "",
        "| data | n | seed | revision | s before | s now | ratio | objective before | now "
        "| error before | now | s.e. |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    )
    for name, sizes in results.items():
        for n, seeds in sizes.items():
            for seed, row in seeds.items():
                before, now = row["before"], row["now"]
                yield (
                    f"| {name} | {int(n):,} | {seed} | {row['revision']} | {before['cpu']:.2f} "
                    f"| {now['cpu']:.2f} | {now['cpu'] / before['cpu']:.2f} "
                    f"| {before['objective']:.5g} | {now['objective']:.5g} "
                    f"| {before['error']:.4f} | {now['error']:.4f} | {now['standard_error']:.4f} |"
                )
    yield ""


def fits_beside(results):
    """Fits of MNIST by several methods."""
    for n, methods in results.items():
        yield from (
            f"## MNIST, {int(n):,} samples, two components, one thread",
            "",
            "Measured by `python benchmarks/speed/components_fits.py --beside`. SDA and discriminative",
            "components are linear maps; UMAP is not, which explains its smaller error.",
            "",
            "| method | processor s | held-out 1-NN error |",
            "|---|---|---|",
        )
        names = {"sda": "SDA", "components": "discriminative components", "umap": "supervised UMAP"}
        for method, label in names.items():
            if method in methods:
                row = methods[method]
                yield f"| {label} | {row['cpu']:.1f} | {row['error']:.4f} |"
        yield ""
