"""What answers a circuit's queries: its evaluator, and where each variable and category is."""

from __future__ import annotations

from collections.abc import Hashable
from numbers import Real
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from learnac.circuit import Circuit, NodeKind, core_evaluator
from learnac.errors import QueryError, listed
from learnac.infer.evaluator import Evaluator


class Engine:
    """The evaluator of one circuit, with its schema's names and categories in dictionaries."""

    def __init__(self, circuit: Circuit) -> None:
        schema = circuit.schema
        self.schema = schema
        self.evaluator: Evaluator = core_evaluator(circuit)
        self.starts: NDArray[np.int64] = np.concatenate([[0], np.cumsum(schema.arities)]).astype(np.int64)
        self.all_variables = np.arange(schema.n_variables, dtype=np.uint32)
        # A sum that decides a variable has children that exclude each other.
        self.is_deterministic = bool((circuit.labels[circuit.kinds == NodeKind.SUM] != Circuit.NO_LABEL).all())
        self._positions = {name: position for position, name in enumerate(schema.names)}
        self._codes: list[dict[Hashable, int]] = [
            {category: code for code, category in enumerate(categories)} for categories in schema.categories
        ]

    def position(self, name: object) -> int:
        """The variable called `name`."""
        position = self._positions.get(str(name))
        if position is None:
            raise QueryError(f"no variable is called {name!r}; there are {listed(self.schema.names)}")
        return position

    def code(self, variable: int, category: object) -> int:
        """The code of a category of a variable; of the interval that a number lies in, if the variable has bins."""
        code = self._codes[variable].get(category) if isinstance(category, Hashable) else None
        bins = self.schema.bins[variable]
        if code is None and bins is not None and isinstance(category, Real) and not isinstance(category, bool):
            return bins.code(float(category))
        if code is None:
            raise QueryError(
                f"variable {self.schema.names[variable]!r}: expected one of its categories, "
                f"{listed(self.schema.categories[variable])}; found {category!r}"
            )
        return code

    def require_deterministic(self, query: str) -> None:
        """Refuse a query that is exact only where each world is one term of the circuit."""
        if not self.is_deterministic:
            raise QueryError(f"{query}: expected a deterministic circuit; this one has sums that decide no variable")


_engines: WeakKeyDictionary[Circuit, Engine] = WeakKeyDictionary()


def engine_of(circuit: Circuit) -> Engine:
    """The engine of a circuit, made when first asked for."""
    engine = _engines.get(circuit)
    if engine is None:
        engine = _engines[circuit] = Engine(circuit)
    return engine
