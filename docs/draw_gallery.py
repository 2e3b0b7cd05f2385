"""Draw the images of the gallery: ``make gallery``, or ``python docs/draw_gallery.py [NAME ...]``.

Each example runs in a separate process; NAME selects examples. The figures are stored in
docs/images/gallery, so that the site is built in a minute on a machine without the research data.
Examples use the research data in the folder DISCRIMAP_DATA, or data of scikit-learn without it.
"""

import argparse
import io
import runpy
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
PICTURES = ROOT / "docs" / "images" / "gallery"
WIDEST = 1100  # pixels
COLOURS = 128


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names", nargs="*", help="examples, such as plot_linear_maps; by default all"
    )
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    examples = [path for path in EXAMPLES if not options.names or path.stem in options.names]
    if not examples:
        sys.exit(f"unknown example; choose from {', '.join(path.stem for path in EXAMPLES)}")
    for path in examples:
        if options.here:
            draw(path)
        else:
            print(path.stem, flush=True)
            subprocess.run([sys.executable, __file__, "--here", path.stem], check=True)


def draw(path):
    """Run an example and store its figures."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    runpy.run_path(str(path), run_name="__main__")
    PICTURES.mkdir(parents=True, exist_ok=True)
    for old in PICTURES.glob(f"{path.stem}_*.png"):
        old.unlink()
    for number in plt.get_fignums():
        store(plt.figure(number), PICTURES / f"{path.stem}_{number}.png")


def store(figure, path):
    """Save a figure with few colours, which needs a third of the bytes and looks the same."""
    from PIL import Image

    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=min(100, WIDEST / figure.get_figwidth()))
    image = Image.open(drawn).convert("RGB")
    image.quantize(COLOURS, method=Image.Quantize.MEDIANCUT).save(path, optimize=True)


if __name__ == "__main__":
    main()
