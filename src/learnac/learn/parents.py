"""Which variables may, must and must not depend on which: what people know before anything is counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from learnac.data import Schema
from learnac.errors import SettingError, SettingTypeError, described, listed

ParentLists: TypeAlias = Mapping[Any, Iterable[Any]]
"""From the name of a variable to names of others."""

Masks: TypeAlias = tuple[NDArray[np.bool_], ...]


@dataclass(frozen=True, slots=True)
class ParentRules:
    """What is stated about parents, by names. All of it holds at once; what is not mentioned is free."""

    allowed: ParentLists | None = None  # the only ones that a variable may have
    forbidden: ParentLists | None = None
    required: ParentLists | None = None  # a variable's tree begins by asking these
    tiers: Sequence[Iterable[Any]] | None = None  # no variable depends on one of a later tier

    @property
    def is_empty(self) -> bool:
        return all(stated is None for stated in (self.allowed, self.forbidden, self.required, self.tiers))

    def document(self) -> dict[str, Any]:
        """In types that JSON has, by the names that the estimator has for them; without what is not stated."""
        lists = {
            "allowed_parents": self.allowed,
            "forbidden_parents": self.forbidden,
            "required_parents": self.required,
        }
        found: dict[str, Any] = {
            name: {str(child): [str(v) for v in vs] for child, vs in stated.items()}
            for name, stated in lists.items()
            if stated is not None
        }
        if self.tiers is not None:
            found["tiers"] = [[str(name) for name in tier] for tier in self.tiers]
        return found

    def masks(self, schema: Schema) -> Masks | None:
        """Per variable, which variables may be its parents; None if all may. SettingError for what cannot be."""
        if self.allowed is None and self.forbidden is None and not self.tiers:
            return None
        masks = [np.ones(schema.n_variables, dtype=bool) for _ in schema.names]
        for child, parents in _arcs(schema, "allowed_parents", self.allowed).items():
            masks[child][:] = False
            masks[child][parents] = True
        for child, parents in _arcs(schema, "forbidden_parents", self.forbidden).items():
            masks[child][parents] = False
        tier_of = _tiers(schema, self.tiers)
        for child, tier in tier_of.items():
            masks[child][[other for other, later in tier_of.items() if later > tier]] = False
        return tuple(masks)

    def required_arcs(self, schema: Schema) -> dict[int, list[int]]:
        """Per variable with required parents, these, in the order given. SettingError for what cannot be."""
        arcs = _arcs(schema, "required_parents", self.required)
        masks = self.masks(schema)
        for child, parents in arcs.items():
            for parent in parents:
                if masks is not None and not masks[child][parent]:
                    name = schema.names[child]
                    complaint = f"{schema.names[parent]!r} is required, and not allowed by the other settings"
                    raise SettingError("required_parents", "allowed parents", column=name, complaint=complaint)
        try:
            TopologicalSorter(arcs).prepare()
        except CycleError as error:
            names = " <- ".join(schema.names[variable] for variable in error.args[1])
            raise SettingError("required_parents", "no cycle", complaint=f"expected no cycle, found {names}") from None
        return {child: parents for child, parents in arcs.items() if parents}


Parents: TypeAlias = ParentLists | ParentRules | None
"""Rules, or only the parents that are allowed."""


def as_rules(parents: Parents) -> ParentRules:
    return parents if isinstance(parents, ParentRules) else ParentRules(allowed=parents)


def _arcs(schema: Schema, setting: str, stated: ParentLists | None) -> dict[int, list[int]]:
    if stated is None:
        return {}
    if not isinstance(stated, Mapping):
        found = type(stated).__name__
        raise SettingTypeError(setting, "a mapping", found, complaint=f"expected a mapping, found {found}")
    arcs: dict[int, list[int]] = {}
    for child, parents in stated.items():
        if isinstance(parents, str) or not isinstance(parents, Iterable):
            complaint = f"expected a list of names, found {described(parents)}"
            raise SettingTypeError(setting, "a list of names", parents, column=child, complaint=complaint)
        own = arcs.setdefault(_position(schema, setting, child), [])
        for parent in parents:
            if str(parent) == str(child):
                complaint = "a variable cannot be its own parent"
                raise SettingError(setting, "other variables", parent, column=child, complaint=complaint)
            own.append(_position(schema, setting, parent))
    return {child: list(dict.fromkeys(parents)) for child, parents in arcs.items()}


def _tiers(schema: Schema, tiers: Sequence[Iterable[Any]] | None) -> dict[int, int]:
    if tiers is None:
        return {}
    if isinstance(tiers, str) or not isinstance(tiers, Sequence) or any(isinstance(tier, str) for tier in tiers):
        raise SettingTypeError("tiers", "a list of lists of names", described(tiers))
    tier_of: dict[int, int] = {}
    for number, tier in enumerate(tiers):
        for name in tier:
            variable = _position(schema, "tiers", name)
            if tier_of.setdefault(variable, number) != number:
                raise SettingError("tiers", "each name in one tier", complaint=f"{name!r} is in two tiers")
    return tier_of


def _position(schema: Schema, setting: str, name: object) -> int:
    if str(name) not in schema.names:
        complaint = f"expected names of variables, found {name!r}; there are {listed(schema.names)}"
        raise SettingError(setting, "names of variables", name, complaint=complaint)
    return schema.names.index(str(name))
