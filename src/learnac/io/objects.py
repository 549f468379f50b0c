"""Networks from wherever Python has them: our own, files, and objects of pgmpy and pyAgrum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit, Mixture
from learnac.data import Schema
from learnac.errors import DataError, ModelFileError, described, listed
from learnac.io.foreign import checked_network, normalised, tree_of_table
from learnac.model import Model
from learnac.network import BayesNet, TreeCPD


def network_of(source: Any) -> BayesNet:
    """The network that something is or holds. TypeError if it is of no known type, ModelFileError if it is malformed.

    Neither pgmpy nor pyAgrum is imported: their objects are known by where their classes come from.
    """
    if isinstance(source, BayesNet):
        return source
    if isinstance(source, Model):
        return source.require_network()
    if isinstance(source, str | PathLike):
        from learnac.io.convert import read_any

        return read_any(Path(source)).require_network()
    if isinstance(circuit := getattr(source, "circuit_", None), Circuit | Mixture):  # an estimator of ours
        return Model(circuit, None if isinstance(circuit, Mixture) else source.network_).require_network()
    packages = {kind.__module__.partition(".")[0] for kind in type(source).__mro__}
    if "pgmpy" in packages and hasattr(source, "get_cpds"):
        return _of_pgmpy(source)
    if packages & {"pyagrum", "pyAgrum"} and hasattr(source, "cpt"):
        return _of_pyagrum(source)
    raise TypeError(
        "expected a network: a BayesNet, the path of a file, a model with a network, or a network of pgmpy or pyAgrum; "
        f"found {described(source)}"
    )


def _of_pgmpy(model: Any) -> BayesNet:
    nodes = list(model.nodes())
    if not nodes:
        raise _complaint("pgmpy", "expected at least one variable, found none")
    if len({str(node) for node in nodes}) < len(nodes):
        raise _complaint("pgmpy", "expected variables of different names, found two that are written alike")
    cpds = {node: model.get_cpds(node) for node in nodes}
    if lacking := [node for node, cpd in cpds.items() if cpd is None]:
        raise _complaint("pgmpy", f"expected a CPD of each variable, found none of {listed(lacking)}")
    states = {node: tuple(cpds[node].state_names[node]) for node in nodes}
    tables = {}
    for node, cpd in cpds.items():
        # (the child, then its parents), in the order in which the CPD names them, with states of its own.
        child, *parents = cpd.variables
        if unknown := [name for name in (child, *parents) if name not in states]:
            raise _complaint("pgmpy", f"the CPD of {node!r} speaks of {unknown[0]!r}, which the network lacks")
        table = np.moveaxis(np.asarray(cpd.values, dtype=np.float64), 0, -1)
        for axis, name in enumerate((*parents, child)):
            own = list(cpd.state_names[name])
            if len(own) != table.shape[axis]:
                found = f"expected {len(own)} rows or columns for {name!r}, found {table.shape[axis]}"
                raise _complaint("pgmpy", f"the CPD of {node!r}: {found}")
            if set(own) != set(states[name]):
                expected = f"expected the values {listed(states[name])} of {name!r}"
                raise _complaint("pgmpy", f"the CPD of {node!r}: {expected}, found {listed(own)}")
            table = np.take(table, [own.index(state) for state in states[name]], axis=axis)
        tables[node] = (parents, table)
    return _network("pgmpy", {str(node): states[node] for node in nodes}, nodes, tables)


def _of_pyagrum(model: Any) -> BayesNet:
    nodes = [model.variable(node).name() for node in sorted(model.nodes())]
    states = {name: tuple(model.variableFromName(name).labels()) for name in nodes}
    tables = {}
    for name in nodes:
        potential = model.cpt(name)
        # NumPy has the dimensions in reverse: the child is the first of these, and so the last axis.
        dimensions = [potential.variable(place).name() for place in range(potential.nbrDim())]
        tables[name] = (dimensions[:0:-1], np.asarray(potential.toarray(), dtype=np.float64))
    return _network("pyAgrum", states, nodes, tables)


def _network(
    tool: str,
    states: dict[str, tuple[Any, ...]],
    nodes: Sequence[Any],
    tables: Mapping[Any, tuple[Sequence[Any], NDArray[np.float64]]],
) -> BayesNet:
    numbers = {node: number for number, node in enumerate(nodes)}
    try:
        schema = Schema(tuple(states), tuple(states.values()))
    except (DataError, TypeError) as error:
        raise _complaint(tool, str(error)) from None
    trees: list[TreeCPD] = []
    for node in nodes:
        parents, table = tables[node]
        found = normalised(table)
        if found is None:
            raise _complaint(tool, f"the CPD of {node!r}: expected probabilities from 0 to 1, whose rows add up to 1")
        trees.append(tree_of_table(numbers[node], [numbers[parent] for parent in parents], found))
    return checked_network(BayesNet(schema, tuple(trees)), f"the {tool} network")


def _complaint(tool: str, message: str) -> ModelFileError:
    return ModelFileError(f"the {tool} network: {message}")
