"""The circuits that the benchmarks measure: learned as in the paper, whatever the package's defaults are, and checked.

A time means something only if it is that of the circuit it is said to be of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnac import Dataset, LearnAC

if TYPE_CHECKING:
    from sets import Run

# Every setting that decides what is learned, but for the penalties and the schedule, which a run names.
PLAIN = {
    "criterion": "likelihood",
    "alpha": 1.0,
    "shrinkage": 0.0,
    "splits": "complete",
    "halve_edge_penalty": False,
    "max_edges": None,
}
TOLERANCE = 0.02  # Relative: another rounding of equal gains gives other trees of the same quality.


class UnexpectedCircuitError(Exception):
    """What was learned is not what the benchmark is about, so its times would mean nothing."""


def learned(run: Run, table: Dataset) -> LearnAC:
    """The model of a run. It is not checked here, so that this alone can be timed."""
    return LearnAC(run.edge_penalty, run.parameter_penalty, run.schedule, **PLAIN).fit(table)


def require_expected(run: Run, leaves: int, edges: int, log_likelihood: float | None = None) -> None:
    """Raises UnexpectedCircuitError unless the figures of a model are those expected of the run."""
    expected_edges = None if run.expected_edges is None else 1000 * run.expected_edges
    pairs = {
        "leaves": (run.expected_leaves, leaves),
        "edges": (expected_edges, edges),
        "log-likelihood": (run.expected_log_likelihood, log_likelihood),
    }
    wrong = [f"{what}: {difference}" for what, pair in pairs.items() if (difference := unexpected(*pair))]
    if wrong:
        raise UnexpectedCircuitError(f"{run.name}, {run.schedule}: not the expected circuit ({'; '.join(wrong)})")


def unexpected(expected: float | None, found: float | None) -> str | None:
    """How two figures differ; none if they are nearly equal, or one is not known."""
    if expected is None or found is None or abs(found / expected - 1) <= TOLERANCE:
        return None
    return f"expected {expected:,.10g}, found {found:,.10g}"
