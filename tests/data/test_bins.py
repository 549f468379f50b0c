"""Intervals of numbers: what lies in which, how they are chosen, and that they survive in schemas and frames."""

import math
import pickle
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer

from learnac.data import Binning, Bins, Dataset, Schema
from learnac.data.bins import LARGEST_NUMBER
from learnac.data.evidence import as_evidence
from learnac.data.forms import form_of
from learnac.data.number_text import number_text
from learnac.errors import DataError

each_library = pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
finite = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(-1e100, 1e100).map(lambda number: round(number, 30))
edges = st.lists(finite, max_size=6, unique=True).map(sorted).map(lambda found: tuple(dict.fromkeys(found)))


def contains(label: str, number: float) -> bool:
    """Whether a number lies in an interval, by its label alone."""
    if label == "any number":
        return True
    if found := re.fullmatch(r"< (\S+)", label):
        return number < float(found[1])
    if found := re.fullmatch(r">= (\S+)", label):
        return number >= float(found[1])
    if found := re.fullmatch(r"= (\S+)", label):
        return number == float(found[1])
    found = re.fullmatch(r"\[(\S+), (\S+)\)", label)
    assert found is not None, label
    return float(found[1]) <= number < float(found[2])


@given(edges, st.lists(st.floats(allow_nan=False) | st.integers(-3, 3)))
def test_every_number_lies_in_the_interval_of_its_code_and_in_no_other(
    edges: tuple[float, ...], numbers: list[float]
) -> None:
    bins = Bins(edges)
    assert len(set(bins.labels)) == len(bins.labels) == len(edges) + 1
    for number, code in zip([*numbers, *edges], bins.codes([*numbers, *edges]).tolist(), strict=True):
        assert [position for position, label in enumerate(bins.labels) if contains(label, number)] == [code]
        assert bins.code(number) == code


@given(edges)
def test_labels_hold_the_edges_exactly(edges: tuple[float, ...]) -> None:
    texts = [re.findall(r"[^\s,\[\])<>=]+", label) for label in Bins(edges).labels]
    found = {float(text) for group in texts for text in group if edges}
    assert found == {edge + 0.0 for edge in edges}


def test_labels_are_short() -> None:
    assert Bins((18, 65.5)).labels == ("< 18", "[18, 65.5)", ">= 65.5")
    assert Bins((-0.0,)).labels == ("< 0", ">= 0")
    assert Bins((0.1, 1e20)).labels == ("< 0.1", "[0.1, 1e+20)", ">= 1e+20")
    assert Bins(()).labels == ("any number",)
    assert [number_text(number) for number in (2.0, -0.5, 1e15, 1e16)] == ["2", "-0.5", "1000000000000000", "1e+16"]


def test_nan_is_unknown_and_infinities_are_at_the_ends() -> None:
    bins = Bins((0, 1))
    assert bins.codes([np.nan, -np.inf, np.inf, 0.5]).tolist() == [-1, 0, 2, 1]
    with pytest.raises(ValueError, match="found nan"):
        bins.code(float("nan"))


@pytest.mark.parametrize(
    ("edges", "error", "message"),
    [
        ((1, 1), ValueError, r"edges in increasing order, found \[1.0, 1.0\]"),
        ((2, 1), ValueError, "increasing order"),
        ((1, float("nan")), ValueError, "edges that are finite"),
        ((float("inf"),), ValueError, "edges that are finite"),
        (3, TypeError, "expected edges of bins, found 3"),
    ],
)
def test_edges_that_are_none(edges: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Bins(edges)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((1,), ValueError, "at least 2 bins, found 1"),
        ((True,), TypeError, "expected a number of bins, found True"),
        ((2.5,), TypeError, "expected a number of bins, found 2.5"),
        ((5, "kmeans"), ValueError, "'quantile' or 'uniform', found 'kmeans'"),
    ],
)
def test_binnings_that_are_none(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Binning(*arguments)


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e12])
def test_codes_are_those_of_scikit_learn(strategy: Any, scale: float) -> None:
    numbers = np.random.default_rng(0).normal(size=1000) * 7 + 3
    codes = Binning(6, strategy).fit(numbers * scale).codes(numbers * scale)
    options = {"quantile_method": "averaged_inverted_cdf"} if strategy == "quantile" else {}
    judge = KBinsDiscretizer(6, encode="ordinal", strategy=strategy, subsample=None, **options)
    assert np.array_equal(codes, judge.fit_transform(numbers.reshape(-1, 1)).ravel())


