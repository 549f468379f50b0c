"""The contract of evidence: whatever form it comes in, the same codes, likelihoods, answers and complaints.

A form is a function from rows of plain values, None where nothing is known, to something that `as_evidence` takes. A
new form is added to FORMS.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from learnac import Dataset, LearnAC, LearnacError, QueryError, Schema, infer
from learnac.data import Bins, Evidence, as_evidence
from learnac.data.evidence_files import read_evidence
from learnac.data.tables import TableLayout
from learnac.errors import Problem

Row: TypeAlias = dict[str, Any]
Form: TypeAlias = Callable[[list[Row], Schema, Path], Any]

AGES = Bins((18, 65))
SCHEMAS = {
    "binary": Schema(tuple("abcde"), ((0, 1),) * 5),
    "codes": Schema(tuple("abcd"), (tuple(range(3)), tuple(range(5)), (0, 1), tuple(range(4)))),
    "words": Schema(
        ("colour", "size", "ripe", "a,b"), (("blue", "green", "red"), ("l", "m", "s"), (False, True), ("x", "y"))
    ),
    "bins": Schema(
        ("age", "city", "has car", "weight"),
        (AGES.labels, ("Bern", "Bonn, DE"), (False, True), Bins((1.5,)).labels),
        (AGES, None, None, Bins((1.5,))),
    ),
}
NUMBERS = {"age": (3, 18, 64.5, 80), "weight": (0.25, 1.5)}  # in each interval, one on its edge


def rows_of(schema: Schema, n_rows: int, share_known: float, seed: int) -> list[Row]:
    """Values as people write them: numbers for variables with bins."""
    rng = np.random.default_rng(seed)
    columns = zip(schema.names, schema.categories, schema.bins, strict=True)
    values_of = {name: NUMBERS[name] if bins else categories for name, categories, bins in columns}

    def chosen(values: tuple[Any, ...]) -> Any:
        return values[int(rng.integers(len(values)))] if rng.random() < share_known else None

    return [{name: chosen(values) for name, values in values_of.items()} for _ in range(n_rows)]


def codes_of(schema: Schema, rows: list[Row]) -> np.ndarray:
    """Value by value, (variables x rows)."""

    def code(variable: int, value: Any) -> int:
        if value is None:
            return -1
        if (bins := schema.bins[variable]) is not None:
            return sum(edge <= value for edge in bins.edges)
        categories = schema.categories[variable]
        return categories.index(value) if value in categories else int(value)  # A code too many, in an array.

    return np.array([[code(variable, row[name]) for row in rows] for variable, name in enumerate(schema.names)])


@cache
def model_of(name: str) -> LearnAC:
    schema = SCHEMAS[name]
    codes = codes_of(schema, rows_of(schema, 300, 1, 0))
    codes[0] = np.where(codes[1] < 2, codes[0], 0)  # So that there is something to learn.
    return LearnAC(0.01, 0.05).fit(Dataset(schema, codes.astype(schema.code_dtype)))


def columns_of(rows: list[Row], schema: Schema) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in schema.names}


def documents(rows: list[Row], schema: Schema, folder: Path) -> Any:
    text = json.dumps([{name: value for name, value in row.items() if value is not None or name < "c"} for row in rows])
    return json.loads(text)


def array(rows: list[Row], schema: Schema, folder: Path) -> Any:
    return codes_of(schema, rows).T


def array_with_nan(rows: list[Row], schema: Schema, folder: Path) -> Any:
    codes = codes_of(schema, rows).T
    return np.where(codes < 0, np.nan, codes)


def pandas(rows: list[Row], schema: Schema, folder: Path) -> Any:
    return pd.DataFrame(columns_of(rows, schema))


def polars(rows: list[Row], schema: Schema, folder: Path) -> Any:
    return pl.DataFrame(columns_of(rows, schema), strict=False)


def arrow(rows: list[Row], schema: Schema, folder: Path) -> Any:
    return pa.table(columns_of(rows, schema))


def encoded(rows: list[Row], schema: Schema, folder: Path) -> Any:
    return as_evidence(schema, documents(rows, schema, folder))


def csv_file(rows: list[Row], schema: Schema, folder: Path) -> Any:
    pandas(rows, schema, folder).to_csv(folder / "t.csv", index=False)
    return read_evidence(folder / "t.csv", schema)


def csv_file_without_names(rows: list[Row], schema: Schema, folder: Path) -> Any:
    """Its columns are called x0, x1, ..., and so must those of the schema be."""
    pandas(rows, schema, folder).to_csv(folder / "t.txt", index=False, header=False, sep=";")
    names = tuple(f"x{column}" for column in range(schema.n_variables))
    layout = TableLayout(has_header=False, delimiter=";")
    evidence = read_evidence(folder / "t.txt", Schema(names, schema.categories, schema.bins), layout)
    return Evidence.of_codes(schema, evidence.codes)


def parquet_file(rows: list[Row], schema: Schema, folder: Path) -> Any:
    pyarrow.parquet.write_table(arrow(rows, schema, folder), folder / "t.parquet")
    return read_evidence(folder / "t.parquet", schema)


def arrow_file(rows: list[Row], schema: Schema, folder: Path) -> Any:
    """In several pieces, with another column between."""
    table = arrow(rows, schema, folder)
    table = table.add_column(1, "remark", pa.array([f"row {row}" for row in range(len(rows))]))
    pyarrow.feather.write_feather(table, folder / "t.feather", chunksize=7)
    return read_evidence(folder / "t.feather", schema)


FORMS: dict[str, Form] = {
    form.__name__: form
    for form in (
        documents,
        array,
        array_with_nan,
        pandas,
        polars,
        arrow,
        encoded,
        csv_file,
        csv_file_without_names,
        parquet_file,
        arrow_file,
    )
}
FILES = ("csv_file", "csv_file_without_names", "parquet_file", "arrow_file")

each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
each_schema = pytest.mark.parametrize("name", SCHEMAS)


def answers(model: LearnAC, given: Any, soft: Any = None) -> dict[str, Any]:
    """Every query, as numbers or codes."""
    schema, circuit = model.schema_, model.circuit_
    target = schema.names[-1]
    worlds, log_probabilities = infer.mpe(circuit, given, soft=soft)
    samples = infer.sample(circuit, 3, given, soft=soft, random_state=1)
    found = {
        "log_likelihood": infer.log_likelihood(circuit, given, soft=soft, network=model.network_),
        "log_likelihood by the circuit": infer.log_likelihood(circuit, given, soft=soft),
        **infer.marginals(circuit, given, soft=soft),
        "log_probability": infer.log_probability(circuit, {}, given, soft=soft),
        "mpe": codes_of_answer(schema, worlds),
        "log_probabilities of mpe": log_probabilities,
        "sample": codes_of_answer(schema, samples),
        "expectation": infer.expectation(circuit, {target: range(len(schema.categories[-1]))}, given, soft=soft),
    }
    if soft is None:
        for method in ("mpe", "marginal"):
            found[f"impute by {method}"] = codes_of_answer(schema, infer.impute(circuit, given, method))
    return found


def codes_of_answer(schema: Schema, table: Any) -> Any:
    """The codes of completed rows; of a file's, without the columns that are no variables."""
    if isinstance(table, pa.Table):
        table = table.select(schema.names)
    if isinstance(table, pd.DataFrame):
        table = table.infer_objects()  # Booleans that had gaps are objects to pandas, and stay so.
    return as_evidence(schema, table).codes


