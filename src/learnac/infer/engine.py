"""What answers the queries of a circuit, or of a mixture: its evaluator."""

from __future__ import annotations

from numbers import Integral
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from learnac._core import MixtureEvaluator
from learnac.circuit import Circuit, Mixture, NodeKind, Queryable, core_evaluator, mixture_evaluator
from learnac.errors import QueryError
from learnac.infer.evaluator import Evaluator

# More threads than any machine has would only cost memory.
_MOST_THREADS = 1024


class Engine:
    """The evaluator of one circuit or mixture, and where each variable's values are among the posteriors."""

    def __init__(self, asked: Queryable) -> None:
        self.schema = schema = asked.schema
        self.components: MixtureEvaluator | None = None
        self.evaluator: Evaluator
        if isinstance(asked, Mixture):
            self.evaluator = self.components = mixture_evaluator(asked)
            self.is_deterministic = False
        else:
            self.evaluator = core_evaluator(asked)
            # A sum that decides a variable has children that exclude each other.
            self.is_deterministic = bool((asked.labels[asked.kinds == NodeKind.SUM] != Circuit.NO_LABEL).all())
        self.starts: NDArray[np.int64] = np.concatenate([[0], np.cumsum(schema.arities)]).astype(np.int64)
        self.all_variables = np.arange(schema.n_variables, dtype=np.uint32)

    def require_deterministic(self, query: str) -> None:
        """Refuse a query that is exact only where each world is one term of the circuit."""
        if not self.is_deterministic:
            found = "a mixture" if self.components is not None else "one with sums that decide no variable"
            raise QueryError(f"{query}: expected a deterministic circuit, found {found}")


def usable_threads(n_threads: int) -> int:
    """As many threads as asked for, or as can be of any use. TypeError or ValueError for what is no number from 1."""
    if not isinstance(n_threads, Integral) or isinstance(n_threads, bool):
        raise TypeError(f"n_threads: expected a whole number, found {n_threads!r}")
    if n_threads < 1:
        raise ValueError(f"n_threads: expected at least 1, found {n_threads}")
    return min(int(n_threads), _MOST_THREADS)


_engines: WeakKeyDictionary[Queryable, Engine] = WeakKeyDictionary()


def engine_of(asked: Queryable) -> Engine:
    """The engine of a circuit or mixture, made when first asked for."""
    engine = _engines.get(asked)
    if engine is None:
        engine = _engines[asked] = Engine(asked)
    return engine
