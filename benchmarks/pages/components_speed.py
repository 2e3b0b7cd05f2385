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
        "Made by `python benchmarks/speed/components.py` on 2 cores.",
        "",
        "## Value and gradient, n = 4,000, 30 features, d = 5",
        "",
        "| | wall s | processor s | peak memory MB |",
        "|---|---|---|---|",
        *(
            f"| {name} | {row['wall']:.3f} | {row['cpu']:.3f} | {row['peak_mb']:.1f} |"
            for name, row in nca.items()
        ),
        "",
        f"NCA takes {theirs['wall'] / ours['wall']:.1f} times the wall time and "
        f"{theirs['cpu'] / ours['cpu']:.1f} times the processor time (bar: at least 5).",
        "An n x n array of floats would be 128 MB.",
        "",
        "## One evaluation in the plane, 1 % far outliers, tolerance 1e-6",
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
        "(bar: at most 15). Log-sums are compared with exact ones at all points of the small "
        "problem and at 500 random points of the large one.",
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
        "## Whole fits beside those of an earlier revision, two components, one thread",
        "",
        "Made by `python benchmarks/speed/components_fits.py --before REVISION`. Processor seconds;",
        "objective of training samples; error of the nearest neighbour on held-out samples, with its",
        "standard error. The two versions take turns, because processor seconds also depend on what",
        "else the machine does. With more features than the samples can determine, as of mnist5k,",
        "classes can be separated completely, and objectives near zero differ by large factors.",
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
            "Made by `python benchmarks/speed/components_fits.py --beside`.",
            "",
            "| method | processor s | error of the nearest neighbour |",
            "|---|---|---|",
        )
        names = {"sda": "SDA", "components": "discriminative components", "umap": "supervised UMAP"}
        for method, label in names.items():
            if method in methods:
                row = methods[method]
                yield f"| {label} | {row['cpu']:.1f} | {row['error']:.4f} |"
        yield ""
