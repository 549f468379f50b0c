"""The compiled core: counting, the growing circuit, the schedules, evaluation."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

COMPILER: str
INDICATOR: int
PARAMETER: int
SUM: int
PRODUCT: int

class PackedTable:
    def __init__(
        self,
        codes: NDArray[np.unsignedinteger],
        arities: NDArray[np.uint32],
        weights: NDArray[np.float64],
        total_weight: float | None = None,
    ) -> None: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def total_weight(self) -> float: ...
    @staticmethod
    def wants_bits(arities: NDArray[np.uint32]) -> bool: ...
    @staticmethod
    def from_bits(bits: NDArray[np.uint64], n_rows: int, arities: NDArray[np.uint32]) -> PackedTable: ...

class SparseCells:
    def __init__(self, starts: NDArray[np.uint64], values: NDArray[np.uint32], counts: NDArray[np.float64]) -> None: ...
    @property
    def starts(self) -> NDArray[np.uint64]: ...
    @property
    def values(self) -> NDArray[np.uint32]: ...
    @property
    def counts(self) -> NDArray[np.float64]: ...

class Counter:
    def __init__(self, table: PackedTable) -> None: ...
    def split(self, leaf: int, variable: int, branch_of: NDArray[np.uint32], n_branches: int) -> int: ...
    def count(self, leaves: list[int]) -> list[tuple[NDArray[np.float64] | SparseCells, NDArray[np.float64]]]: ...
    def totals(self, leaf: int) -> NDArray[np.float64]: ...
    def forget(self, leaf: int) -> None: ...

class PathCounts:
    def __init__(
        self,
        arities: NDArray[np.uint32],
        parents: NDArray[np.uint32],
        variables: NDArray[np.uint32],
        holds: NDArray[np.uint8],
        nodes: NDArray[np.uint32],
        children: NDArray[np.uint32],
    ) -> None: ...
    def add(self, table: PackedTable, mask: NDArray[np.uint64]) -> None: ...
    def add_counts(
        self, request: int, cells: NDArray[np.float64] | SparseCells, totals: NDArray[np.float64]
    ) -> None: ...
    def take(self) -> list[tuple[NDArray[np.float64] | SparseCells, NDArray[np.float64]]]: ...

class GrowingTrees:
    def __init__(
        self,
        arities: NDArray[np.uint32],
        binary_splits: bool,
        criterion: str,
        prior: float,
        shrinkage: float,
        ordered: NDArray[np.uint8] | None = None,
    ) -> None: ...
    @property
    def n_nodes(self) -> int: ...
    def add_root(self, counts: NDArray[np.float64]) -> int: ...
    def split(self, leaf: int, variable: int, value: int, counts: list[NDArray[np.float64]]) -> int: ...
    def log_likelihood(self, leaf: int, counts: NDArray[np.float64]) -> tuple[float, float]: ...
    def counts(self) -> NDArray[np.float64]: ...
    def nodes(
        self,
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int32], NDArray[np.uint32], NDArray[np.float64]]: ...

class CandidateFinder:
    def __init__(
        self,
        trees: GrowingTrees,
        criterion: str,
        prior: float,
        parameter_penalty: float,
        may_remove_edges: NDArray[np.uint8],
        allowed: NDArray[np.uint8],
        most_candidates: int = ...,
    ) -> None: ...
    def most_gain(self, leaf: int) -> float: ...
    def find(
        self, leaf: int, cells: NDArray[np.float64] | SparseCells
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]: ...

def leaf_score(criterion: str, prior: float, counts: NDArray[np.float64], mass: float) -> float: ...

class GrowingCircuit:
    def __init__(
        self, arities: NDArray[np.uint32], binary_splits: bool, ordered: NDArray[np.uint8] | None = None
    ) -> None: ...
    @property
    def n_edges(self) -> int: ...
    @property
    def n_leaves(self) -> int: ...
    @property
    def n_splits(self) -> int: ...
    @property
    def n_bytes(self) -> int: ...
    @property
    def n_visits(self) -> int: ...
    def check_invariants(self) -> None: ...
    def edge_cost(self, leaf: int, variable: int, value: int, limit: int | None = None) -> int: ...
    def apply_split(self, leaf: int, variable: int, value: int) -> tuple[int, int, int]: ...
    def freeze(
        self,
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]: ...

class _Schedule:
    def __init__(self, circuit: GrowingCircuit, edge_penalty: float, may_change_penalty: bool) -> None: ...
    def add(
        self,
        leaf: int,
        variables: NDArray[np.uint32],
        values: NDArray[np.uint32],
        net_gains: NDArray[np.float64],
    ) -> None: ...
    def wait(self, leaf: int, most_gain: float) -> None: ...
    @property
    def needs_counts(self) -> bool: ...
    def promising(self, n_leaves: int) -> list[tuple[int, int, int]]: ...
    def best_split(
        self, most_edges: int, should_stop: Callable[[], bool]
    ) -> tuple[int, int, int, float, int] | None: ...
    def applying(self, leaf: int, variable: int, value: int) -> None: ...
    def set_edge_penalty(self, edge_penalty: float) -> None: ...
    def known_costs(self) -> NDArray[np.int64]: ...
    def forget_costs(self) -> None: ...
    def drop_candidates(self) -> None: ...
    def replay(self, costs: NDArray[np.int64]) -> None: ...
    @property
    def remembers_costs(self) -> bool: ...
    @property
    def takes_losses(self) -> bool: ...
    @property
    def has_unfitting(self) -> bool: ...
    @property
    def n_candidates(self) -> int: ...
    @property
    def n_evaluations(self) -> int: ...
    @property
    def n_visits(self) -> int: ...

class QuickSchedule(_Schedule): ...
class GreedySchedule(_Schedule): ...

_Soft = NDArray[np.uint32]
_Likelihoods = NDArray[np.float64]
_Codes = NDArray[np.signedinteger]

class _Evaluator:
    @property
    def smallest_linear_root(self) -> float: ...
    def log_values(
        self, codes: _Codes, soft_variables: _Soft, likelihoods: _Likelihoods, n_threads: int
    ) -> NDArray[np.float64]: ...
    def marginals(
        self,
        codes: _Codes,
        soft_variables: _Soft,
        likelihoods: _Likelihoods,
        variables: NDArray[np.uint32],
        n_threads: int,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def most_probable(
        self, codes: _Codes, soft_variables: _Soft, likelihoods: _Likelihoods, worlds: _Codes, n_threads: int
    ) -> NDArray[np.float64]: ...
    def sample(
        self,
        codes: _Codes,
        soft_variables: _Soft,
        likelihoods: _Likelihoods,
        n_samples: int,
        seed: int,
        worlds: _Codes,
        n_threads: int,
    ) -> NDArray[np.float64]: ...
    def mean_logs(
        self, codes: _Codes, soft_variables: _Soft, likelihoods: _Likelihoods, n_threads: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

class Evaluator(_Evaluator):
    def __init__(
        self,
        arities: NDArray[np.uint32],
        kinds: NDArray[np.uint8],
        labels: NDArray[np.uint32],
        child_offsets: NDArray[np.uint64],
        children: NDArray[np.uint32],
        parameters: NDArray[np.float64],
    ) -> None: ...
    def live_edges(self, codes: _Codes, soft_variables: _Soft, likelihoods: _Likelihoods) -> NDArray[np.uint64]: ...
    def expected_counts(
        self, codes: _Codes, soft_variables: _Soft, likelihoods: _Likelihoods, weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

class MixtureEvaluator(_Evaluator):
    def __init__(
        self,
        arities: NDArray[np.uint32],
        kinds: NDArray[np.uint8],
        labels: NDArray[np.uint32],
        child_offsets: NDArray[np.uint64],
        children: NDArray[np.uint32],
        parameters: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> None: ...
    def most_probable_with_bounds(
        self, codes: _Codes, soft_variables: _Soft, likelihoods: _Likelihoods, worlds: _Codes, n_threads: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def components(
        self, codes: _Codes, soft_variables: _Soft, likelihoods: _Likelihoods, n_threads: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

class TreeScores:
    def __init__(
        self,
        arities: NDArray[np.uint32],
        first_nodes: NDArray[np.uint32],
        variables: NDArray[np.int32],
        first_route: NDArray[np.uint32],
        routes: NDArray[np.uint32],
        log_parameters: NDArray[np.float64],
    ) -> None: ...
    def score(self, codes: NDArray[np.integer]) -> NDArray[np.float64]: ...

def check_circuit(
    arities: NDArray[np.uint32],
    kinds: NDArray[np.uint8],
    labels: NDArray[np.uint32],
    child_offsets: NDArray[np.uint64],
    children: NDArray[np.uint32],
    parameters: NDArray[np.float64],
) -> None: ...
def circuit_properties(
    arities: NDArray[np.uint32],
    kinds: NDArray[np.uint8],
    labels: NDArray[np.uint32],
    child_offsets: NDArray[np.uint64],
    children: NDArray[np.uint32],
    parameters: NDArray[np.float64],
    variable_of_parameter: NDArray[np.int32],
) -> tuple[bool, bool, bool, bool, bool]: ...

class GibbsSampler:
    def __init__(
        self,
        arities: NDArray[np.uint32],
        first_nodes: NDArray[np.uint32],
        variables: NDArray[np.int32],
        first_route: NDArray[np.uint32],
        routes: NDArray[np.uint32],
        log_parameters: NDArray[np.float64],
    ) -> None: ...
    def run(
        self,
        evidence: NDArray[np.int32],
        query: NDArray[np.int32],
        seeds: NDArray[np.uint64],
        n_chains: int,
        n_burn_in: int,
        n_samples: int,
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]: ...

class CellLayout:
    def __init__(
        self,
        first_of_leaf: NDArray[np.uint32],
        first_of_variable: NDArray[np.uint32],
        usual: NDArray[np.uint32],
    ) -> None: ...

class LeafRows:
    def __init__(self, layout: CellLayout, has_weights: bool) -> None: ...
    def append(self, cells: NDArray[np.uint32], weights: NDArray[np.float64]) -> None: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def total_weight(self) -> float: ...

class TiedMixture:
    def __init__(
        self,
        layout: CellLayout,
        features: NDArray[np.float32],
        biases: NDArray[np.float32],
        weights: NDArray[np.float32],
    ) -> None: ...
    def epoch(self, rows: LeafRows, order: NDArray[np.uint32], batch: int, learning: float, ridge: float) -> float: ...
    def log_likelihood(self, rows: LeafRows) -> float: ...
    @property
    def n_steps(self) -> int: ...
    def state(self) -> NDArray[np.float32]: ...
    def restore(self, state: NDArray[np.float32], n_steps: int) -> None: ...
    def parameters(self) -> NDArray[np.float64]: ...
    def component_weights(self) -> NDArray[np.float64]: ...
    def gradient(self, rows: LeafRows) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]: ...

def log_likelihood(
    layout: CellLayout, log_parameters: NDArray[np.float32], log_weights: NDArray[np.float32], rows: LeafRows
) -> float: ...
def expected_counts(
    layout: CellLayout, log_parameters: NDArray[np.float32], log_weights: NDArray[np.float32], rows: LeafRows
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]: ...
def compile_network(
    arities: NDArray[np.uint32],
    first_nodes: NDArray[np.uint32],
    variables: NDArray[np.int32],
    first_route: NDArray[np.uint32],
    routes: NDArray[np.uint32],
    parameters: NDArray[np.float64],
    order: NDArray[np.uint32],
    given: NDArray[np.int32],
    most_edges: int,
    most_bytes: int,
    should_stop: Callable[[], bool],
) -> tuple[
    int,
    bool,
    int,
    int,
    tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint32]],
    NDArray[np.int32],
]: ...
def share_nodes(
    arities: NDArray[np.uint32],
    kinds: NDArray[np.uint8],
    labels: NDArray[np.uint32],
    child_offsets: NDArray[np.uint64],
    children: NDArray[np.uint32],
    parameters: NDArray[np.float64],
) -> tuple[
    tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint32]],
    NDArray[np.uint32],
]: ...
def elimination_order(
    arities: NDArray[np.uint32],
    first_members: NDArray[np.uint32],
    members: NDArray[np.uint32],
    rule: int,
    seed: int,
) -> tuple[NDArray[np.uint32], float]: ...