def assert_same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """To the last bit."""
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert np.asarray(found[key]).tobytes() == np.asarray(value).tobytes(), key


@each_schema
@each_form
def test_the_same_codes_and_answers(tmp_path: Path, form: Form, name: str) -> None:
    schema, model = SCHEMAS[name], model_of(name)
    rows = rows_of(schema, 30, 0.6, 1)
    given = form(rows, schema, tmp_path)
    evidence = as_evidence(schema, given)
    codes = codes_of(schema, rows)
    assert evidence.codes.dtype == schema.evidence_dtype
    assert evidence.codes.tolist() == codes.tolist()
    assert (evidence.schema, evidence.is_one, evidence.n_rows) == (schema, False, 30)
    assert evidence.soft_variables.tolist() == []
    assert evidence.row_numbers.tolist() == list(range(30))
    expected = answers(model, codes.T)
    assert_same(answers(model, given), expected)
    assert_same(answers(model, evidence), expected)


@each_schema
@each_form
def test_the_same_likelihoods_and_answers(tmp_path: Path, form: Form, name: str) -> None:
    schema, model = SCHEMAS[name], model_of(name)
    rows = [{**row, schema.names[1]: None} for row in rows_of(schema, 12, 0.5, 2)]
    likelihoods = np.random.default_rng(3).random((12, len(schema.categories[1]))) * 5
    likelihoods[::3, 0] = 0
    given, soft = form(rows, schema, tmp_path), {schema.names[1]: likelihoods}
    evidence = as_evidence(schema, given, soft)
    assert evidence.soft_variables.tolist() == [1]
    largest = likelihoods.max(axis=1, keepdims=True)
    assert evidence.likelihoods.tobytes() == (likelihoods / largest).tobytes()
    assert evidence.log_scales.tobytes() == np.log(largest[:, 0]).tobytes()
    expected = answers(model, codes_of(schema, rows).T, soft)
    assert_same(answers(model, given, soft), expected)
    assert_same({key: value for key, value in answers(model, evidence).items() if "impute" not in key}, expected)


