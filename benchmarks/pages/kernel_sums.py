"""The page of the speed of the kernel sums: docs/benchmarks/kernel_sums.md."""

from benchmarks.results import Store


def page(folder):
    rows = Store("kernel_sums", folder).rows("rows")
    if not rows:
        return ""
    lines = [
        "# Speed of the kernel sums",
        "",
        "Made by `python benchmarks/speed/kernel_sums.py`: one evaluation (value and gradient) in two",
        "dimensions, 10 classes, tolerance 1e-6, 2 cores. `pair sums` are those of stochastic",
        "discriminant analysis, `point sums` those of discriminative components.",
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
            f"{name}, n = {large:,} against n = {small:,}: {ratio:.1f} times the wall time, "
            f"{processor_ratio:.1f} times the processor time.",
        ]
    return "\n".join(lines) + "\n"
