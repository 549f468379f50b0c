"""Interventions: a variable is set from outside, and its parents lose their say (Pearl's do-operator).

On a circuit that has a network this is exact and costs nothing: each world's term has one parameter of the variable,
which becomes 1 for the value that is set, and 0 for the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit, Mixture, Queryable
from learnac.data import Schema, as_evidence
from learnac.errors import QueryError, described
from learnac.infer.engine import engine_of
from learnac.infer.likelihood import log_values
from learnac.network import BayesNet, TreeCPD
from learnac.network.bayes_net import SET_FROM_OUTSIDE
from learnac.network.tree import TreeNode

Floats = NDArray[np.float64]

_ROUNDING = 1e-6


def do(circuit: Queryable, interventions: Mapping[str, object]) -> Queryable:
    """The circuit, or mixture, after variables have been set: all queries can be asked of it.

    `interventions` has a category for each variable that is set, or probabilities of its categories, with which it is
    then drawn. A number is set to the interval that it lies in: other variables depend on no more. For a mixture, the
    hidden variable is a common cause of all others, which no intervention changes. Needs to know which parameter is
    whose: a circuit from another tool, or an expanded mixture, does not. Cost: a copy, and an upward pass.
    """
    shares = _shares(circuit.schema, interventions)
    changed = _after(circuit, shares, interventions)
    _require_whole(changed)
    return changed


def _after(circuit: Queryable, shares: Mapping[int, Floats], interventions: Mapping[str, object]) -> Queryable:
    if isinstance(circuit, Mixture):
        structure = _set(circuit.structure, shares)
        parameters = circuit.parameters.copy()
        for variable, probabilities in shares.items():
            own, values = _own_parameters(circuit.structure, variable)
            parameters[:, own] = probabilities[values]
        network = None if circuit.network is None else do_network(circuit.network, interventions)
        return replace(circuit, structure=structure, parameters=parameters, network=network)
    return _set(circuit, shares)


def do_network(network: BayesNet, interventions: Mapping[str, object]) -> BayesNet:
    """The network after variables have been set: they have no parents any more."""
    trees = list(network.trees)
    for variable, probabilities in _shares(network.schema, interventions).items():
        trees[variable] = TreeCPD.of_nodes(variable, [TreeNode(probabilities)])
    return BayesNet(network.schema, tuple(trees))


def _require_whole(changed: Queryable) -> None:
    """A circuit that leaves out impossible worlds may lack those that the intervention makes possible."""
    engine = engine_of(changed)
    log_total = float(log_values(engine, as_evidence(engine.schema, None), 1)[0])
    if not abs(log_total) < _ROUNDING:
        raise QueryError(
            "do: expected a circuit with all worlds that the intervention makes possible, found one that leaves some "
            "out, because they were impossible before; or one of a conditional distribution",
            expected="a circuit with all worlds",
        )


# Settings by which people state what may depend on what.
_STATED = ("allowed_parents", "tiers", "required_parents", "forbidden_parents")


def causality_note(settings: Mapping[str, object], provenance: Mapping[str, object]) -> str | None:
    """What to tell those who intervene on a model that was learned with no order of causes stated. None otherwise."""
    if "rows" not in provenance or any(settings.get(name) for name in _STATED):
        return None
    return (
        "the arcs of this model were learned from data: they say what goes together, not what causes what; the answer "
        "is the effect of an intervention only if arcs point from causes to effects: state what may depend on what "
        "when learning, with tiers"
    )


def _set(circuit: Circuit, shares: Mapping[int, Floats]) -> Circuit:
    parameters, origins = circuit.parameters.copy(), circuit.parameter_origins.copy()
    for variable, probabilities in shares.items():
        own, values = _own_parameters(circuit, variable)
        parameters[own] = probabilities[values]
        origins[own, 1] = SET_FROM_OUTSIDE
    return replace(circuit, parameters=parameters, parameter_origins=origins)


def _own_parameters(circuit: Circuit, variable: int) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Which parameters are of the variable's tree, and the value each is for."""
    if (circuit.parameter_origins[:, 0] < 0).any():
        raise QueryError(
            "do: expected a circuit whose parameters are those of a network, found one from elsewhere: which arcs an "
            "intervention cuts is not known",
            expected="a circuit with a network",
        )
    own = np.flatnonzero(circuit.parameter_origins[:, 0] == variable)
    return own, circuit.parameter_origins[own, 2]


def _shares(schema: Schema, interventions: Mapping[str, object]) -> dict[int, Floats]:
    """By variable that is set, the probabilities of its values."""
    if not isinstance(interventions, Mapping):
        raise TypeError(f"do: expected a dict from names to categories, found {described(interventions)}")
    evidence = as_evidence(schema, interventions)
    if evidence.ranges:
        name, expected = schema.names[next(iter(evidence.ranges))], "a value or probabilities"
        raise QueryError(
            f"do: variable {name!r}: expected {expected}, found an interval: which of its numbers is set is not known",
            column=name,
            expected=expected,
        )
    shares: dict[int, Floats] = {}
    for variable in np.flatnonzero(evidence.codes[:, 0] >= 0).tolist():
        shares[variable] = np.eye(len(schema.categories[variable]))[evidence.codes[variable, 0]]
    first = 0
    for variable in evidence.soft_variables.tolist():
        weights = evidence.likelihoods[0, first : first + len(schema.categories[variable])]
        first += len(weights)
        shares[variable] = weights / weights.sum()
    return shares