@each_schema
def test_likelihoods_inside_documents(name: str) -> None:
    """Each row has what it has: likelihoods, a value, or nothing. JSON has only strings for keys."""
    schema, model = SCHEMAS[name], model_of(name)
    rows = rows_of(schema, 12, 0.5, 4)
    rng = np.random.default_rng(5)
    soft = {0: rng.random((12, len(schema.categories[0]))), 1: rng.random((12, len(schema.categories[1])))}
    for row, document in enumerate(rows):
        if row % 3 == 0:
            document[schema.names[0]] = soft[0][row].tolist()
        if row % 4 == 1:
            keys = [json.dumps(c) if isinstance(c, bool) else str(c) for c in schema.categories[1]]
            document[schema.names[1]] = dict(zip(keys, soft[1][row].tolist(), strict=True))
    documents = json.loads(json.dumps(rows))
    many = answers(model, documents)
    for row, document in enumerate(documents):
        one = answers(model, document)
        for key, value in one.items():
            if key != "sample":  # Each row has random numbers of its own.
                part = many[key][:, row] if key in ("mpe", "impute by mpe", "impute by marginal") else many[key][row]
                assert np.asarray(part).tobytes() == np.asarray(value).tobytes(), (row, key)


@each_schema
def test_one_dict_is_a_row(name: str) -> None:
    schema, model = SCHEMAS[name], model_of(name)
    rows = rows_of(schema, 10, 0.6, 6)
    expected = answers(model, codes_of(schema, rows).T)
    for row, document in enumerate(rows):
        evidence = as_evidence(schema, document)
        assert evidence.is_one
        assert evidence.codes[:, 0].tolist() == codes_of(schema, rows)[:, row].tolist()
        for given in (document, evidence):
            assert infer.log_likelihood(model.circuit_, given) == expected["log_likelihood by the circuit"][row]
            assert infer.mpe(model.circuit_, given)[1] == expected["log_probabilities of mpe"][row]
            assert isinstance(infer.mpe(model.circuit_, given)[0], dict)
            for variable, posterior in infer.marginals(model.circuit_, given).items():
                assert posterior.tobytes() == expected[variable][row].tobytes()


@each_schema
@each_form
def test_complete_rows_as_a_dataset(tmp_path: Path, form: Form, name: str) -> None:
    schema, model = SCHEMAS[name], model_of(name)
    rows = rows_of(schema, 20, 1, 7)
    dataset = Dataset(schema, codes_of(schema, rows).astype(schema.code_dtype))
    assert as_evidence(schema, dataset).codes.tolist() == dataset.codes.tolist()
    assert_same(answers(model, form(rows, schema, tmp_path)), answers(model, dataset))


