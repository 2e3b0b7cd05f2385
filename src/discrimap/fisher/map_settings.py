"""Values of "auto" in a Fisher map, with the exact metric and with the metric of landmarks."""

from dataclasses import dataclass

_MANY = 10_000


@dataclass(frozen=True)
class MapSettings:
    """Settings of t-SNE, and how openTSNE is used, with one kind of metric."""

    perplexity: float
    max_iter: int
    max_iter_of_many: int  # neighbours inside the classes take longer to find each other
    exaggeration: float
    on_grid_above: int | None

    def iterations(self, n_samples: int) -> int:
        """Iterations for this many samples."""
        return self.max_iter if n_samples <= _MANY else self.max_iter_of_many


EXACT = MapSettings(30, 750, 750, exaggeration=1.0, on_grid_above=None)
# Chosen on training parts by benchmarks/fisher_settings.py.
LANDMARKS = MapSettings(10, 180, 360, exaggeration=1.5, on_grid_above=1500)
