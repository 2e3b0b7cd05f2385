"""How a measured figure stands to a paper's, in one word."""

import numpy as np

# Where a paper gives no standard deviation ours stands in, but no less than this part of the unit.
LEAST_SPREAD = 0.01


def verdict(values, paper, deviation=None, *, unit=1.0, lower_is_better=False):
    """One word: within two standard deviations of the paper it is "reproduced", else better or worse.

    Parameters
    ----------
    values : sequence of float
        Our figure in each run.
    paper : float
        The paper's mean.
    deviation : float or None
        The paper's standard deviation; None takes ours, but at least a hundredth of the unit.
    unit : float
        1 for fractions, 100 for percentages.
    lower_is_better : bool
        Whether the figure is an error.
    """
    spread = deviation if deviation else max(LEAST_SPREAD * unit, float(np.std(values)))
    steps = (float(np.mean(values)) - paper) / spread
    if abs(steps) <= 2 + 1e-9:
        return "reproduced"
    return "better" if (steps > 0) != lower_is_better else "worse"


def mean_and_deviation(values, digits):
    """As text; a single run has no deviation."""
    text = f"{np.mean(values):.{digits}f}"
    return text if len(values) < 2 else f"{text} ± {np.std(values):.{digits}f}"
