"""Conditions are written as people write them, and mean what they say."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed_tables import dataset

from learnac import Schema
from learnac.data import Bins
from learnac.data.conditions import condition, known_text
from learnac.data.intervals import interval_of
from learnac.data.spread import Spread

BINS = Bins((18.0, 37.5, 65.0))
SCHEMA = Schema(
    ("city", "size", "age"),
    (("Bern", "Bonn", "Oslo", "Rome", "Wien", "Zug"), ("small", "middle", "large"), BINS.labels),
    bins=(None, None, BINS),
    ordered=(False, True, True),
)


@pytest.mark.parametrize(
    ("variable", "codes", "text"),
    [
        (0, [2], "city = Oslo"),
        (0, [0, 2], "city = Bern or Oslo"),
        (0, [0, 1, 2, 3, 5], "city not Wien"),
        (0, [0, 1, 2, 3], "city = Bern or Bonn or Oslo or Rome"),
        (0, [0, 1, 2, 3, 4, 5], "city = Bern or Bonn or Oslo or 3 others"),
        (1, [0], "size = small"),
        (1, [0, 1], "size <= middle"),
        (1, [1, 2], "size > small"),
        (1, [0, 2], "size = small or large"),
        (2, [0], "age < 18"),
        (2, [0, 1], "age < 37.5"),
        (2, [1, 2, 3], "age >= 18"),
        (2, [3], "age >= 65"),
        (2, [1], "18 <= age < 37.5"),
        (2, [1, 2], "18 <= age < 65"),
        (2, [0, 3], "age < 18 or age >= 65"),
        (2, [0, 1, 2, 3], "age = any number"),
    ],
)
def test_values_of_categories_ordered_ones_and_numbers(variable: int, codes: list[int], text: str) -> None:
    assert condition(SCHEMA, variable, codes) == text


def holds(text: str, name: str, bins: Any, number: float) -> bool:
    """Whether one of the parts of a condition holds of a number."""
    return any(_holds(part, name, bins, number) for part in text.split(" or "))


def _holds(part: str, name: str, bins: Any, number: float) -> bool:
    if part == f"{name} = any number":
        return True
    if found := re.fullmatch(rf"(.+) <= {name} < (.+)", part):
        return bool(bins.number(found[1]) <= number < bins.number(found[2]))
    interval = interval_of(part.removeprefix(name).strip().removeprefix("= "))
    assert interval is not None, part
    limits = interval.limits(bins)
    assert limits is not None, part
    return limits[0] <= number < limits[1]


@settings(derandomize=True, max_examples=60)
@given(st.sampled_from(["height", "spent", "day"]), st.integers(1, 15), st.integers(0, 999))
def test_the_condition_holds_of_exactly_the_numbers_of_its_intervals(name: str, bits: int, seed: int) -> None:
    """Of numbers that lie anywhere, integers and dates; intervals that nearly are one number are named by that one."""
    schema = dataset().schema
    variable = schema.index(name)
    bins = schema.bins[variable]
    assert bins is not None
    assert bins.spread is not None
    codes = [code for code in range(len(bins.labels)) if bits >> code & 1]
    if not codes or any(bins.labels[code].startswith("= ") for code in codes):
        return
    rng = np.random.default_rng(seed)
    low, high = bins.spread.starts[0], bins.spread.starts[-1]
    numbers = np.concatenate([rng.uniform(low - 1, high + 1, 20), bins.edges, np.nextafter(bins.edges, -np.inf)])
    numbers = bins.spread.floor(numbers)
    text = condition(schema, variable, codes)
    for number, code in zip(numbers.tolist(), bins.codes(numbers).tolist(), strict=True):
        assert holds(text, name, bins, number) == (code in codes), (text, number)


def test_an_interval_that_is_one_number() -> None:
    schema = dataset().schema
    variable = schema.index("spent")
    [zero] = [code for code, label in enumerate(schema.categories[variable]) if str(label).startswith("= ")]
    assert condition(schema, variable, [zero]) == "spent = 0"


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("age", "<30", "age < 30"),
        ("age", ">= 65", "age >= 65"),
        ("age", "30..40", "age = 30..40"),
        ("age", 37.5, "age = 37.5"),
        ("city", "Bern", "city = Bern"),
        ("size", ">small", "size = >small"),
    ],
)
def test_what_is_known_as_evidence_has_it(name: str, value: Any, text: str) -> None:
    assert known_text(SCHEMA, name, value) == text


@pytest.mark.parametrize(("step", "text"), [(1.0, "x = 30..39"), (1e-6, "30 <= x < 40"), (0.0, "30 <= x < 40")])
def test_last_numbers_are_told_where_people_count_in_steps(step: float, text: str) -> None:
    spread = Spread((0.0, 30.0, 40.0, 60.0), (0.1, 0.9, 1.0, 0.8, 0.2), 5.0, step)
    bins = Bins((30.0, 40.0), spread=spread)
    schema = Schema(("x",), (bins.labels,), bins=(bins,))
    assert condition(schema, 0, (1,)) == text
