"""What columns hold is found from their types and values, alike in every library, and goes back as it came."""

from __future__ import annotations

import datetime
import math
import pickle
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnac import Dataset, LearnAC, load
from learnac.data import Schema, as_evidence
from learnac.data.calendars import Calendar, calendar_of, seconds_of_texts
from learnac.data.dataset import later_dataset
from learnac.data.intervals import Interval, interval_of
from learnac.data.prepare import prepare
from learnac.data.schema_file import read_schema_file, write_schema_file
from learnac.errors import DataError, LeftOutWarning

N = 30
DAYS = [datetime.date(2020, 1, 1) + datetime.timedelta(row % 17) for row in range(N)]
TIMES = [datetime.datetime(2020, 1, 1, 12) + datetime.timedelta(hours=7 * row) for row in range(N)]
ZONED = [time.replace(tzinfo=datetime.UTC) for time in TIMES]
DECIMALS = [Decimal("1.25") + row for row in range(N)]
WORDS = ["a", "b", "c"] * 10
FEW = [0, 1, 2] * 10
PARIS = pd.to_datetime(TIMES).tz_localize("Europe/Paris")

# By what it is: the column, its kind, and the calendar or the step of its numbers.
COLUMNS: dict[str, tuple[Any, str, Any]] = {
    "pandas Int8": (pd.DataFrame({"x": pd.Series(FEW, dtype="Int8")}), "ordered", None),
    "pandas Float64": (pd.DataFrame({"x": pd.Series([0.5, 1.25, 3.5] * 10, dtype="Float64")}), "number", 0.01),
    "pandas boolean": (pd.DataFrame({"x": pd.Series([True, False] * 15, dtype="boolean")}), "boolean", None),
    "pandas string": (pd.DataFrame({"x": pd.Series(WORDS, dtype="string")}), "categorical", None),
    "pandas arrow string": (pd.DataFrame({"x": pd.Series(WORDS, dtype="string[pyarrow]")}), "categorical", None),
    "pandas arrow timestamp": (
        pd.DataFrame({"x": pd.Series(TIMES, dtype=pd.ArrowDtype(pa.timestamp("us")))}),
        "date",
        "seconds",
    ),
    "pandas arrow date": (pd.DataFrame({"x": pd.Series(DAYS, dtype=pd.ArrowDtype(pa.date32()))}), "date", "days"),
    "pandas arrow decimal": (
        pd.DataFrame({"x": pd.Series(DECIMALS, dtype=pd.ArrowDtype(pa.decimal128(8, 2)))}),
        "number",
        0.25,
    ),
    "pandas arrow int": (pd.DataFrame({"x": pd.Series(range(N), dtype=pd.ArrowDtype(pa.int16()))}), "number", 1.0),
    "pandas categorical": (pd.DataFrame({"x": pd.Categorical(WORDS)}), "categorical", None),
    "pandas ordered": (pd.DataFrame({"x": pd.Categorical(WORDS, ["c", "b", "a"], ordered=True)}), "ordered", None),
    "pandas categorical of integers": (pd.DataFrame({"x": pd.Categorical(FEW)}), "categorical", None),
    "pandas datetime": (pd.DataFrame({"x": pd.to_datetime(TIMES)}), "date", "seconds"),
    "pandas datetime of days": (pd.DataFrame({"x": pd.to_datetime(DAYS)}), "date", "days"),
    "pandas datetime[s]": (pd.DataFrame({"x": pd.to_datetime(TIMES).astype("datetime64[s]")}), "date", "seconds"),
    "pandas datetime with a zone": (pd.DataFrame({"x": PARIS}), "date", "seconds"),
    "pandas objects that are dates": (pd.DataFrame({"x": pd.Series(DAYS, dtype=object)}), "date", "days"),
    "pandas objects that are decimals": (pd.DataFrame({"x": DECIMALS}), "number", 0.25),
    "pandas whole floats": (pd.DataFrame({"x": np.arange(N) * 1.0 + 5}), "number", 1.0),
    "pandas few whole floats": (pd.DataFrame({"x": np.array(FEW) * 1.0}), "ordered", None),
    "pandas two whole floats": (pd.DataFrame({"x": [0.0, 1.0] * 15}), "categorical", None),
    "pandas uint64": (pd.DataFrame({"x": np.arange(N, dtype=np.uint64) * 2**50}), "number", 0.0),
    "pandas floats beyond integers": (pd.DataFrame({"x": np.array([1e200, 2e200, 3e250] * 10)}), "number", 0.0),
    "pandas texts of dates": (pd.DataFrame({"x": list(map(str, DAYS))}), "date", "days"),
    "pandas texts of times": (pd.DataFrame({"x": [f"{time.isoformat()}Z" for time in TIMES]}), "date", "seconds"),
    "pandas categorical of dates": (pd.DataFrame({"x": pd.Categorical(list(map(str, DAYS)))}), "categorical", None),
    "polars Date": (pl.DataFrame({"x": DAYS}), "date", "days"),
    "polars Datetime": (pl.DataFrame({"x": TIMES}), "date", "seconds"),
    "polars Datetime with a zone": (pl.DataFrame({"x": ZONED}), "date", "seconds"),
    "polars Datetime[ms]": (pl.DataFrame({"x": TIMES}, schema={"x": pl.Datetime("ms")}), "date", "seconds"),
    "polars Enum": (pl.DataFrame({"x": pl.Series(WORDS, dtype=pl.Enum(["c", "b", "a"]))}), "ordered", None),
    "polars Categorical": (pl.DataFrame({"x": pl.Series(WORDS, dtype=pl.Categorical)}), "categorical", None),
    "polars Decimal": (pl.DataFrame({"x": pl.Series(DECIMALS, dtype=pl.Decimal(8, 2))}), "number", 0.25),
    "polars Float32": (pl.DataFrame({"x": pl.Series([row / 7 for row in range(N)], dtype=pl.Float32)}), "number", 0.0),
    "polars Boolean": (pl.DataFrame({"x": [True, False] * 15}), "boolean", None),
    "pyarrow date32": (pa.table({"x": pa.array(DAYS)}), "date", "days"),
    "pyarrow date64": (pa.table({"x": pa.array(DAYS, pa.date64())}), "date", "days"),
    "pyarrow timestamp": (pa.table({"x": pa.array(TIMES, pa.timestamp("ns"))}), "date", "seconds"),
    "pyarrow timestamp with a zone": (
        pa.table({"x": pa.array(ZONED, pa.timestamp("s", "Europe/Paris"))}),
        "date",
        "seconds",
    ),
    "pyarrow dictionary": (pa.table({"x": pa.array(WORDS).dictionary_encode()}), "categorical", None),
    "pyarrow ordered dictionary": (
        pa.table({"x": pa.DictionaryArray.from_arrays(pa.array(FEW), pa.array(["c", "b", "a"]), ordered=True)}),
        "ordered",
        None,
    ),
    "pyarrow decimal128": (pa.table({"x": pa.array(DECIMALS)}), "number", 0.25),
    "pyarrow decimal256": (pa.table({"x": pa.array(DECIMALS, pa.decimal256(40, 2))}), "number", 0.25),
    "pyarrow half floats": (pa.table({"x": pa.array(np.arange(N, dtype=np.float16) / 4)}), "number", 0.25),
    "pyarrow large strings": (pa.table({"x": pa.array(WORDS, pa.large_string())}), "categorical", None),
}


