"""A model has a circuit, a network or both, and says which it lacks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from learning import FEW, SETTINGS, assert_same_circuit, assert_same_network
from trees import leaf_of

from learnac.compiler import compile_model, compile_network
from learnac.data import Schema
from learnac.learn import LearnSettings, learn_table, learn_table_network
from learnac.model import Model, check_twins
from learnac.network import BayesNet

LEARNED = learn_table(FEW, LearnSettings(**SETTINGS, max_splits=4)).model
OTHER = BayesNet(Schema(("a",), ((0, 1),)), (leaf_of(0, [0.5, 0.5]),))


class TestForms:
    def test_what_is_learned_has_both(self) -> None:
        assert LEARNED.require_circuit() is LEARNED.circuit
        assert LEARNED.require_network() is LEARNED.network
        assert LEARNED.schema is FEW.schema

    def test_a_network_alone(self) -> None:
        model = Model(network=LEARNED.network)
        assert model.schema is FEW.schema
        with pytest.raises(ValueError, match="expected a model with a circuit, found a network alone"):
            model.require_circuit()

    def test_a_circuit_alone(self) -> None:
        model = Model(LEARNED.circuit)
        assert model.schema is FEW.schema
        with pytest.raises(ValueError, match="expected a model with a network, found a circuit alone"):
            model.require_network()

    def test_one_of_them_must_be_there(self) -> None:
        with pytest.raises(ValueError, match="expected a circuit or a network, found neither"):
            Model()

    def test_both_are_over_the_same_variables(self) -> None:
        with pytest.raises(ValueError, match=r"over the same variables, found Schema\(6 variables.*Schema\(1 var"):
            Model(LEARNED.circuit, OTHER)

    def test_a_network_that_was_learned_alone(self) -> None:
        learned = learn_table_network(FEW, LearnSettings(parameter_penalty=1.0))
        assert learned.model.circuit is None
        assert learned.network is learned.model.network
        with pytest.raises(ValueError, match="found a network alone"):
            _ = learned.circuit


class TestCompiling:
    def test_a_network_gets_its_circuit(self) -> None:
        model = compile_model(Model(network=LEARNED.network, provenance={"source": "a.bif"}))
        assert_same_circuit(model.require_circuit(), compile_network(LEARNED.require_network()))
        assert_same_network(model.require_network(), LEARNED.require_network())
        assert model.provenance == {"source": "a.bif"}

    def test_a_circuit_stays_as_it_is(self) -> None:
        assert compile_model(LEARNED, max_edges=1) is LEARNED

    def test_the_budget_holds(self) -> None:
        with pytest.raises(ValueError, match=r"more than 5 edges \(max_edges\)"):
            compile_model(Model(network=LEARNED.network), max_edges=5)


class TestTwins:
    def test_what_is_learned_has_the_parameters_of_its_network(self) -> None:
        check_twins(LEARNED.require_circuit(), LEARNED.require_network())

    def test_other_parameters(self) -> None:
        circuit = LEARNED.require_circuit()
        parameters = circuit.parameters.copy()
        parameters[-1] = np.nextafter(parameters[-1], 0)
        with pytest.raises(ValueError, match="the circuit's parameters are not those of the network"):
            check_twins(replace(circuit, parameters=parameters), LEARNED.require_network())

    def test_other_places(self) -> None:
        circuit = LEARNED.require_circuit()
        origins = circuit.parameter_origins.copy()
        origins[0, 1] = 1000
        with pytest.raises(ValueError, match="the circuit's parameters are not those of the network"):
            check_twins(replace(circuit, parameter_origins=origins), LEARNED.require_network())

    def test_no_places(self) -> None:
        circuit = LEARNED.require_circuit()
        unknown = replace(circuit, parameter_origins=np.full_like(circuit.parameter_origins, -1))
        with pytest.raises(ValueError, match="the circuit has parameters that are not of the network"):
            check_twins(unknown, LEARNED.require_network())

    def test_trees_that_contradict_the_circuit(self) -> None:
        network = LEARNED.require_network()
        place, tree = next((i, tree) for i, tree in enumerate(network.trees) if tree.n_leaves > 1)
        swapped = tree.routes.copy()
        swapped[[0, 1]] = swapped[[1, 0]]
        trees = (*network.trees[:place], replace(tree, routes=swapped), *network.trees[place + 1 :])
        with pytest.raises(ValueError, match="the circuit and the trees contradict each other"):
            check_twins(LEARNED.require_circuit(), replace(network, trees=trees))

    def test_impossible_rows_are_no_contradiction(self) -> None:
        exact = learn_table(FEW, LearnSettings(edge_penalty=0.01, alpha=0.0, shrinkage=0.0, max_splits=9)).model
        check_twins(exact.require_circuit(), exact.require_network())
