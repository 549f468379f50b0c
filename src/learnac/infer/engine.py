"""What answers a circuit's queries: its evaluator."""

from __future__ import annotations

from numbers import Integral
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit, NodeKind, core_evaluator
from learnac.errors import QueryError
from learnac.infer.evaluator import Evaluator

# More threads than any machine has would only cost memory.
_MOST_THREADS = 1024


class Engine:
    """The evaluator of one circuit, and where each variable's values are among the posteriors."""

    def __init__(self, circuit: Circuit) -> None:
        schema = circuit.schema
        self.schema = schema
        self.evaluator: Evaluator = core_evaluator(circuit)
        self.starts: NDArray[np.int64] = np.concatenate([[0], np.cumsum(schema.arities)]).astype(np.int64)
        self.all_variables = np.arange(schema.n_variables, dtype=np.uint32)
        # A sum that decides a variable has children that exclude each other.
        self.is_deterministic = bool((circuit.labels[circuit.kinds == NodeKind.SUM] != Circuit.NO_LABEL).all())

    def require_deterministic(self, query: str) -> None:
        """Refuse a query that is exact only where each world is one term of the circuit."""
        if not self.is_deterministic:
            raise QueryError(f"{query}: expected a deterministic circuit; this one has sums that decide no variable")


def usable_threads(n_threads: int) -> int:
    """As many threads as asked for, or as can be of any use. TypeError or ValueError for what is no number from 1."""
    if not isinstance(n_threads, Integral) or isinstance(n_threads, bool):
        raise TypeError(f"n_threads: expected a whole number, found {n_threads!r}")
    if n_threads < 1:
        raise ValueError(f"n_threads: expected at least 1, found {n_threads}")
    return min(int(n_threads), _MOST_THREADS)


_engines: WeakKeyDictionary[Circuit, Engine] = WeakKeyDictionary()


def engine_of(circuit: Circuit) -> Engine:
    """The engine of a circuit, made when first asked for."""
    engine = _engines.get(circuit)
    if engine is None:
        engine = _engines[circuit] = Engine(circuit)
    return engine