@pytest.mark.parametrize(("frame", "kind", "unit"), COLUMNS.values(), ids=COLUMNS.keys())
def test_the_kind_of_a_column_is_found(frame: Any, kind: str, unit: Any) -> None:
    table = Dataset.from_frame(frame)
    (report,) = table.reports
    (bins,) = table.schema.bins
    assert (report.name, report.kind, report.is_left_out) == ("x", kind, False)
    assert report.n_values == len(set(as_list(frame)))
    assert table.schema.ordered == (kind in ("ordered", "number", "date"),)
    if unit is None:
        assert bins is None
        return
    assert bins is not None
    assert bins.spread is not None
    assert bins.calendar == (unit if isinstance(unit, str) else None)
    if not isinstance(unit, str):
        assert bins.spread.step == unit
    assert table.codes[0].tolist() == bins.codes(table.numbers[0]).tolist()
    # Every number has a density, and the largest of them its own unit.
    assert np.isfinite(bins.log_densities(table.numbers[0])).all()


@pytest.mark.parametrize(("frame", "kind", "unit"), COLUMNS.values(), ids=COLUMNS.keys())
def test_a_column_goes_back_as_it_came(frame: Any, kind: str, unit: Any) -> None:
    table = Dataset.from_frame(frame)
    for again in (table.schema.encode(frame), as_evidence(table.schema, frame).codes):
        np.testing.assert_array_equal(again, table.codes)
    for library in ("pandas", "polars", "pyarrow"):
        back = later_dataset(table.schema, table.to_frame(library))
        np.testing.assert_array_equal(back.codes, table.codes)
        assert all(np.array_equal(back.numbers[v], table.numbers[v]) for v in table.numbers)
    # A frame without gaps, and the same with some that are filled, keep type and values.
    assert as_list(as_evidence(table.schema, frame).completed(table.codes.astype(np.int8))) == as_list(frame)


