"""What a user controls about learning, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral, Real

from learnac import defaults
from learnac.errors import SettingError, SettingTypeError, listed
from learnac.learn.smoothing import Smoothing, grid
from learnac.learn.splits import SplitKind

SCHEDULES = ("quick", "greedy")
CRITERIA = ("likelihood", "bdeu")
SPLITS = tuple(kind.value for kind in SplitKind)


@dataclass(frozen=True, slots=True)
class LearnSettings:
    """The search of Table 1: scores, penalties, budgets. Raises SettingError for what makes no sense."""

    edge_penalty: float | None = None
    parameter_penalty: float = defaults.PARAMETER_PENALTY
    schedule: str = defaults.SCHEDULE
    criterion: str = defaults.CRITERION
    alpha: float | None = None
    equivalent_sample_size: float = defaults.EQUIVALENT_SAMPLE_SIZE
    shrinkage: float | None = None
    splits: str = defaults.SPLITS
    max_edges: int | None = None
    halve_edge_penalty: bool = False
    max_splits: int | None = None
    max_seconds: float | None = None
    patience: int | None = None

    def __post_init__(self) -> None:
        _check_choice("schedule", self.schedule, SCHEDULES)
        _check_choice("criterion", self.criterion, CRITERIA)
        _check_choice("splits", self.splits, SPLITS)
        if self.edge_penalty is not None:
            _check_number("edge_penalty", self.edge_penalty, least=0)
        _check_number("parameter_penalty", self.parameter_penalty, least=0)
        for name in ("alpha", "shrinkage"):
            if getattr(self, name) is not None:
                _check_number(name, getattr(self, name), least=0)
        _check_number("equivalent_sample_size", self.equivalent_sample_size, least=0, is_open=True)
        _check_number("max_seconds", self.max_seconds, least=0)
        for name, least in (("max_edges", 1), ("max_splits", 0), ("patience", 1)):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), least)
        if self.halve_edge_penalty and self.max_edges is None and self.edge_penalty is not None:
            raise SettingError("halve_edge_penalty", "{max_edges} to be set too, or halving would never end")
        if self.halve_edge_penalty and self.edge_penalty == 0:
            raise SettingError("halve_edge_penalty", "an {edge_penalty} above 0", 0)

    @property
    def first_edge_penalty(self) -> float:
        return defaults.FIRST_EDGE_PENALTY if self.edge_penalty is None else float(self.edge_penalty)

    def for_circuit(self, n_initial_edges: int) -> LearnSettings:
        """These settings for a circuit that begins with so many edges: where there is no penalty, a budget."""
        settings = self
        if self.edge_penalty is None:
            budget = max(defaults.MAX_EDGES, 4 * n_initial_edges) if self.max_edges is None else self.max_edges
            settings = replace(self, edge_penalty=self.first_edge_penalty, halve_edge_penalty=True, max_edges=budget)
        if settings.max_edges is not None and settings.max_edges < n_initial_edges:
            expected = f"at least {n_initial_edges}, the edges of the initial circuit"
            raise SettingError("max_edges", expected, settings.max_edges)
        return settings

    @property
    def chooses_smoothing(self) -> bool:
        """Whether it is left open how much to smooth: held-out rows then say."""
        return self.shrinkage is None or (self.alpha is None and self.criterion == "likelihood")

    @property
    def search_smoothing(self) -> Smoothing:
        """What splits are chosen by, and how the steps of a search are judged while it lasts."""
        shrinkage = defaults.SEARCH_SHRINKAGE if self.shrinkage is None else float(self.shrinkage)
        if self.alpha is None and self.criterion == "likelihood":
            return Smoothing("likelihood_by_leaf", defaults.SEARCH_PRIOR, shrinkage)
        return Smoothing(self.criterion, self._priors()[0], shrinkage)

    @property
    def unchosen_smoothing(self) -> Smoothing:
        """What a model has if no rows were there to choose by: the values that were given, and defaults."""
        shrinkage = defaults.SHRINKAGE if self.shrinkage is None else float(self.shrinkage)
        return Smoothing(self.criterion, self._priors((defaults.ALPHA,))[0], shrinkage)

    @property
    def smoothings(self) -> list[Smoothing]:
        """What to choose from when the search is over: the values that were given, and a grid for the others."""
        shrinkages = defaults.SHRINKAGES if self.shrinkage is None else (float(self.shrinkage),)
        return grid(self.criterion, self._priors(), shrinkages)

    def _priors(self, alphas: tuple[float, ...] = defaults.ALPHAS) -> tuple[float, ...]:
        if self.criterion == "bdeu":
            return (float(self.equivalent_sample_size),)
        return alphas if self.alpha is None else (float(self.alpha),)


def _check_choice(name: str, found: object, choices: tuple[str, ...]) -> None:
    if found not in choices:
        raise SettingError(name, f"one of {listed(choices)}", found)


def _check_number(name: str, found: object, least: float, is_open: bool = False) -> None:
    if found is None and name == "max_seconds":
        return
    if not isinstance(found, Real) or isinstance(found, bool):
        raise SettingTypeError(name, "a number", found)
    value = float(found)
    if (
        math.isnan(value)
        or value < least
        or (is_open and value == least)
        or (math.isinf(value) and name != "max_seconds")
    ):
        bound = "above" if is_open else "at least"
        raise SettingError(name, f"a finite number {bound} {least}", found)


def check_whole(name: str, found: object, least: int, otherwise: str = "") -> None:
    """Raise SettingError for what is not a whole number from `least`; `otherwise` is what else it may be, in words."""
    if not isinstance(found, Integral) or isinstance(found, bool):
        raise SettingTypeError(name, "a whole number" + otherwise, found)
    if int(found) < least:
        raise SettingError(name, f"at least {least}{otherwise}", found)
