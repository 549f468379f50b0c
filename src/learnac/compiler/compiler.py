"""From a network to its circuit: several ways, of which the smallest circuit is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit, NodeKind, log_total
from learnac.compiler.budget import MAX_BYTES, MAX_EDGES, MAX_SECONDS, Budget, Shortfall
from learnac.compiler.climbing import climb
from learnac.compiler.conditioning import Compiled, compile_in_order
from learnac.compiler.draft import Draft
from learnac.compiler.orders import Order, best_orders
from learnac.errors import Problem, QueryError, SettingError
from learnac.model import Model
from learnac.network import BayesNet

# Orders are tried until they have made so many edges together. Small networks try all.
_MOST_WORK = 4_000_000
_AT_ONCE = 8
# Of the time that is left, what one order may take: another may be done at once. And what all orders may take, where
# splits are worth a try too.
_SHARE_OF_ONE = 0.3
_SHARE_BEFORE_SPLITS = 0.6
# A circuit of more edges for each leaf of the network is worth a search for a better order of the splits.
_MANY_EDGES_PER_LEAF = 12
_MANY_ROWS_PER_LEAF = 8
# Edges that an attempt may make for each that the circuit may have: some are not in the circuit at the end.
_MADE_PER_EDGE = 2
# Numbers that are divided by less may overflow.
_LEAST_PROBABLE = 1e-250


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way that was tried, and the edges of its circuit: None if it ended without one."""

    name: str
    n_edges: int | None
    least_edges: int | None  # of all circuits so far


def compile_network(
    network: BayesNet,
    max_edges: int = MAX_EDGES,
    *,
    given: NDArray[np.int32] | None = None,
    max_seconds: float = MAX_SECONDS,
    max_bytes: int = MAX_BYTES,
    n_threads: int = 1,
    on_attempt: Callable[[Attempt], None] | None = None,
) -> Circuit:
    """The circuit of a network: the smallest that is found within the limits.

    Orders of the variables are tried, those that imply the fewest states first; then, for networks whose trees are
    small but ask many variables, orders of their splits. The same network has the same circuit, unless time is short:
    then it is the smallest so far. SizeError if there is none within the limits.

    With `given`, codes that are -1 where nothing is known, it is the circuit of P(everything | given): smaller, and
    good for this evidence only. ImpossibleEvidenceError if what is given has probability zero.
    """
    if not isinstance(n_threads, int) or isinstance(n_threads, bool) or n_threads < 1:
        raise SettingError("n_threads", "a whole number from 1", n_threads)
    known = np.full(len(network.trees), -1, dtype=np.int32) if given is None else given
    compiling = _Compiling(network, known, Budget(max_edges, max_seconds, max_bytes), on_attempt)
    compiling.try_orders(n_threads)
    compiling.try_splits()
    return compiling.smallest() if given is None else _normalised(compiling.smallest())


def compile_model(model: Model, max_edges: int = MAX_EDGES) -> Model:
    """The model with a circuit: its own, or one that is compiled from its network."""
    if model.circuit is not None:
        return model
    return replace(model, circuit=compile_network(model.require_network(), max_edges))


