"""What people state about parents: what is allowed, forbidden and required, and an order in tiers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnac import Dataset, LearnAC, SettingError, load
from learnac.circuit import check_distribution
from learnac.learn import Checkpoints, LearnSettings, ParentRules, SearchState, learn_table, learn_table_network

ARITIES = (2, 3, 2, 4, 2)


def rows_of(seed: int, n_rows: int = 200) -> Any:
    rng = np.random.default_rng(seed)
    prototypes = rng.integers(ARITIES, size=(4, len(ARITIES)))
    noise = rng.integers(ARITIES, size=(n_rows, len(ARITIES)))
    return np.where(rng.random(noise.shape) < 0.7, prototypes[rng.integers(4, size=n_rows)], noise)


def table_of(seed: int) -> Dataset:
    return Dataset.from_array(rows_of(seed), arities=ARITIES)


def learned(seed: int, rules: ParentRules, **chosen: Any) -> Any:
    settings_ = {"edge_penalty": 0.05, "parameter_penalty": 0.1, "alpha": 1.0, "shrinkage": 0.0, **chosen}
    return learn_table(table_of(seed), LearnSettings(**settings_), allowed_parents=rules)


def names(*variables: int) -> list[str]:
    return [f"x{v}" for v in variables]


@settings(derandomize=True, max_examples=30)
@given(seed=st.integers(0, 999), schedule=st.sampled_from(["quick", "greedy"]))
def test_no_arc_leads_to_an_earlier_tier_and_none_is_forbidden(seed: int, schedule: str) -> None:
    rng = np.random.default_rng(seed)
    tier_of = rng.integers(3, size=4)  # The last variable is in no tier.
    tiers = [names(*np.flatnonzero(tier_of == tier)) for tier in range(3)]
    forbidden = {int(child): rng.permutation([v for v in range(5) if v != child])[:2].tolist() for child in range(5)}
    rules = ParentRules(tiers=tiers, forbidden={f"x{c}": names(*vs) for c, vs in forbidden.items()})
    network = learned(seed, rules, schedule=schedule).model.network
    for child, parents in enumerate(network.parents):
        assert not set(parents) & set(forbidden[child])
        if child < 4:
            assert all(tier_of[parent] <= tier_of[child] for parent in parents if parent < 4)


def test_without_them_those_arcs_are_there() -> None:
    """So that the test above can fail."""
    network = learned(1, ParentRules()).model.network
    assert sum(map(len, network.parents)) >= 5


@pytest.mark.parametrize("schedule", ["quick", "greedy"])
@pytest.mark.parametrize("splits", ["complete", "binary"])
@pytest.mark.parametrize("edge_penalty", [0.05, 1000.0])
def test_a_tree_begins_with_the_required_parents(schedule: str, splits: str, edge_penalty: float) -> None:
    rules = ParentRules(required={"x0": ["x3", "x1"], "x2": ["x0"]})
    found = learned(3, rules, schedule=schedule, splits=splits, edge_penalty=edge_penalty)
    network, circuit = found.model.network, found.model.circuit
    assert {1, 3} <= set(network.parents[0])
    assert 0 in network.parents[2]
    assert network.trees[0].variables[0] == 3
    for _, path in network.trees[0].paths():  # All values of both are told apart.
        assert path[3].bit_count() == 1
        assert path[1].bit_count() == 1
    check_distribution(circuit)
    codes = np.indices(ARITIES).reshape(len(ARITIES), -1).astype(np.uint8)
    from learnac import infer

    np.testing.assert_allclose(infer.log_likelihood(circuit, codes.T), network.log_likelihood(codes), atol=1e-10)
    assert found.trace[0].edge_cost == found.trace[0].n_edges - (len(ARITIES) + 3 * sum(ARITIES))


def test_required_parents_stay_where_other_rows_would_rather_have_none() -> None:
    rng = np.random.default_rng(0)
    train, valid = (Dataset.from_array(rng.integers(ARITIES, size=(60, 5)), arities=ARITIES) for _ in range(2))
    rules = ParentRules(required={"x4": ["x3"]})
    found = learn_table(train, LearnSettings(edge_penalty=100.0), validation=valid, allowed_parents=rules)
    assert found.model.network.parents[4] == (3,)
    assert found.n_splits >= 1
    assert learn_table(train, LearnSettings(edge_penalty=100.0), validation=valid).n_splits == 0


def test_a_network_alone_and_a_mixture_have_them_too() -> None:
    rules = ParentRules(required={"x4": ["x3"]})
    network = learn_table_network(table_of(0), LearnSettings(parameter_penalty=1000.0), allowed_parents=rules)
    assert network.model.network.parents[4] == (3,)
    model = LearnAC(n_components=2, max_edges=2000, required_parents={"x4": ["x3"]}).fit(table_of(0))
    assert 3 in model.circuit_.network.parents[4]


def test_a_file_remembers_them(tmp_path: Any) -> None:
    stated = {
        "tiers": [["x0"], ["x1", "x2"]],
        "forbidden_parents": {"x4": ["x0"]},
        "required_parents": {"x4": ["x3"]},
        "allowed_parents": {"x3": ["x0"]},
    }
    LearnAC(**stated).fit(table_of(0)).save(tmp_path / "m.learnac")
    found = load(tmp_path / "m.learnac").get_params()
    assert {name: found[name] for name in stated} == stated


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"tiers": [["x0"], ["x0", "x1"]]}, "tiers: 'x0' is in two tiers"),
    ({"tiers": ["x0", "x1"]}, "tiers: expected a list of lists of names"),
    ({"tiers": [["x9"]]}, "tiers: expected names of variables, found 'x9'"),
    ({"forbidden_parents": {"x0": "x1"}}, r"forbidden_parents\['x0'\]: expected a list of names, found the string"),
    ({"required_parents": {"x0": ["x0"]}}, r"required_parents\['x0'\]: a variable cannot be its own parent"),
    ({"required_parents": {"x0": ["x1"], "x1": ["x0"]}}, "required_parents: expected no cycle, found x0 <- x1 <- x0"),
    (
        {"required_parents": {"x0": ["x1"]}, "tiers": [["x0"], ["x1"]]},
        r"required_parents\['x0'\]: 'x1' is required, and not allowed by the other settings",
    ),
    ({"required_parents": {"x0": ["x1", "x3"]}, "max_edges": 50}, "max_edges: expected at least"),
]


@pytest.mark.parametrize(("stated", "message"), WRONG, ids=[str(stated) for stated, _ in WRONG])
def test_what_cannot_be_is_said(stated: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        LearnAC(**stated).fit(table_of(0))


@pytest.mark.parametrize("schedule", ["quick", "greedy"])
def test_a_search_that_is_resumed_begins_with_required_parents_too(schedule: str) -> None:
    rules = ParentRules(required={"x0": ["x1", "x3"]})
    states: list[SearchState] = []
    stated: dict[str, Any] = {"edge_penalty": 0.05, "parameter_penalty": 0.1, "alpha": 1.0, "shrinkage": 0.0}
    search = LearnSettings(schedule=schedule, **stated)
    whole = learn_table(table_of(1), search, allowed_parents=rules, checkpoints=Checkpoints(None, states.append, 0.0))
    assert len(states) > 3
    for state in states:
        again = learn_table(table_of(1), search, allowed_parents=rules, checkpoints=Checkpoints(state))
        assert [replace(info, seconds=0.0) for info in again.trace] == [
            replace(info, seconds=0.0) for info in whole.trace
        ]
        assert np.array_equal(again.circuit.children, whole.circuit.children)
