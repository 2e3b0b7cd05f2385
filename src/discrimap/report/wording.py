"""Numbers as people write them."""

from __future__ import annotations

import numpy as np


def percent(errors) -> str:
    """Write errors as mean and, from two on, standard deviation in per cent."""
    mean = f"{100 * np.mean(errors):.1f}"
    return f"{mean} ± {100 * np.std(errors, ddof=1):.1f} %" if len(errors) > 1 else f"{mean} %"
