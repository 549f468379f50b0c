"""Networks of pgmpy and pyAgrum: the same marginals, and one clear message for what is no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_networks import random_network

import learnac
from learnac import infer
from learnac.compiler import compile_network
from learnac.io import network_of, write_bif
from learnac.model import Model

pytestmark = pytest.mark.filterwarnings("ignore")
NETWORK = random_network(3, (2, 3, 4, 2, 3), zeros=0.2)


@pytest.fixture(scope="module")
def bif(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bif") / "a.bif"
    write_bif(NETWORK, path)
    return path


def assert_same_marginals(source: Any, places: float = 1e-6) -> None:
    circuit = learnac.compile(source)
    expected = infer.marginals(compile_network(NETWORK))
    found = infer.marginals(circuit)
    assert set(found) == set(expected)
    for name, table in expected.items():
        np.testing.assert_allclose(found[name], table, atol=places)


def test_our_own(bif: Path, tmp_path: Path) -> None:
    assert network_of(NETWORK) is NETWORK
    assert network_of(Model(network=NETWORK)) is NETWORK
    assert_same_marginals(bif)
    assert_same_marginals(str(bif))
    model = learnac.LearnAC().fit(np.array([[0, 1], [1, 0], [1, 1]]))
    assert network_of(model) is model.network_


def test_a_mixture_has_no_network() -> None:
    rows = np.random.default_rng(0).integers(2, size=(60, 3))
    model = learnac.LearnAC(n_components=2).fit(rows)
    with pytest.raises(ValueError, match="expected a model with a network, found a mixture, which equals none"):
        learnac.compile(model)


def test_pgmpy(bif: Path) -> None:
    readwrite = pytest.importorskip("pgmpy.readwrite")
    assert_same_marginals(readwrite.BIFReader(path=str(bif)).get_model())


def test_states_of_pgmpy_may_stand_in_another_order_in_each_cpd() -> None:
    models, factors = pytest.importorskip("pgmpy.models"), pytest.importorskip("pgmpy.factors.discrete")
    model = models.DiscreteBayesianNetwork([("a", "b")])
    a = factors.TabularCPD("a", 2, [[0.3], [0.7]], state_names={"a": ["yes", "no"]})
    b = factors.TabularCPD(
        "b", 2, [[0.1, 0.6], [0.9, 0.4]], ["a"], [2], state_names={"b": ["x", "y"], "a": ["no", "yes"]}
    )
    model.add_cpds(a, b)
    circuit = learnac.compile(model)
    np.testing.assert_allclose(infer.marginals(circuit, {"a": "no"})["b"], [0.1, 0.9])


def test_pgmpy_without_variables_and_with_names_that_are_written_alike() -> None:
    models, factors = pytest.importorskip("pgmpy.models"), pytest.importorskip("pgmpy.factors.discrete")
    with pytest.raises(learnac.ModelFileError, match="expected at least one variable, found none"):
        learnac.compile(models.DiscreteBayesianNetwork())
    alike = models.DiscreteBayesianNetwork()
    alike.add_nodes_from([1, "1"])
    alike.add_cpds(*(factors.TabularCPD(node, 2, [[0.5], [0.5]]) for node in (1, "1")))
    with pytest.raises(learnac.ModelFileError, match="found two that are written alike"):
        learnac.compile(alike)


def test_pgmpy_without_a_cpd() -> None:
    models = pytest.importorskip("pgmpy.models")
    model = models.DiscreteBayesianNetwork([("a", "b")])
    with pytest.raises(learnac.ModelFileError, match="the pgmpy network: expected a CPD of each variable, found none"):
        learnac.compile(model)


def test_pyagrum(bif: Path) -> None:
    gum = pytest.importorskip("pyagrum")
    assert_same_marginals(gum.loadBN(str(bif)))
    network = gum.fastBN("a[2]->b[3]<-c[4]<-a")
    inference = gum.LazyPropagation(network)
    inference.makeInference()
    found = infer.marginals(learnac.compile(network))
    for name in "abc":
        np.testing.assert_allclose(found[name], inference.posterior(name).toarray(), atol=1e-12)


def test_what_is_no_network() -> None:
    with pytest.raises(TypeError, match=r"expected a network: a BayesNet, the path of a file, .*; found None"):
        learnac.compile(None)
    with pytest.raises(ValueError, match="expected a model with a network, found a circuit alone"):
        learnac.compile(Model(circuit=compile_network(NETWORK)))


def test_given_takes_values_of_one_row() -> None:
    circuit = learnac.compile(NETWORK, given={"x1": 2})
    expected = infer.marginals(compile_network(NETWORK), {"x1": 2})
    for name, table in infer.marginals(circuit).items():
        np.testing.assert_allclose(table, expected[name], atol=1e-12)
    with pytest.raises(learnac.QueryError, match="given: expected the values of one row, found 2 rows"):
        learnac.compile(NETWORK, given=[{"x1": 2}, {"x1": 1}])
    with pytest.raises(learnac.QueryError, match="'z'"):
        learnac.compile(NETWORK, given={"z": 2})
