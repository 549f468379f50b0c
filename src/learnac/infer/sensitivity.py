"""How much an answer depends on each parameter of the model: its exact derivative, the way a parameter can change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit, Mixture, Queryable, indicators_of
from learnac.data import Bins, Evidence, Soft, as_evidence
from learnac.data.conditions import condition
from learnac.errors import QueryError
from learnac.infer.derivatives import parameter_derivatives
from learnac.infer.likelihood import densities_in
from learnac.infer.pieces import Pieces
from learnac.network import BayesNet
from learnac.network.bayes_net import SET_FROM_OUTSIDE
from learnac.network.bits import members
from learnac.types import Category

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How an answer depends on one parameter, P(variable = category | the values in `when`)."""

    variable: str
    category: Category
    when: dict[str, tuple[Category, ...]]  # what the way to the leaf leaves of each parent; empty if it is not known
    component: int | None  # of a mixture
    parameter: float  # its value now
    derivative: float  # of the answer; the other categories of the leaf change in proportion
    text: str  # the parameter as people write it: P(ill = yes | age < 37)


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivities:
    """An answer, and what it depends on: from the parameter that it depends on most."""

    probability: float  # or a density
    parameters: tuple[Sensitivity, ...]
    density_of: tuple[str, ...] = ()  # numbers of the query for which the answer is a density, per unit of each


def sensitivity(
    circuit: Queryable,
    query: object,
    given: object = None,
    *,
    soft: Soft | None = None,
    network: BayesNet | None = None,
    n: int | None = 20,
) -> Sensitivities:
    """P(query | given), and its derivative by the parameters it depends on most; all of them if `n` is None.

    If a parameter grows, the others of its leaf shrink in proportion, so that they still sum to 1; those of a leaf with
    a parameter of 1 grow equally. Parameters of a variable that an intervention has set are none of the model's any
    more, and are left out. `network` says which leaf a parameter stands in. Cost: an upward and a downward pass
    for the query and for the evidence, and for each component of a mixture.
    """
    network = circuit.network if network is None and isinstance(circuit, Mixture) else network
    structure = circuit.structure if isinstance(circuit, Mixture) else circuit
    if (structure.parameter_origins[:, 0] < 0).any():
        raise QueryError(
            "sensitivity: expected a circuit whose parameters are those of a network, found one from elsewhere",
            expected="a circuit with a network",
        )
    evidence, asked, log_density = _rows(circuit, query, given, soft)
    log_given, by_given = _derivatives(circuit, structure, evidence)
    log_asked, by_asked = _derivatives(circuit, structure, asked)
    evidence.require_possible(np.array([log_given]))
    # The quotient rule, from logs: both derivatives may be too small for numbers of their own.
    log_given -= log_density
    probability = float(np.exp(log_asked - log_given))
    changes = np.exp(by_asked - log_given) - probability * np.exp(by_given - log_given - log_density)
    found = _leaves(circuit, structure, changes)
    found.sort(key=lambda row: -abs(row[-1]))
    is_mixture = isinstance(circuit, Mixture)
    named = (_named(structure, network, row[0] if is_mixture else None, *row[1:]) for row in found[:n])
    return Sensitivities(probability, tuple(named), densities_in(circuit, query, evidence))


def _rows(circuit: Queryable, query: object, given: object, soft: Soft | None) -> tuple[Evidence, Evidence, float]:
    """The evidence without and with the query, and the log-density of the numbers in the query."""
    evidence = as_evidence(circuit.schema, given, soft)
    asked = as_evidence(circuit.schema, query)
    Pieces.of(evidence, "sensitivity")
    if len(Pieces.of(asked, "sensitivity: query")) == 0:
        raise QueryError("sensitivity: expected categories in the query, found none", expected="categories")
    if len(asked.soft_variables) > 0:
        name, found = circuit.schema.names[asked.soft_variables[0]], "an interval" if asked.ranges else "likelihoods"
        raise QueryError(f"sensitivity: expected categories or numbers in the query, found {found}", column=name)
    for variable in np.flatnonzero(asked.codes[:, 0] >= 0).tolist():
        _check_piece(evidence, asked, variable)
    codes = np.where(asked.codes >= 0, asked.codes, evidence.codes).astype(evidence.codes.dtype)
    is_new = [variable for variable in asked.numbers if evidence.codes[variable, 0] < 0]
    densities = [_bins(circuit, variable).log_densities(asked.numbers[variable])[0] for variable in is_new]
    return evidence, evidence.with_codes(codes), float(sum(densities))