@pytest.mark.parametrize("name", [name for name in COLUMNS if "texts" not in name])
def test_a_gap_is_filled_in_the_type_of_its_column(name: str) -> None:
    frame, _, _ = COLUMNS[name]
    table = Dataset.from_frame(frame)
    gappy = with_gap(frame)
    evidence = as_evidence(table.schema, gappy)
    assert (evidence.codes[0] < 0).tolist() == [True] + [False] * (N - 1)
    filled = evidence.completed(table.codes.astype(np.int8))
    assert str(type_of(filled)) == str(type_of(gappy))
    assert as_list(filled)[1:] == as_list(frame)[1:]
    assert table.schema.encode(filled)[0, 0] == table.codes[0, 0]


def as_list(frame: Any) -> list[Any]:
    column = frame["x"]
    return list(column.to_pylist() if isinstance(column, pa.ChunkedArray) else column.to_list())


def type_of(frame: Any) -> Any:
    return frame.schema.field("x").type if isinstance(frame, pa.Table) else frame["x"].dtype


def with_gap(frame: Any) -> Any:
    """The same frame, with nothing known of its first row."""
    if isinstance(frame, pa.Table):
        column = frame["x"].combine_chunks()
        return pa.table({"x": pa.concat_arrays([pa.nulls(1, column.type), column[1:]])})
    if isinstance(frame, pl.DataFrame):
        return pl.select(x=pl.concat_list(pl.lit(None)).explode().cast(frame["x"].dtype)).vstack(frame[1:])
    column = frame["x"].copy()
    if column.dtype.kind in "iub" and isinstance(column.dtype, np.dtype):
        column = column.astype(column.dtype.name.replace("int", "Int").replace("u", "U").replace("bool", "boolean"))
    column.iloc[0] = None
    return pd.DataFrame({"x": column})


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=13, max_size=40, unique=True))
@settings(max_examples=40)
def test_integers_of_any_size_are_numbers(values: list[int]) -> None:
    table = Dataset.from_frame(pd.DataFrame({"x": values}))
    (bins,) = table.schema.bins
    assert bins is not None
    assert np.isfinite(bins.log_densities(table.numbers[0])).all()
    assert table.numbers[0].tolist() == [float(value) for value in values]
    modes = bins.modes()[1]
    assert bins.codes(modes).tolist() == list(range(len(bins)))


# --- Points in time


