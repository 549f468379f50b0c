"""What compiling a network may cost, and how it ends when that is not enough."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from math import isinf
from typing import Any

import numpy as np

from learnac.errors import Problem, SettingError, SizeError

MAX_EDGES = 1_000_000
MAX_SECONDS = 60.0
MAX_BYTES = 3_000_000_000
_NO_LIMIT = 2**62


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of edges, seconds and bytes. A circuit that is found within them is kept when the time is over."""

    max_edges: int = MAX_EDGES
    max_seconds: float = MAX_SECONDS
    max_bytes: int = MAX_BYTES
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        for name in ("max_edges", "max_seconds", "max_bytes"):
            value: Any = getattr(self, name)
            if not isinstance(value, int | float | np.integer | np.floating) or value is True or not value > 0:
                raise SettingError(name, "a number above 0", value)
        for name in ("max_edges", "max_bytes"):  # The core counts them, and has no infinity.
            object.__setattr__(self, name, int(min(getattr(self, name), _NO_LIMIT)))

    @property
    def seconds_left(self) -> float:
        return self.max_seconds - (time.monotonic() - self.started)

    def share(self, share: float) -> Budget:
        """The same limits for a share of the time that is left."""
        spent = time.monotonic() - self.started
        return replace(self, max_seconds=spent + max(share * (self.max_seconds - spent), 1e-9))

    def is_over(self) -> bool:
        return self.seconds_left <= 0


@dataclass(frozen=True, slots=True)
class Shortfall:
    """An attempt that ended without a circuit: which limit ended it, and the edges it had made."""

    problem: Problem
    n_edges: int

    def error(self, budget: Budget, n_attempts: int, log2_states: float) -> SizeError:
        """What to say if all attempts ended like this: what was reached, and what would help."""
        limits = {
            Problem.CIRCUIT_TOO_LARGE: (f"more than {budget.max_edges:,} edges (max_edges)", budget.max_edges),
            Problem.COMPILING_TOO_LONG: (f"more than {budget.max_seconds:g} seconds (max_seconds)", budget.max_seconds),
            Problem.COMPILING_TOO_LARGE: (f"more than {budget.max_bytes:,} bytes (max_bytes)", budget.max_bytes),
        }
        what, limit = limits[self.problem]
        reached = (
            f"the longest of {n_attempts} attempts had made {self.n_edges:,} edges"
            if self.n_edges
            else "nothing was made"
        )
        implied = "" if isinf(log2_states) else f"; the best order of its variables implies 2^{log2_states:.0f} states"
        return SizeError(
            f"the circuit of this network would need {what}: {reached} when it ended{implied}; "
            "values that are known for good (given) and a network with fewer parents need less",
            expected=limit,
            found=self.n_edges,
            problem=self.problem,
        )
