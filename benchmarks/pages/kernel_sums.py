"""The page of the speed of the kernel sums: docs/benchmarks/kernel_sums.md."""

from benchmarks.results import Store


def page(folder):
    rows = Store("kernel_sums", folder).rows("rows")
    if not rows:
        return ""
    lines = [
        "# Speed of the kernel sums",
        "",
        "Time of one evaluation (value and gradient) of the two kinds of kernel sums, measured by",
        "`python benchmarks/speed/kernel_sums.py` in two dimensions with 10 classes, tolerance 1e-6 and",
        "2 cores. Stochastic discriminant analysis uses *pair sums*, discriminative components use",
        "*point sums*. The engine `fourier` is an approximation whose time grows at most in proportion to n;",
        "the time of `exact` grows with the square of n. The last column is the relative difference of the",
        "two gradients. Results are in `benchmarks/results/kernel_sums.jsonl`.",
        "",
        "| sums | engine | n | wall s | processor s | gradient error of fourier |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        error = f"{row['fourier_error']:.1e}" if "fourier_error" in row else ""
        lines.append(
            f"| {row['sums']} | {row['engine']} | {row['n']:,} | {row['wall']:.3f} "
            f"| {row['cpu']:.3f} | {error} |"
        )
    fourier = {(r["sums"], r["n"]): r for r in rows if r["engine"] == "fourier"}
    for name, large, small in (
        ("pair sums", 1_000_000, 100_000),
        ("point sums", 100_000, 10_000),
    ):
        ratio = fourier[name, large]["wall"] / fourier[name, small]["wall"]
        processor_ratio = fourier[name, large]["cpu"] / fourier[name, small]["cpu"]
        lines += [
            "",
            f"{name.capitalize()}, n = {large:,} compared with n = {small:,}: {ratio:.1f} times the wall "
            f"time, {processor_ratio:.1f} times the processor time.",
        ]
    return "\n".join(lines) + "\n"