@given(st.datetimes(datetime.datetime(1600, 1, 1), datetime.datetime(2400, 1, 1)))
def test_points_in_time_are_read_in_every_form(time: datetime.datetime) -> None:
    seconds = (time - datetime.datetime(1970, 1, 1)) / datetime.timedelta(seconds=1)
    zoned = time.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=5)))
    for value in (time, str(time), time.isoformat(), np.datetime64(time), pd.Timestamp(time), f"{time.isoformat()}Z"):
        assert Calendar.SECONDS.number(value) == pytest.approx(seconds, abs=1e-5)
        assert Calendar.DAYS.number(value) == pytest.approx(seconds / 86_400, abs=1e-9)
    assert Calendar.SECONDS.number(zoned) == pytest.approx(seconds - 5 * 3600, abs=1e-5)
    day = time.date()
    assert Calendar.DAYS.number(day) == Calendar.DAYS.number(str(day)) == (day - datetime.date(1970, 1, 1)).days
    assert Calendar.DAYS.number(f"{day:%Y}/{day:%m/%d}") == Calendar.DAYS.number(day)
    assert Calendar.DAYS.text((day - datetime.date(1970, 1, 1)).days) == str(day)
    whole = time.replace(microsecond=0)
    assert Calendar.SECONDS.text(math.floor(seconds)) == str(whole)
    assert Calendar.SECONDS.number(Calendar.SECONDS.text(seconds)) == pytest.approx(seconds, abs=2e-6)
    assert Calendar.SECONDS.number(Calendar.SECONDS.text(math.floor(seconds))) == math.floor(seconds)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "2020",
        "2020-13-01",
        "2020-02-30",
        "20200101",
        "yesterday",
        18262,
        1.5,
        None,
        True,
        pd.NaT,
        "2020-1-1",
        "2020/01-01",
        "01/02/2020",
    ],
)
def test_what_is_no_point_in_time(value: object) -> None:
    assert Calendar.DAYS.number(value) is None


def test_times_that_are_all_midnights_are_days() -> None:
    assert calendar_of(np.array([0.0, 86_400.0])) is Calendar.DAYS
    assert calendar_of(np.array([0.0, 86_401.0])) is Calendar.SECONDS
    assert seconds_of_texts(["2020-01-01", "soon"]) is None
    found = seconds_of_texts(["1970-01-02", "1970-01-01 00:00:01"])
    assert found is not None
    assert found.tolist() == [86_400.0, 1.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30..40", Interval("30", "40")),
        (" 30 .. 40 ", Interval("30", "40")),
        ("30..", Interval("30", None)),
        ("..-1.5", Interval(None, "-1.5")),
        ("<30", Interval(None, "30", with_high=False)),
        ("<= 30", Interval(None, "30")),
        (">30", Interval("30", None, with_low=False)),
        (">=65", Interval("65", None)),
        ("2020-01-01..2020-02-01", Interval("2020-01-01", "2020-02-01")),
        ("[30, 40)", Interval("30", "40", with_high=False)),
        ("(30,40]", Interval("30", "40", with_low=False)),
        ("[ , 40]", Interval(None, "40")),
        ("[2020-01-01, 2020-02-01]", Interval("2020-01-01", "2020-02-01")),
        ("[,]", None),
        ("[30, 40, 50]", None),
        ("..", None),
        ("30", None),
        ("<", None),
    ],
)
def test_intervals_as_people_write_them(text: str, expected: Interval | None) -> None:
    assert interval_of(text) == expected


# --- Tables


def mixed_frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = 120
    return pd.DataFrame(
        {
            "height": rng.normal(170, 10, rows),
            "age": rng.integers(18, 90, rows),
            "price": np.round(rng.exponential(20, rows), 2),
            "day": pd.to_datetime("2021-03-01") + pd.to_timedelta(rng.integers(0, 300, rows), unit="D"),
            "when": pd.to_datetime("2021-03-01") + pd.to_timedelta(rng.integers(0, 10**6, rows), unit="s"),
            "grade": pd.Categorical(rng.choice(["low", "mid", "high"], rows), ["low", "mid", "high"], ordered=True),
            "word": rng.choice(["x", "y"], rows),
            "flag": rng.random(rows) < 0.4,
            "id": [f"{row:05}" for row in range(rows)],
            "one": 1,
        }
    )


LEFT_OUT = {"id", "one"}


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return Dataset.from_frame(mixed_frame(), leave_out=True)


def test_rows_of_a_dataset_keep_their_numbers(dataset: Dataset) -> None:
    frame = mixed_frame()
    row = dataset[7]
    assert row["height"] == frame["height"][7]
    assert row["age"] == frame["age"][7]
    assert row["price"] == frame["price"][7]
    assert (row["word"], row["flag"], row["grade"]) == (frame["word"][7], frame["flag"][7], frame["grade"][7])
    assert set(row) == set(frame) - LEFT_OUT
    for rows in (slice(3, 9), [5, 2, 2], np.arange(120) % 2 == 0):
        part = dataset[rows]
        assert part.reports == dataset.reports
        for variable, column in part.numbers.items():
            np.testing.assert_array_equal(column, dataset.numbers[variable][rows])
            assert not column.flags.writeable