@given(st.lists(moderate | st.integers(-3, 3), min_size=1), st.integers(2, 8), st.sampled_from(["quantile", "uniform"]))
@example([0.0, 0.0, 0.0, 1.0, 1.0, -1.0], 2, "quantile")
@example([0.0, 61035.000061035156], 2, "quantile")  # almost a whole number
@example([0.0, 2251799814.0039062], 2, "quantile")  # so large that millionths are not all there
@example([-34359738368.47656], 2, "quantile")
def test_there_are_no_more_bins_than_asked_for_and_edges_part_numbers(
    numbers: list[float], n_bins: int, strategy: Any
) -> None:
    bins = Binning(n_bins, strategy).fit(numbers)
    assert len(bins.labels) <= n_bins
    if strategy == "quantile":
        assert set(bins.codes(numbers).tolist()) == set(range(len(bins.labels)))
        assert len(bins.labels) >= min(2, len(set(np.array(numbers, dtype=float) + 0.0)))


def test_edges_have_few_digits() -> None:
    tenths = np.arange(1, 100) / 10
    assert all(len(number_text(edge)) <= 4 for edge in Binning(7).fit(tenths).edges)
    assert Binning(4, "uniform").fit([0, 1, 2, 10]).edges == (2.5, 5, 7.5)
    assert Binning(3).fit([1 / 3, 2 / 3, 5 / 3, 8 / 3, 11 / 3, 14 / 3]).edges == (1.167, 3.167)


def test_edges_without_numbers_between_them_stay_apart() -> None:
    edges = Binning(4, "uniform").fit([-1, -0.99999]).edges
    assert np.diff(edges) == pytest.approx([2.5e-6, 2.5e-6], rel=0.1)


def test_a_value_of_many_rows_has_a_bin_of_its_own() -> None:
    none_mostly = [0] * 90 + list(range(100, 110))
    bins = Binning(4).fit(none_mostly)
    assert bins.labels == ("< 100", "[100, 103)", "[103, 106)", ">= 106")
    capped = list(range(60)) + [99] * 40
    assert Binning(5).fit(capped).codes([0, 59, 60, 98, 99]).tolist() == [0, 3, 3, 3, 4]
    assert Binning(5).fit([0, 0, 0, 1, 1]).labels == ("< 1", ">= 1")
    # Two frequent values, and one bin to give away.
    assert Binning(3).fit([0] * 4 + [1] + [2] * 4 + [3]).labels == ("< 1", "= 1", ">= 2")
    assert Binning(5).fit([7, 7]).labels == ("any number",)


def test_weights_move_quantiles_and_rows_that_cannot_count_do_not() -> None:
    numbers = np.arange(100.0)
    heavy_end = np.where(numbers < 90, 1, 81)
    assert Binning(2).fit(numbers).edges[0] == pytest.approx(50, abs=1)
    assert Binning(2).fit(numbers, heavy_end).edges[0] >= 90
    gaps = [np.nan, np.inf, -np.inf, 1, 2, 3, 4]
    assert Binning(2).fit(gaps) == Binning(2).fit([1, 2, 3, 4])
    with pytest.raises(ValueError, match="expected finite numbers to choose bins from, found none"):
        Binning(2).fit([np.nan])


def test_the_largest_and_smallest_numbers_can_be_binned() -> None:
    for numbers in ([-LARGEST_NUMBER, 0, LARGEST_NUMBER], [5e-324, 1e-323, 1.5e-323]):
        assert Binning(3).fit(numbers).codes(numbers).tolist() == [0, 1, 2]
        assert Binning(2).fit(numbers).codes(numbers).tolist()[::2] == [0, 1]
    huge = [-LARGEST_NUMBER, 0, LARGEST_NUMBER]
    assert Binning(3, "uniform").fit(huge).codes(huge).tolist() == [0, 1, 2]


@pytest.mark.parametrize("number", [math.inf, -math.inf, sys.float_info.max])
@pytest.mark.parametrize("bins", [None, {"h": 2}, {"h": [1.0]}])
def test_numbers_too_large_for_a_density_are_named_with_their_row(number: float, bins: Any) -> None:
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        with pytest.raises(DataError) as caught:
            Dataset.from_frame(make({"h": [0.5, number, 1.5]}), bins=bins)
        message = f"column 'h', row 1: expected numbers up to 1e+300, found {number}: make it a missing value"
        assert str(caught.value) == message
        assert (caught.value.column, caught.value.row, caught.value.found) == ("h", 1, number)
        schema = Dataset.from_frame(make({"h": [0.5, 2.5, 1.5]}), bins=bins).schema
        with pytest.raises(DataError, match=re.escape(message)):
            schema.encode(make({"h": [0.5, number]}))
        with pytest.raises(DataError, match=re.escape(message.replace("row 1", "row 2"))):
            as_evidence(schema, make({"h": [0.5, None, number]}))


