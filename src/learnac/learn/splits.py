"""Splits of a leaf, and the search space they come from (Definitions 1 and 2 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

_TWO_BRANCHES = np.arange(2, dtype=np.uint32)


class SplitKind(StrEnum):
    """How a split deals the values of its variable out to branches."""

    COMPLETE = "complete"  # a branch for each value, as in the paper
    BINARY = (
        "binary"  # two: one value against the rest, or, of an ordered variable, those up to a value and those above
    )


@dataclass(frozen=True, slots=True)
class Split:
    """Splits leaf `leaf` on `variable`.

    `value` is what a binary split sets against the rest or, if the variable is ordered, the last value of its first
    branch. For complete splits it is 0.
    """

    leaf: int
    variable: int
    value: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class SplitSpace:
    """Which splits there can be: arities, kind, the parents each variable may have, and which variables are ordered."""

    arities: NDArray[np.int64]
    kind: SplitKind
    allowed_parents: tuple[NDArray[np.bool_], ...] | None = None  # per child, over variables
    required_arcs: tuple[tuple[int, int], ...] = ()  # children and parents that their trees begin with
    ordered: tuple[bool, ...] = ()  # () if none is

    @property
    def n_variables(self) -> int:
        return len(self.arities)

    @property
    def is_binary(self) -> bool:
        return self.kind is SplitKind.BINARY

    @property
    def allowed_bytes(self) -> NDArray[np.uint8]:
        """What the core takes: a byte for each child and variable, or none if everything is allowed."""
        masks = [] if self.allowed_parents is None else list(self.allowed_parents)
        return np.concatenate([np.empty(0, np.uint8), *masks]).astype(np.uint8)

    @property
    def ordered_bytes(self) -> NDArray[np.uint8]:
        """What the core takes: a byte for each variable, 1 for those that are split by thresholds."""
        ordered = self.ordered or (False,) * self.n_variables
        return np.array(ordered, dtype=np.uint8) * (self.arities > 2) * self.is_binary

    def values_to_split_on(self, variable: int) -> range:
        """For splits that tell all values of a variable apart, one after the other."""
        return range(int(self.arities[variable]) - 1 if self.is_binary else 1)

    def n_branches(self, variable: int) -> int:
        return 2 if self.is_binary else int(self.arities[variable])

    def branch_of(self, split: Split) -> NDArray[np.uint32]:
        """The branch that each value of the split's variable goes to."""
        arity = int(self.arities[split.variable])
        if arity == 2:
            return _TWO_BRANCHES
        values = np.arange(arity, dtype=np.uint32)
        if not self.is_binary:
            return values
        is_ordered = bool(self.ordered) and self.ordered[split.variable]
        return (values > split.value if is_ordered else values != split.value).astype(np.uint32)