@each_schema
@each_form
def test_some_of_the_rows_are_answered_alike(tmp_path: Path, form: Form, name: str) -> None:
    schema, model = SCHEMAS[name], model_of(name)
    rows = rows_of(schema, 30, 0.6, 8)
    evidence = as_evidence(schema, form(rows, schema, tmp_path))
    whole = answers(model, evidence)
    for which in (slice(10, 25), np.array([3, 29, 4])):
        some = evidence.rows(which)
        assert some.row_numbers.tolist() == np.arange(30)[which].tolist()
        found = answers(model, some)
        for key in ("log_likelihood", *schema.names, "log_probabilities of mpe"):
            assert found[key].tobytes() == whole[key][which].tobytes()
        for key in ("mpe", "impute by mpe", "impute by marginal"):
            assert found[key].tolist() == whole[key][:, which].tolist()


def fields_of(error: LearnacError) -> tuple[object, ...]:
    return error.column, error.row, error.expected, error.found, error.problem


@each_form
def test_a_value_that_is_no_category(tmp_path: Path, form: Form) -> None:
    schema = SCHEMAS["codes"]
    rows = rows_of(schema, 9, 0.6, 9)
    rows[5]["b"] = 9
    with pytest.raises(LearnacError) as caught:
        as_evidence(schema, form(rows, schema, tmp_path))
    column = "x1" if form is csv_file_without_names else "b"
    assert fields_of(caught.value) == (column, 5, (0, 1, 2, 3, 4), 9, Problem.UNKNOWN_CATEGORY)
    assert (caught.value.source is None) == (form.__name__ not in FILES)


@each_form
def test_a_word_that_is_no_category(tmp_path: Path, form: Form) -> None:
    if form in (array, array_with_nan):
        pytest.skip("an array holds codes")
    schema = SCHEMAS["words"]
    rows = rows_of(schema, 9, 0.6, 10)
    rows[7]["colour"] = "pink"
    with pytest.raises(LearnacError) as caught:
        as_evidence(schema, form(rows, schema, tmp_path))
    column = "x0" if form is csv_file_without_names else "colour"
    assert fields_of(caught.value) == (column, 7, ("blue", "green", "red"), "pink", Problem.UNKNOWN_CATEGORY)


@pytest.mark.parametrize("form", [documents, pandas, polars, arrow], ids=lambda form: form.__name__)
def test_a_variable_that_there_is_not(tmp_path: Path, form: Form) -> None:
    schema = SCHEMAS["words"]
    given = [{**row, "taste": "x"} for row in rows_of(schema, 3, 0.6, 11)]
    wider = Schema((*schema.names, "taste"), (*schema.categories, ("x",)))
    with pytest.raises(LearnacError, match="no variable is called 'taste'") as caught:
        as_evidence(schema, form(given, wider, tmp_path))
    assert (caught.value.column, caught.value.expected, caught.value.found) == ("taste", schema.names, "taste")


def test_evidence_for_another_model() -> None:
    evidence = as_evidence(SCHEMAS["words"], {"colour": "red"})
    for ask in (infer.marginals, infer.mpe, infer.log_likelihood, infer.impute):
        with pytest.raises(
            QueryError, match="expected evidence for the variables and categories of the model"
        ) as caught:
            ask(model_of("bins").circuit_, evidence)
        assert (caught.value.expected, caught.value.found) == (SCHEMAS["bins"], SCHEMAS["words"])
    # An equal schema will do, as of a model that was saved and loaded.
    twin = Schema(SCHEMAS["words"].names, SCHEMAS["words"].categories)
    assert infer.mpe(model_of("words").circuit_, as_evidence(twin, {"colour": "red"}))[0]["colour"] == "red"


def test_a_row_that_is_no_dict() -> None:
    for given, row in (([{"colour": "red"}, 3], 1), ([3, {"colour": "red"}], 0)):
        with pytest.raises(QueryError, match=f"row {row}: expected a dict from names to categories, found int"):
            as_evidence(SCHEMAS["words"], given)


@each_form
def test_nobody_can_write(tmp_path: Path, form: Form) -> None:
    evidence = as_evidence(SCHEMAS["codes"], form(rows_of(SCHEMAS["codes"], 3, 0.6, 12), SCHEMAS["codes"], tmp_path))
    with pytest.raises(ValueError, match="read-only"):
        evidence.codes[0, 0] = 1
