"""The page of a file larger than memory: docs/benchmarks/chunks.md."""

from benchmarks.results import Store


def page(folder):
    measured = Store("chunks", folder).tree("transform")
    if not measured:
        return ""
    return (
        "# A file larger than memory through a linear model\n\n"
        "From `benchmarks/speed/transform_chunks.py`: `discrimap transform --chunk "
        f"{measured['chunk']}` of a CSV with {measured['n_rows']:,} rows of "
        f"{measured['n_features']} numbers ({measured['csv_bytes'] / 1e9:.2f} GB), "
        f"{measured['n_cores']} cores.\n\n"
        "| seconds | peak memory of the process |\n|---|---|\n"
        f"| {measured['seconds']:.0f} | {measured['peak_bytes'] / 1e6:.0f} MB |\n"
    )
