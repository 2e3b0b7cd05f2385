"""How an objective is minimised: seven methods behind one function, one frozen Solution."""

from discrimap.optimisers.minimise import METHODS, minimise, minimise_each
from discrimap.optimisers.monitor import Step
from discrimap.optimisers.progress import with_progress
from discrimap.optimisers.solution import Solution, warn_unless_converged

__all__ = [
    "METHODS",
    "Solution",
    "Step",
    "minimise",
    "minimise_each",
    "warn_unless_converged",
    "with_progress",
]