@dataclass(slots=True)
class _Compiling:
    """What has been tried, and the smallest circuit so far. Changes in place."""

    network: BayesNet
    given: NDArray[np.int32]
    budget: Budget
    on_attempt: Callable[[Attempt], None] | None
    best: Draft | None = None
    farthest: Shortfall | None = None
    n_attempts: int = 0
    least_edges: int | None = None  # of all attempts, those of splits among them
    log2_states: float = np.inf

    @property
    def _has_small_trees(self) -> bool:
        """Whether the trees have far fewer leaves than tables of the same parents would have rows: learned ones do."""
        arities = self.network.schema.arities.astype(float)
        n_rows = sum(float(np.prod(arities[list(parents)])) for parents in self.network.parents)
        return n_rows > _MANY_ROWS_PER_LEAF * self.network.n_leaves

    def try_orders(self, n_threads: int) -> None:
        """One order first, then several at a time. What a batch may make depends on earlier batches alone."""
        from concurrent.futures import ThreadPoolExecutor  # No command should wait for it that compiles nothing.

        budget = self.budget.share(_SHARE_BEFORE_SPLITS) if self._has_small_trees else self.budget
        orders = best_orders(self.network, budget)
        self.log2_states = min(order.log2_states for order in orders)
        most_made = _MADE_PER_EDGE * self.budget.max_edges
        work = 0
        with ThreadPoolExecutor(n_threads) as pool:
            for batch in _batches(orders):
                tried = pool.map(partial(self._try_order, budget, most_made), batch)
                for order, found in zip(batch, tried, strict=True):
                    if isinstance(found, Compiled):
                        most_made = min(most_made, found.n_edges_made)
                    work += found.n_edges_made if isinstance(found, Compiled) else found.n_edges
                    self._take(order.name, found.draft if isinstance(found, Compiled) else found)
                if work > _MOST_WORK or budget.is_over():
                    break

    def _try_order(self, budget: Budget, most_made: int, order: Order) -> Compiled | Shortfall:
        if budget.is_over():  # Even to begin takes a while, if tables are large.
            return Shortfall(Problem.COMPILING_TOO_LONG, 0)
        return compile_in_order(self.network, order, self.given, budget.share(_SHARE_OF_ONE), most_made)

    def try_splits(self) -> None:
        is_small = self.best is not None and self.best.n_edges <= _MANY_EDGES_PER_LEAF * self.network.n_leaves
        if is_small or not self._has_small_trees:
            return
        # What is known makes a circuit smaller only when it is there.
        is_smaller_later = bool((self.given >= 0).any())
        limit = self.budget.max_edges if self.best is None or is_smaller_later else self.best.n_edges - 1
        found = climb(self.network, self.budget, limit, lambda n_edges: self._note("splits", n_edges))
        if isinstance(found, Draft):
            found = found.given(self.network, self.given).shared(self.network)
        self._take("splits, shared", found)

    def smallest(self) -> Circuit:
        if self.best is None:
            assert self.farthest is not None
            raise self.farthest.error(self.budget, self.n_attempts, self.log2_states)
        return self.best.circuit(self.network)

    def _take(self, name: str, found: Draft | Shortfall) -> None:
        if isinstance(found, Draft) and found.n_edges > self.budget.max_edges:
            found = Shortfall(Problem.CIRCUIT_TOO_LARGE, found.n_edges)
        if isinstance(found, Shortfall):
            if self.farthest is None or found.n_edges > self.farthest.n_edges:
                self.farthest = found
        elif self.best is None or found.n_edges < self.best.n_edges:
            self.best = found
        self._note(name, found.n_edges if isinstance(found, Draft) else None)

    def _note(self, name: str, n_edges: int | None) -> None:
        self.n_attempts += 1
        if n_edges is not None:
            self.least_edges = n_edges if self.least_edges is None else min(n_edges, self.least_edges)
        if self.on_attempt is not None:
            self.on_attempt(Attempt(name, n_edges, self.least_edges))


def _batches(orders: list[Order]) -> Iterator[list[Order]]:
    left = iter(orders)
    yield list(islice(left, 1))
    while batch := list(islice(left, _AT_ONCE)):
        yield batch


def _normalised(circuit: Circuit) -> Circuit:
    """The circuit divided by its total, by one more parameter at its root."""
    n_leaves = int(circuit.schema.arities.sum()) + circuit.n_parameters
    total = np.exp(log_total(circuit))
    if total < _LEAST_PROBABLE:
        raise QueryError(f"expected evidence of a probability of at least {_LEAST_PROBABLE:g}, found {total:g}")
    moved = np.where(circuit.children >= n_leaves, circuit.children + 1, circuit.children)
    kinds = np.insert(circuit.kinds, n_leaves, NodeKind.PARAMETER)
    labels = np.insert(circuit.labels, n_leaves, circuit.n_parameters)
    root = circuit.root + 1 if circuit.root >= n_leaves else circuit.root
    return Circuit(
        circuit.schema,
        np.append(kinds, np.uint8(NodeKind.PRODUCT)),
        np.append(labels, np.uint32(0)),
        np.append(np.insert(circuit.child_offsets, n_leaves, 0), np.uint64(circuit.n_edges + 2)),
        np.append(moved, np.array([root, n_leaves])).astype(np.uint32),
        np.append(circuit.parameters, 1 / total),
        np.append(circuit.parameter_origins, [[-1, -1, -1]], axis=0).astype(np.int32),
    )