def test_a_row_of_a_dataset_is_evidence(dataset: Dataset) -> None:
    """What indexing gives can be asked about: dates are texts, numbers numbers."""
    for row in (0, 7, 119):
        evidence = as_evidence(dataset.schema, dataset[row])
        np.testing.assert_array_equal(evidence.codes[:, 0], dataset.codes[:, row])
        for variable, column in evidence.numbers.items():
            assert column[0] == dataset.numbers[variable][row]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_dataset_as_a_frame_and_back(dataset: Dataset, library: str) -> None:
    frame = dataset.to_frame(library)
    again = later_dataset(dataset.schema, frame)
    np.testing.assert_array_equal(again.codes, dataset.codes)
    for variable, column in dataset.numbers.items():
        np.testing.assert_array_equal(again.numbers[variable], column)
    found_anew = Dataset.from_frame(frame)
    assert [report.kind for report in found_anew.reports] == [
        report.kind if report.name != "grade" else "categorical" for report in dataset.reports if not report.is_left_out
    ]
    expected = mixed_frame()
    values = {name: as_list({"x": frame[name]}) for name in dataset.names}
    assert values["height"] == expected["height"].tolist()
    assert values["age"] == expected["age"].tolist()
    assert [str(value)[:10] for value in values["day"]] == [str(value)[:10] for value in expected["day"]]
    assert [str(value)[:19] for value in values["when"]] == [str(value)[:19] for value in expected["when"]]


def test_pickles_keep_everything(dataset: Dataset) -> None:
    again = pickle.loads(pickle.dumps(dataset))
    assert again.schema == dataset.schema
    assert again.schema.ignored == dataset.schema.ignored == LEFT_OUT
    assert again.reports == dataset.reports
    assert all(np.array_equal(again.numbers[v], dataset.numbers[v]) for v in dataset.numbers)
    evidence = as_evidence(dataset.schema, [{"age": "30..40"}, {"day": "2021-05-01"}])
    copied = pickle.loads(pickle.dumps(evidence))
    assert np.array_equal(copied.codes, evidence.codes)
    assert copied.ranges.keys() == evidence.ranges.keys()


def test_the_schema_file_of_a_mixed_table(dataset: Dataset, tmp_path: Path) -> None:
    write_schema_file(dataset.schema, tmp_path / "s.toml", sorted(dataset.schema.ignored))
    again = prepare(mixed_frame(), read_schema_file(tmp_path / "s.toml")).dataset
    assert again.schema == dataset.schema
    assert again.schema.ignored == LEFT_OUT
    np.testing.assert_array_equal(again.codes, dataset.codes)


def test_a_model_of_a_mixed_table_on_disk(tmp_path: Path) -> None:
    frame = mixed_frame()
    with pytest.warns(LeftOutWarning):
        model = LearnAC(max_splits=5).fit(frame)
    model.save(tmp_path / "m.learnac")
    again = load(tmp_path / "m.learnac")
    assert again.schema_ == model.schema_
    assert again.schema_.ignored == LEFT_OUT
    np.testing.assert_array_equal(again.score_samples(frame), model.score_samples(frame))
    rows = [{"age": "30..40"}, {"day": "2021-05-01", "price": "<10"}, {"when": "2021-03-05 12:00:00"}]
    for name in ("height", "day", "price"):
        ours, theirs = again.distribution(name, rows), model.distribution(name, rows)
        np.testing.assert_array_equal(ours.mean, theirs.mean)
        np.testing.assert_array_equal(ours.quantile(0.9), theirs.quantile(0.9))
    assert pickle.loads(pickle.dumps(model)).schema_ == model.schema_


