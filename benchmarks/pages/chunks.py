"""The page of a file larger than memory: docs/benchmarks/chunks.md."""

from benchmarks.results import Store


def page(folder):
    measured = Store("chunks", folder).tree("transform")
    if not measured:
        return ""
    return (
        "# A file larger than memory through a linear model\n\n"
        "`discrimap transform --chunk` maps a file in pieces, so the file may be larger than the "
        "memory. `python benchmarks/speed/transform_chunks.py` measures this with `--chunk "
        f"{measured['chunk']}` and a CSV file of {measured['n_rows']:,} rows and "
        f"{measured['n_features']} columns ({measured['csv_bytes'] / 1e9:.2f} GB), on "
        f"{measured['n_cores']} cores. The model is a linear discriminant analysis.\n\n"
        "| seconds | peak memory of the process |\n|---|---|\n"
        f"| {measured['seconds']:.0f} | {measured['peak_bytes'] / 1e6:.0f} MB |\n"
    )