def _bins(circuit: Queryable, variable: int) -> Bins:
    found = circuit.schema.bins[variable]
    assert found is not None
    return found


def _check_piece(evidence: Evidence, asked: Evidence, variable: int) -> None:
    """Raise QueryError unless a variable of the query is unknown, or known to be what the query says."""
    name, known = evidence.schema.names[variable], evidence.value_in(variable, 0)
    if known is not None and known != asked.value_in(variable, 0):
        raise QueryError(f"sensitivity: the query contradicts the evidence about {name!r}", column=name)
    if variable in evidence.ranges:
        raise QueryError(
            f"sensitivity: expected nothing to be known of {name!r}, which the query asks for; found an interval",
            column=name,
        )


def _derivatives(circuit: Queryable, structure: Circuit, evidence: Evidence) -> tuple[float, Floats]:
    """Log P of the evidence, and the log of its derivative by each parameter: (components x parameters)."""
    indicators = indicators_of(structure, evidence.codes)[0]
    starts = np.concatenate([[0], np.cumsum(structure.schema.arities)])
    first = 0
    for variable in evidence.soft_variables.tolist():
        own = slice(int(starts[variable]), int(starts[variable + 1]))
        indicators[own] *= evidence.likelihoods[0, first : first + own.stop - own.start]
        first += own.stop - own.start
    with np.errstate(divide="ignore"):
        log_indicators = np.log(indicators)
        vectors = np.log(circuit.parameters.reshape(-1, structure.n_parameters))
        log_weights = np.log(circuit.weights) if isinstance(circuit, Mixture) else np.zeros(1)
    values, derivatives = np.empty(len(vectors)), np.empty(vectors.shape)
    for component, log_parameters in enumerate(vectors):
        values[component], derivatives[component] = parameter_derivatives(structure, log_parameters, log_indicators)
    return float(np.logaddexp.reduce(log_weights + values)), derivatives + log_weights[:, None]


def _leaves(circuit: Queryable, structure: Circuit, changes: Floats) -> list[tuple[int, int, float, float]]:
    """Component, a parameter, its value, and the derivative of the answer when the others of its leaf make room."""
    origins = structure.parameter_origins.astype(np.int64)
    order = np.lexsort(origins.T[::-1])
    ends = np.flatnonzero(np.diff(origins[order][:, :2], axis=0).any(axis=1)) + 1
    vectors = circuit.parameters.reshape(-1, structure.n_parameters)
    found = []
    for own in np.split(order, ends):
        if len(own) == 0 or origins[own[0], 1] == SET_FROM_OUTSIDE:
            continue
        values, places = np.unique(origins[own, 2], return_inverse=True)
        for component, parameters in enumerate(vectors):
            by_value = np.bincount(places, changes[component, own], len(values))
            theta = np.empty(len(values))
            theta[places] = parameters[own]
            if len(values) == 1:
                continue  # Nothing else could make room.
            others = 1 - theta
            for value in range(len(values)):
                rest = np.arange(len(values)) != value
                shares = theta[rest] / theta[rest].sum() if others[value] > 0 else np.full(rest.sum(), 1 / rest.sum())
                derivative = float(by_value[value] - shares @ by_value[rest])
                first = int(own[np.flatnonzero(places == value)[0]])
                found.append((component, first, float(theta[value]), derivative))
    return found


def _named(
    structure: Circuit, network: BayesNet | None, component: int | None, parameter: int, theta: float, derivative: float
) -> Sensitivity:
    schema = structure.schema
    variable, node, value = structure.parameter_origins[parameter].tolist()
    when: dict[str, tuple[Any, ...]] = {}
    conditions = []
    if network is not None:
        path = dict(network.trees[variable].paths()).get(node, {})
        for parent, values in path.items():
            codes = tuple(members(values))
            when[schema.names[parent]] = tuple(schema.categories[parent][code] for code in codes)
            conditions.append(condition(schema, parent, codes))
    if component is not None:
        conditions.append(f"component {component}")
    given = f" | {', '.join(conditions)}" if conditions else ""
    return Sensitivity(
        variable=schema.names[variable],
        category=schema.categories[variable][value],
        when=when,
        component=component,
        parameter=theta,
        derivative=derivative,
        text=f"P({condition(schema, variable, (value,))}{given})",
    )
