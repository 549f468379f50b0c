"""What is known of rows of numbers, dates and categories, and the sums over all worlds that follow from it."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from enumerated import Enumerated
from hypothesis import settings
from hypothesis import strategies as st
from mixed_tables import Atoms, Floats, mixed, number_bins
from numpy.typing import NDArray

from learnac.data.intervals import Interval

EPOCH = datetime.date(1970, 1, 1)
each_model = pytest.mark.parametrize("n_components", [0, 3], ids=["circuit", "mixture"])
quick = settings(max_examples=25)
Test = Callable[[Floats], NDArray[np.bool_]]


@dataclass(frozen=True)
class Known:
    """What is known of a variable: as it is given, and as a test of its numbers or categories."""

    given: Any
    test: Test | None = None  # of an interval
    number: float | None = None
    category: Any = None
    cuts: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Situation:
    """What is known of a row, and the sums that follow from it."""

    case: Enumerated
    known: dict[str, Known] = field(default_factory=dict)

    @property
    def given(self) -> dict[str, Any]:
        return {name: known.given for name, known in self.known.items()}

    def atoms(self, name: str, cuts: tuple[float, ...] = ()) -> tuple[Atoms, NDArray[np.bool_]]:
        """The numbers of a column, and which of them are possible."""
        known = self.known.get(name, Known(None))
        atoms = Atoms.of(number_bins(self.case.asked, name), (*known.cuts, *cuts))
        return atoms, np.ones(len(atoms.values), bool) if known.test is None else known.test(atoms.values)

    def factors(self) -> dict[int, Floats]:
        """By variable, what each of its values is worth."""
        schema = self.case.asked.schema
        found = {}
        for name, known in self.known.items():
            variable = schema.index(name)
            factor = np.zeros(len(schema.categories[variable]))
            if known.test is not None:
                atoms, inside = self.atoms(name)
                factor = atoms.shares(len(factor), inside)
            elif known.number is not None:
                bins = number_bins(self.case.asked, name)
                factor[bins.code(known.number)] = math.exp(bins.log_densities([known.number])[0])
            else:
                factor[schema.categories[variable].index(known.category)] = 1.0
            found[variable] = factor
        return found

    def joint(self) -> Floats:
        """Of each world of the intervals: its probability, times the density or the share of what is known."""
        found = self.case.probabilities()
        for variable, factor in self.factors().items():
            found = found * factor[self.case.worlds[variable]]
        return found

    def densest(self) -> Floats:
        """Of each world of the intervals: the highest density of its numbers."""
        found, factors = self.case.probabilities(), self.factors()
        for variable, name in enumerate(self.case.asked.schema.names):
            known = self.known.get(name, Known(None))
            factor = factors.get(variable, np.ones(len(self.case.asked.schema.categories[variable])))
            if name in numbers and known.number is None:
                bins = number_bins(self.case.asked, name)
                assert bins.spread is not None
                # A tail is densest at its end, which no atom is.
                ends = np.array([*bins.spread.starts, *known.cuts]) if bins.spread.step == 0 else np.empty(0)
                values = np.concatenate(
                    [self.atoms(name)[0].values, ends, np.nextafter(ends, -np.inf), np.nextafter(ends, np.inf)]
                )
                values = values if known.test is None else values[known.test(values)]
                factor = np.zeros(len(factor))
                np.maximum.at(factor, bins.codes(values), np.exp(bins.log_densities(values)))
            found = found * factor[self.case.worlds[variable]]
        return found

    def posterior(self, name: str) -> Floats:
        return self.case.posterior(self.joint(), self.case.asked.schema.index(name))

    def probability_of(self, name: str, test: Test, cuts: tuple[float, ...] = ()) -> float:
        """That a number passes a test."""
        posterior = self.posterior(name)
        atoms, inside = self.atoms(name, cuts)
        both = atoms.shares(len(posterior), inside & test(atoms.values))
        all_inside = atoms.shares(len(posterior), inside)
        return float((posterior * np.divide(both, all_inside, np.zeros(len(both)), where=all_inside > 0)).sum())

    def mean(self, name: str) -> float:
        posterior = self.posterior(name)
        atoms, inside = self.atoms(name)
        sums, shares = atoms.shares(len(posterior), inside, 1), atoms.shares(len(posterior), inside)
        return float((posterior * np.divide(sums, shares, np.zeros(len(sums)), where=shares > 0)).sum())


def day_text(number: float) -> str:
    return str(EPOCH + datetime.timedelta(int(number)))


def intervals(number: st.SearchStrategy[float], text: Callable[[float], Any]) -> st.SearchStrategy[Known]:
    """Intervals as people write them, each with its own test: not a line of the code that reads them."""

    def made(form: str, a: float, b: float) -> Known:
        a, b = min(a, b), max(a, b)
        match form:
            case "..":
                return Known(f"{text(a)}..{text(b)}", lambda x: (a <= x) & (x <= b), cuts=(a, b))
            case "<":
                return Known(f"<{text(a)}", lambda x: x < a, cuts=(a,))
            case "<=":
                return Known(f"<= {text(a)}", lambda x: x <= a, cuts=(a,))
            case ">":
                return Known(f"> {text(a)}", lambda x: x > a, cuts=(a,))
            case ">=":
                return Known(f">={text(a)}", lambda x: x >= a, cuts=(a,))
            case _:
                return Known(Interval(a if text is repr else text(a), None), lambda x: x >= a, cuts=(a,))

    return st.builds(made, st.sampled_from(["..", "<", "<=", ">", ">=", "Interval"]), number, number)


HEIGHTS = st.floats(-5, 11).map(lambda x: round(x, 3)) | st.just(1.5)
COUNTS = st.integers(-3, 60).map(float)
DAYS = st.integers(18250, 18340).map(float)
numbers: dict[str, st.SearchStrategy[Known]] = {
    "height": HEIGHTS.map(lambda x: Known(x, number=x)) | intervals(HEIGHTS, repr),
    "spent": COUNTS.map(lambda x: Known(int(x), number=x)) | intervals(COUNTS, int),
    "day": DAYS.map(lambda x: Known(day_text(x), number=x)) | intervals(DAYS, day_text),
}
pieces: dict[str, st.SearchStrategy[Known]] = numbers | {
    "kind": st.sampled_from(["a", "b", "c"]).map(lambda x: Known(x, category=x)),
    "ill": st.booleans().map(lambda x: Known(x, category=x)),
}


@st.composite
def situations(draw: st.DrawFn, without: tuple[str, ...] = (), least: int = 0) -> dict[str, Known]:
    """Something known of some variables: a range so narrow that no number lies in it is none."""
    names = draw(st.lists(st.sampled_from([n for n in pieces if n not in without]), min_size=least, unique=True))
    found = {name: draw(pieces[name]) for name in names}
    case = mixed(0)
    factors = Situation(case, found).factors()
    return {name: known for name, known in found.items() if factors[case.asked.schema.index(name)].sum() > 1e-9}
