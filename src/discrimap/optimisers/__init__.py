"""Minimisation of an objective: seven methods with one function and one result type."""

from discrimap.optimisers.lockstep import minimise_in_lockstep
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
    "minimise_in_lockstep",
    "warn_unless_converged",
    "with_progress",
]
