"""A learned model in a dozen numbers, after Table 4 of the paper."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Mixture
from learnac.cli.output import print_rows
from learnac.cli.weights import described_rows
from learnac.data.incomplete import TrainingRows
from learnac.data.weights import weighted_mean
from learnac.infer import log_likelihood
from learnac.learn import Gaps, Learned, LearnSettings, Mixing, Stop
from learnac.model import Model


@dataclass(frozen=True, slots=True)
class TableScore:
    """How likely a table is under a model: the mean over its rows, natural log."""

    n_rows: int
    log_likelihood: float
    n_impossible: int  # rows of probability zero, which there are only without smoothing
    weight: float | None = None  # of all rows, if they have weights: the mean is by these


@dataclass(frozen=True, slots=True)
class Summary:
    """What Table 4 says of a model, and how learning ended. Applied splits include those undone."""

    schedule: str
    scores: dict[str, TableScore]
    n_variables: int
    n_components: int
    n_edges: int  # of all components
    n_leaves: int
    n_parameters: int
    mean_parents: float
    max_parents: int
    n_splits: int
    n_splits_applied: int
    final_edge_penalty: float | None  # of the last split
    alpha: float | None
    shrinkage: float
    mixing: Mixing | None
    gaps: Gaps | None
    stop: Stop
    n_passes: int  # over tables that are not in memory
    seconds: float


def summarize(
    learned: Learned,
    settings: LearnSettings,
    scores: Mapping[str, TableScore],
) -> Summary:
    """The summary of a model, with the likelihoods of some tables."""
    asked, network = learned.model.require_circuit(), learned.model.structure
    assert network is not None
    n_components = asked.n_components if isinstance(asked, Mixture) else 1
    n_parents = [len(parents) for parents in network.parents]
    return Summary(
        schedule=settings.schedule,
        scores=dict(scores),
        n_variables=network.schema.n_variables,
        n_components=n_components,
        n_edges=asked.n_edges,
        n_leaves=network.n_leaves,
        n_parameters=network.n_parameters * n_components,
        mean_parents=sum(n_parents) / len(n_parents),
        max_parents=max(n_parents),
        n_splits=learned.n_splits,
        n_splits_applied=len(learned.trace),
        final_edge_penalty=learned.trace[-1].edge_penalty if learned.trace else None,
        alpha=learned.smoothing.prior if settings.criterion == "likelihood" else None,
        shrinkage=learned.smoothing.shrinkage,
        mixing=learned.mixing,
        gaps=learned.gaps,
        stop=learned.stop,
        n_passes=learned.n_passes,
        seconds=learned.seconds,
    )


def table_score(model: Model, table: TrainingRows, weights: NDArray[np.float64] | None = None) -> TableScore:
    """How likely a table in memory is, whose rows may have weights."""
    found = log_likelihood(model.require_circuit(), table, network=model.network)
    weight = None if weights is None else float(weights.sum())
    return TableScore(table.n_rows, weighted_mean(found, weights), int(np.count_nonzero(np.isneginf(found))), weight)


def as_document(summary: Summary) -> dict[str, Any]:
    """The summary in types that JSON has: null for the logarithm of zero."""
    document = asdict(summary)
    for score in document["scores"].values():
        if not math.isfinite(score["log_likelihood"]):
            score["log_likelihood"] = None
        if score["weight"] is None:
            del score["weight"]
    return {**document, "stop": summary.stop.name.lower(), "stop_reason": summary.stop.value}


def print_summary(summary: Summary) -> None:
    """The summary for people to read."""
    rows = [("Learner", f"AC-{summary.schedule.capitalize()}", f"{summary.n_variables:,} variables")]
    for role, score in summary.scores.items():
        rows.append((f"Log-likelihood, {role}", f"{score.log_likelihood:.4f}", _rows(score)))
    if summary.gaps is not None:
        rows.append(("Missing values", f"{summary.gaps.n_missing:,}", _gaps(summary.gaps)))
    if summary.mixing is not None:
        rows.append(("Components", f"{summary.n_components:,}", _mixture(summary.mixing)))
    of_each = f"{summary.n_edges // summary.n_components:,} of each component" if summary.n_components > 1 else ""
    rows += [
        ("Edges", f"{summary.n_edges:,}", of_each),
        ("Leaves", f"{summary.n_leaves:,}", ""),
        ("Parameters", f"{summary.n_parameters:,}", _smoothing(summary)),
        ("Avg. parents", f"{summary.mean_parents:.1f}", ""),
        ("Max. parents", f"{summary.max_parents:,}", ""),
        ("Splits", f"{summary.n_splits:,}", _undone(summary)),
        *([("Passes", f"{summary.n_passes:,}", "over the packed table")] if summary.n_passes else []),
        ("Time", duration(summary.seconds), ""),
        ("Stopped", "", _stopped(summary)),
    ]
    print_rows(rows, right=(1,))


def _mixture(mixing: Mixing) -> str:
    if mixing.n_components == 1:
        return "a single circuit did best on held-out rows"
    averages = "" if mixing.n_averages == 1 else f", {mixing.n_averages} averaged"
    return f"{mixing.way}, {mixing.n_rounds:,} rounds{averages}"


def _gaps(gaps: Gaps) -> str:
    share = f"{gaps.n_missing / gaps.n_values:.1%}, " if gaps.n_missing else "in training; "
    return f"{share}taken to be missing at random; {len(gaps.structures)} structures, {gaps.n_rounds} rounds of EM"


def _smoothing(summary: Summary) -> str:
    alpha = "" if summary.alpha is None else f"alpha {summary.alpha:g}, "
    return f"{alpha}shrinkage {summary.shrinkage:g}"


def _rows(score: TableScore) -> str:
    impossible = f", {score.n_impossible:,} of them impossible" if score.n_impossible else ""
    return f"nats, mean of {described_rows(score.n_rows, score.weight)}{impossible}"


def _undone(summary: Summary) -> str:
    n_undone = summary.n_splits_applied - summary.n_splits
    return f"best on held-out rows; {n_undone:,} more undone" if n_undone else ""


def _stopped(summary: Summary) -> str:
    reason = "interrupted: this is the model so far" if summary.stop is Stop.INTERRUPTED else summary.stop.value
    at_penalty = (
        ""
        if summary.final_edge_penalty is None or summary.n_components > 1
        else f", at edge penalty {summary.final_edge_penalty:g}"
    )
    return reason + at_penalty


def duration(seconds: float) -> str:
    """A time as people say it: 0.12 s, 48 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 59.5:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