# --- Later tables


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_later_tables_may_have_what_was_left_out_or_not(dataset: Dataset, make: Any) -> None:
    frame = mixed_frame()
    for later in (frame, frame.drop(columns=["id", "one"]), frame.assign(id="other", one=[None] * len(frame))):
        found = later_dataset(dataset.schema, make(later))
        np.testing.assert_array_equal(found.codes, dataset.codes)
        np.testing.assert_array_equal(as_evidence(dataset.schema, make(later)).codes, dataset.codes)
    with pytest.raises(DataError, match="has 'extra' in excess"):
        later_dataset(dataset.schema, make(frame.assign(extra=0)))


def test_categories_never_seen_are_missing_if_one_says_so() -> None:
    frame = mixed_frame().drop(columns=["id", "one"])
    strict = LearnAC(max_splits=3).fit(frame)
    lenient = LearnAC(max_splits=3, unknown="missing").fit(frame)
    strange = frame[:3].astype({"grade": str}).assign(word=["x", "new", "y"], grade=["low", "mid", "none"])
    with pytest.raises(DataError, match=r"column 'grade', row 2: expected one of its categories, .*; found 'none'"):
        strict.score_samples(strange)
    gaps = strange.assign(word=["x", None, "y"], grade=["low", "mid", None])
    np.testing.assert_array_equal(lenient.score_samples(strange), strict.score_samples(gaps))
    for row in ({"word": "new", "age": 40}, [{"word": "new"}, {"height": "tall"}]):
        without = {"age": 40} if isinstance(row, dict) else [{}, {}]
        ours, theirs = lenient.marginals(row), strict.marginals(without)
        for name in ours:
            np.testing.assert_allclose(ours[name], theirs[name])


def test_a_stated_kind_wins() -> None:
    frame = mixed_frame()
    kinds = {"age": "ordered", "word": "drop", "one": "categorical", "grade": "categorical", "day": "date"}
    found = Dataset.from_frame(frame, kinds=kinds, leave_out=True)
    by_name = {report.name: report for report in found.reports}
    assert "word" not in found.names
    assert "one" in found.names
    assert by_name["age"].kind == "ordered"
    assert found.schema.bins[found.schema.index("age")] is None
    assert not found.schema.ordered[found.schema.index("grade")]
    assert found.schema.ignored == {"id", "word"}
    numbers = Dataset.from_frame(frame[["one", "flag"]].assign(one=[1, 2, 3] * 40), kinds={"one": "number"})
    assert isinstance(numbers.schema, Schema)
    assert numbers.schema.numbers == [0]


class TestRareCategories:
    """Strings of few rows are gathered in one category, which then stands for any other string."""

    FRAME = pd.DataFrame({"city": ["a"] * 9 + ["b"] * 8 + ["c", "d", "e"], "n": [0, 1] * 10})

    @pytest.mark.parametrize("make", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
    def test_they_are_gathered(self, make: Any) -> None:
        table = Dataset.from_frame(make(self.FRAME), min_count=2)
        assert table.categories == (("a", "b", "(other)"), (0, 1))
        assert table.codes[0].tolist() == [0] * 9 + [1] * 8 + [2] * 3
        assert table.reports[0].done == "3 categories, 3 rare ones in one"
        assert as_evidence(table.schema, {"city": "z"}).codes[0].tolist() == [2]
        later = make(pd.DataFrame({"city": ["b", "z", None], "n": [1, 0, 1]}))
        assert as_evidence(table.schema, later).codes[0].tolist() == [1, 2, -1]

    def test_one_rare_string_stays(self) -> None:
        assert Dataset.from_frame(self.FRAME[:18], min_count=2).categories[0] == ("a", "b", "c")

    def test_with_gaps_and_with_categories_of_a_validation_table(self) -> None:
        gaps = self.FRAME.assign(city=self.FRAME["city"].mask(self.FRAME.index == 0))
        other = pd.DataFrame({"city": ["q", "a"], "n": [0, 1]})
        model = LearnAC(min_count=2, max_splits=0).fit(gaps, validation=other)
        assert model.schema_.categories[0] == ("a", "b", "(other)")

    @pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "2"])
    def test_a_count_that_is_none(self, wrong: Any) -> None:
        with pytest.raises(ValueError, match="min_count: expected a number of rows from 1"):
            LearnAC(min_count=wrong).fit(self.FRAME)
