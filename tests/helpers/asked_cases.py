"""Circuits, mixtures and evidence that questions are asked about, with all their worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
from enumerated import Enumerated, enumerated
from hypothesis import settings
from hypothesis import strategies as st

CASES = {
    "seed": st.integers(0, 9999),
    "splits": st.sampled_from(["complete", "binary"]),
    "alpha": st.sampled_from([0.0, 0.5]),
    "arities": st.lists(st.integers(1, 4), min_size=3, max_size=5).map(tuple),
    "n_components": st.sampled_from([0, 0, 3]),
}
examples = settings(derandomize=True, max_examples=40)


def case_of(
    learned: Any, seed: int, splits: str, alpha: float, arities: tuple[int, ...], n_components: int
) -> Enumerated:
    case = learned.__wrapped__(seed, splits, alpha, arities, 60)
    return enumerated(case.circuit, case.network, n_components, seed)


def some_evidence(case: Enumerated, seed: int, target: int, *, has_soft: bool = True) -> tuple[Any, dict[int, Any]]:
    """A possible row in which the target is unknown, with likelihoods of some variable."""
    rng = np.random.default_rng(seed)
    probabilities = case.probabilities()
    world = case.worlds[:, rng.choice(len(probabilities), p=probabilities / probabilities.sum())]
    row = np.where(rng.random(len(world)) < 0.6, world, -1)
    row[target] = -1
    soft = {}
    if has_soft and len(world) > 1:
        variable = int(rng.choice([v for v in range(len(world)) if v != target]))
        row[variable] = -1
        soft[variable] = rng.uniform(0.1, 3, case.arities[variable])
    return row, soft


def as_given(case: Enumerated, row: Any, soft: dict[int, Any]) -> dict[str, Any]:
    names = case.network.schema.names
    known = {name: int(code) for name, code in zip(names, row, strict=True) if code >= 0}
    return {**known, **{names[v]: dict(enumerate(likelihoods.tolist())) for v, likelihoods in soft.items()}}


def log_odds(posterior: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.array([np.log(p) - np.log(np.delete(posterior, v).sum()) for v, p in enumerate(posterior)])


def less(a: Any, b: Any) -> Any:
    with np.errstate(invalid="ignore"):
        return np.where(a == b, 0.0, a - b)
