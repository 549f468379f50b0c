"""Entropy, divergence and mutual information, in nats: exact where the structure allows, and refused elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Queryable
from learnac.data import Evidence, as_evidence
from learnac.errors import QueryError, listed
from learnac.infer.engine import Engine, engine_of, usable_threads
from learnac.infer.likelihood import log_values
from learnac.network import BayesNet, TreeCPD
from learnac.types import PartialCodes

Floats: TypeAlias = NDArray[np.float64]

MAX_STATES = 1 << 20
"""Joint states of some of the variables that are counted out one by one."""

# Rows asked of the circuit at once, and what they may hold in all.
_BLOCK = 4096
_MOST_CELLS = 1 << 26


def entropy(circuit: Queryable, variables: Iterable[Any] | None = None, *, n_threads: int = 1) -> float:
    """The entropy of all variables, or the joint entropy of some.

    Cost for all variables: one upward and one downward pass; the circuit must be deterministic. For some variables: one
    upward pass for each of their joint states, of which there may be at most MAX_STATES.
    """
    engine = engine_of(circuit)
    chosen = range(engine.schema.n_variables) if variables is None else _positions(engine, variables)
    if len(chosen) == engine.schema.n_variables and engine.is_deterministic:
        evidence = as_evidence(engine.schema, None)
        _, means = engine.evaluator.mean_logs(*evidence.arrays, usable_threads(n_threads))
        return max(0.0, -float(means[0]))
    if (
        len(chosen) == engine.schema.n_variables
        and not engine.is_deterministic
        and _n_states(engine, chosen) > MAX_STATES
    ):
        raise QueryError(
            "entropy: of all variables it is exact only for a deterministic circuit, and this is a mixture, or has "
            "sums that decide no variable: ask for fewer variables, or estimate it as the mean of -log P of samples"
        )
    logs = _joint_logs(engine, chosen, n_threads)
    return max(0.0, -_mean(np.exp(logs), logs))


def mutual_information(circuit: Queryable, a: Any, b: Any, *, n_threads: int = 1) -> float:
    """The mutual information of two variables, or of two lists of variables. Cost: as `entropy` of all of them."""
    engine = engine_of(circuit)
    first, second = _positions(engine, a), _positions(engine, b)
    if shared := [engine.schema.names[variable] for variable in first if variable in second]:
        raise QueryError(f"expected two disjoint sets of variables; both have {listed(shared)}", column=shared[0])
    n_first = int(np.prod([len(engine.schema.categories[variable]) for variable in first]))
    logs = _joint_logs(engine, [*first, *second], n_threads).reshape(n_first, -1)
    joint = np.exp(logs)
    with np.errstate(divide="ignore"):
        log_first, log_second = np.log(joint.sum(axis=1, keepdims=True)), np.log(joint.sum(axis=0, keepdims=True))
    # Logarithms one by one: the product of two small probabilities may be too small to be told from zero.
    return max(0.0, _mean(joint, logs, log_first, log_second))


def kl_divergence(circuit: Queryable, other: BayesNet, *, n_threads: int = 1) -> float:
    """KL(P || Q) of the circuit's distribution P from the network's Q, over the same variables and categories.

    Infinite if a row is possible under P and impossible under Q. Cost: one upward pass of P for each parameter of Q:
    the log-probability of a row under Q is a sum of one parameter from each tree.
    """
    engine = engine_of(circuit)
    engine.require_deterministic("kl_divergence")
    mine, others = engine.schema, other.schema
    if (mine.names, mine.categories) != (others.names, others.categories):
        raise QueryError(
            f"expected the same variables and categories in both models, found {mine} and {others}",
            expected=mine,
            found=others,
        )
    cross_entropy = -sum(_expected_log(engine, tree, n_threads) for tree in other.trees)
    return max(0.0, cross_entropy - entropy(circuit, n_threads=n_threads))


def _positions(engine: Engine, variables: Any) -> list[int]:
    is_one = isinstance(variables, str) or not isinstance(variables, Iterable)
    names = [variables] if is_one else list(variables)
    positions = list(dict.fromkeys(engine.schema.position(name) for name in names))
    if not positions:
        raise QueryError("expected at least one variable, found none", expected="at least one variable")
    return positions


def _mean(probabilities: Floats, logs: Floats, *without: Floats) -> float:
    """The mean of `logs` less all others, over what has a probability."""
    held = probabilities > 0
    terms = logs[held]
    for others in without:
        terms = terms - np.broadcast_to(others, logs.shape)[held]
    return float((probabilities[held] * terms).sum())


def _n_states(engine: Engine, variables: Iterable[int]) -> int:
    return math.prod(len(engine.schema.categories[variable]) for variable in variables)


def _joint_logs(engine: Engine, variables: Iterable[int], n_threads: int) -> Floats:
    """Log-probabilities of all joint states of the variables, the last one changing fastest."""
    chosen = list(variables)
    shape = [len(engine.schema.categories[variable]) for variable in chosen]
    n_states = _n_states(engine, chosen)
    if n_states > MAX_STATES:
        raise QueryError(
            f"{len(chosen)} of {engine.schema.n_variables} variables have more than {MAX_STATES:,} joint states, "
            "too many to add up: ask for fewer variables",
            expected=f"at most {MAX_STATES:,} joint states",
            found=n_states,
        )
    logs = np.empty(n_states)
    for start in range(0, n_states, _BLOCK):
        states = np.arange(start, min(start + _BLOCK, n_states))
        codes = np.full((engine.schema.n_variables, len(states)), -1, dtype=engine.schema.evidence_dtype)
        codes[chosen] = np.unravel_index(states, shape)
        logs[states] = log_values(engine, Evidence.of_codes(engine.schema, codes), n_threads)
    return logs


def _rows_of(engine: Engine, codes: PartialCodes, allowed: NDArray[np.bool_]) -> Evidence:
    """Evidence made here: codes, and for each row which indicators are allowed."""
    of_variables = (allowed[:, start:end] for start, end in pairwise(engine.starts))
    restricted = {variable: values for variable, values in enumerate(of_variables) if not values.all()}
    return Evidence.of_codes(engine.schema, codes).with_likelihoods(restricted)


def _expected_log(engine: Engine, tree: TreeCPD, n_threads: int) -> float:
    """The mean of the tree's log parameter under the circuit: over all its leaves and the child's values."""
    total = 0.0
    for leaves, allowed in _leaf_blocks(engine, tree):
        arity = len(engine.schema.categories[tree.child])
        # A row for each value of the child, side by side: the circuit's live part is almost the same for these.
        codes = np.full((engine.schema.n_variables, len(leaves) * arity), -1, dtype=engine.schema.evidence_dtype)
        codes[tree.child] = np.tile(np.arange(arity), len(leaves))
        rows = _rows_of(engine, codes, np.repeat(allowed, arity, axis=0))
        log_weights = log_values(engine, rows, n_threads)
        parameters = tree.parameters[leaves].ravel()
        # What is possible may still be too rare to have a weight.
        if (parameters[log_weights > -np.inf] == 0).any():
            return -np.inf
        weights = np.exp(log_weights)
        held = weights > 0
        total += float((weights[held] * np.log(parameters[held])).sum())
    return total


def _leaf_blocks(engine: Engine, tree: TreeCPD) -> Iterator[tuple[list[int], NDArray[np.bool_]]]:
    """The tree's leaves, some at a time, and the indicators that the way to each leaf allows."""
    paths = tree.paths()
    n_cells = engine.starts[-1] * len(engine.schema.categories[tree.child])
    while some := list(islice(paths, int(max(1, min(_BLOCK, _MOST_CELLS // n_cells))))):
        allowed = np.ones((len(some), engine.starts[-1]), dtype=bool)
        for row, (_, path) in enumerate(some):
            for variable, values in path.items():
                start, end = engine.starts[variable], engine.starts[variable + 1]
                allowed[row, start:end] = [values >> value & 1 for value in range(end - start)]
        yield [leaf for leaf, _ in some], allowed