def test_a_schema_with_bins_compares_hashes_and_pickles() -> None:
    bins = Bins((18, 65))
    schema = Schema(("age", "sex"), (bins.labels, ("f", "m")), (bins, None))
    again = pickle.loads(pickle.dumps(schema))
    assert again == schema
    assert hash(again) == hash(schema)
    assert again.bins == (Bins((18.0, 65.0)), None)
    plain = Schema(("age", "sex"), (bins.labels, ("f", "m")))
    assert plain.bins == (None, None)
    assert plain != schema


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ((Bins((1,)),), "expected bins or None for each name, found 1 for 2 names"),
        (
            (Bins((2,)), None),
            "column 'a': expected the intervals of its bins as categories, '< 2', '>= 2'; found '< 1'",
        ),
    ],
)
def test_a_schema_refuses_bins_that_are_not_its_categories(bins: Any, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        Schema(("a", "b"), (Bins((1,)).labels, (0, 1)), bins)


@each_library
def test_frames_are_binned_and_later_ones_alike(make: Callable[[Any], Any]) -> None:
    frame = make({"h": [1.5, 2.5, 3.5, 4.5], "n": [10, 20, 30, 40], "s": ["a", "b", "a", "b"]})
    table = Dataset.from_frame(frame, bins={"h": 2, "n": Bins((15, 35))})
    assert table.categories == (("< 3.5", ">= 3.5"), ("< 15", "[15, 35)", ">= 35"), ("a", "b"))
    assert {table.names[variable]: column.tolist() for variable, column in table.numbers.items()} == {
        "h": [1.5, 2.5, 3.5, 4.5],
        "n": [10, 20, 30, 40],
    }
    assert table.codes.tolist() == [[0, 0, 1, 1], [0, 1, 1, 2], [0, 1, 0, 1]]
    later = make({"h": [-7, 99], "n": [34.9, 35.0], "s": ["a", "a"]})
    assert table.schema.encode(later).tolist() == [[0, 1], [1, 2], [0, 0]]
    labels = make({"h": [">= 3.5", "< 3.5"], "n": ["< 15", ">= 35"], "s": ["b", "b"]})
    assert table.schema.encode(labels).tolist() == [[1, 0], [0, 2], [1, 1]]
    message = "column 'h', row 0: expected one of its categories, '< 3.5', '>= 3.5'; found 'x'"
    with pytest.raises(DataError, match=message):
        table.schema.encode(make({"h": ["x"], "n": [1], "s": ["a"]}))


@each_library
def test_gaps_stay_unknown_and_are_filled_by_numbers(make: Callable[[Any], Any]) -> None:
    schema = Dataset.from_frame(make({"h": [1.5, 2.5, 3.5], "k": [0, 1, 0]}), bins={"h": Bins((2,))}).schema
    bins = schema.bins[0]
    assert bins is not None
    frame = make({"h": [1.0, None, 5.0], "k": [1, 1, None]})
    evidence = as_evidence(schema, frame)
    assert evidence.codes.tolist() == [[0, -1, 1], [1, 1, -1]]
    np.testing.assert_equal(evidence.numbers[0], [1.0, np.nan, 5.0])
    filled = evidence.completed(np.array([[0, 1, 1], [1, 1, 0]], dtype=np.int8))
    columns = pl.DataFrame(filled) if not isinstance(filled, pa.Table) else pl.from_arrow(filled)
    assert isinstance(columns, pl.DataFrame)
    assert columns["h"].to_list() == [1.0, bins.modes()[1][1], 5.0]  # What was known stays.
    assert as_evidence(schema, filled).codes.tolist() == [[0, 1, 1], [1, 1, 0]]
    assert columns["k"].to_list() == [1, 1, 0]
    stated = evidence.completed(np.array([[0, 1, 1], [1, 1, 0]], dtype=np.int8), {0: np.array([9.0, 2.25, 9.0])})
    assert list(np.asarray(stated["h"]))[1] == 2.25
    whole = make({"h": [1.0, 5.0], "k": [1, None]})
    untouched = as_evidence(schema, whole).completed(np.array([[0, 1], [1, 0]], dtype=np.int8))
    assert list(np.asarray(untouched["h"])) == [1.0, 5.0]
    drawn = {0: np.array([2.5, 1.5])}
    sampled = form_of(frame).table(schema, np.array([[1, 0], [0, 1]], dtype=np.int8), drawn)
    assert list(np.asarray(sampled["h"])) == [2.5, 1.5]


@each_library
def test_intervals_without_a_density_are_filled_by_their_labels(make: Callable[[Any], Any]) -> None:
    """As those of models that were learned before numbers had densities."""
    bins = Bins((2,))
    schema = Schema(("h", "k"), (bins.labels, (0, 1)), (bins, None))
    frame = make({"h": [1.0, None, 5.0], "k": [1, 1, None]})
    evidence = as_evidence(schema, frame)
    assert (evidence.codes.tolist(), dict(evidence.numbers)) == ([[0, -1, 1], [1, 1, -1]], {})
    filled = evidence.completed(np.array([[0, 1, 1], [1, 1, 0]], dtype=np.int8))
    columns = pl.DataFrame(filled) if not isinstance(filled, pa.Table) else pl.from_arrow(filled)
    assert isinstance(columns, pl.DataFrame)
    assert columns["h"].to_list() == ["1", ">= 2", "5"]  # What was known stays, as text beside the label.
    assert as_evidence(schema, filled).codes.tolist() == [[0, 1, 1], [1, 1, 0]]
    sampled = form_of(frame).table(schema, np.array([[1, 0], [0, 1]], dtype=np.int8), {})
    assert [str(value) for value in sampled["h"]] == [">= 2", "< 2"]


def test_a_dataset_of_numbers_is_recoded_into_intervals() -> None:
    binned = Dataset.from_frame(pd.DataFrame({"n": range(10)}), bins={"n": Bins((5,))})
    plain = Dataset.from_frame(pd.DataFrame({"n": [7, 3, 5]}))
    assert binned.schema.encode(plain).tolist() == [[1, 0, 1]]
    assert binned.schema.encode(pl.DataFrame({"n": pl.Series([7, 3], dtype=pl.Int128)})).tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"bins": {"z": 3}}, ValueError, "bins are stated for 'z', but the columns of the table are 'h', 's'"),
        ({"bins": {"h": 3}, "categories": {"h": [1, 2]}}, ValueError, "column 'h': expected one of bins, drop, a kind"),
        ({"bins": {"h": 3}, "kinds": {"h": "ordered"}}, ValueError, "column 'h': expected one of bins, drop, a kind"),
        ({"kinds": {"s": "number"}}, DataError, "column 's': expected numbers to put into bins, found strings"),
        ({"bins": {"h": "3"}}, TypeError, "column 'h': expected a number of bins, edges, Bins or a Binning, found '3'"),
        ({"bins": [3]}, TypeError, "expected bins as a mapping from column name to their number, found list"),
        ({"bins": {"s": 3}}, DataError, "column 's': expected numbers to put into bins, found strings"),
        ({"bins": {"h": 1}}, ValueError, "expected at least 2 bins, found 1"),
    ],
)
def test_bins_that_do_not_fit_the_frame(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Dataset.from_frame(pd.DataFrame({"h": [1, 2], "s": ["a", "b"]}), **options)


def test_infinities_alone_cannot_be_binned() -> None:
    with pytest.raises(DataError, match="column 'h', row 0: expected numbers up to"):
        Dataset.from_frame(pd.DataFrame({"h": [np.inf, np.inf]}), bins={"h": 2})


def test_bins_of_all_columns_that_need_them_and_edges() -> None:
    frame = pd.DataFrame({"h": [0.5, 1.5, 2.5, 3.5], "n": [1, 2, 1, 2], "s": list("abab"), "w": [1.0, 2.0, 1.0, 3.0]})
    assert [bins is not None for bins in Dataset.from_frame(frame, bins=2).schema.bins] == [True, False, False, False]
    found = Dataset.from_frame(frame, bins={"h": [1, 3], "w": (1.5,)}).schema.bins
    assert [None if bins is None else bins.edges for bins in found] == [(1, 3), None, None, (1.5,)]
    assert all(bins is None or bins.spread is not None for bins in found)


def test_intervals_of_pandas_are_categories() -> None:
    ages = pd.DataFrame({"age": pd.cut([5, 15, 25, 8], [0, 10, 20, 30]), "n": [1, 2, 1, 2]})
    table = Dataset.from_frame(ages)
    assert table.categories[0] == ("(0, 10]", "(10, 20]", "(20, 30]")
    assert table.codes.tolist() == [[0, 1, 2, 0], [0, 1, 0, 1]]
    assert np.array_equal(table.schema.encode(ages), table.codes)
