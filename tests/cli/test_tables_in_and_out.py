"""Tables that the commands read and write: every format, what is said of columns, and what is no table."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from learnac import Dataset, LearnAC, load
from learnac.data import Schema
from learnac.data.bins import Bins

Answer = Callable[..., str]
Complaint = Callable[..., str]


def write(frame: pd.DataFrame, path: Path) -> None:
    """A frame as a file of the format and compression that its name says."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    plain = Path(path.stem) if path.suffix in (".gz", ".bz2", ".xz", ".zst") else path
    target = path.with_name(f"plain{plain.suffix}")
    match plain.suffix:
        case ".parquet":
            pyarrow.parquet.write_table(table, target)
        case ".feather":
            pyarrow.feather.write_feather(table, target)
        case suffix:
            frame.to_csv(target, index=False, sep="\t" if suffix == ".tsv" else ",")
    content = target.read_bytes()
    target.unlink()
    compress = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd}
    path.write_bytes(compress.get(path.suffix, bytes)(content))


def zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


def schema_after(answer: Answer, *arguments: str) -> tuple[Schema, dict[str, Any]]:
    """What `learn` made of a table, and its JSON."""
    document = json.loads(answer("learn", *arguments, "--out", "m.learnac", "--json"))
    return load("m.learnac").schema_, document


@pytest.mark.parametrize(
    "name",
    [
        *("t.csv", "t.tsv", "t.parquet", "t.feather"),
        *("t.csv.gz", "t.csv.bz2", "t.csv.xz", "t.csv.zst", "t.tsv.gz", "t.parquet.gz", "t.feather.xz"),
    ],
)
def test_every_format_gives_the_same_model(answer: Answer, people: LearnAC, tmp_path: Path, name: str) -> None:
    write(pd.read_csv(tmp_path / "people.csv"), tmp_path / name)
    schema, document = schema_after(answer, name, "--bins", "age=4", "--edge-penalty", "0.1")
    assert schema == people.schema_
    assert document["files"] == {"train": name}
    assert document["out"] == "m.learnac"
    assert document["n_edges"] == people.circuit_.n_edges
    assert np.array_equal(load("m.learnac").circuit_.parameters, people.circuit_.parameters)


@pytest.mark.parametrize("name", ["t.train.data", "t.train.data.gz"])
def test_libra_data_with_weights(answer: Answer, tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(60, 3))
    codes[:, 2] = codes[:, 0] ^ (rng.random(60) < 0.1)
    weights = rng.integers(1, 4, size=60)
    lines = [f"{weight}|{','.join(map(str, row))}" for weight, row in zip(weights, codes.tolist(), strict=True)]
    text = "\n".join(lines).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    smoothing = {"alpha": 0.5, "shrinkage": 10.0}
    _, document = schema_after(answer, name, "--alpha", "0.5", "--shrinkage", "10")
    repeated = np.repeat(codes, weights, axis=0)
    model = LearnAC(**smoothing).fit(Dataset.from_array(repeated, arities=2))
    assert np.allclose(load("m.learnac").circuit_.parameters, model.circuit_.parameters, rtol=1e-12)
    assert document["scores"]["train"]["log_likelihood"] == pytest.approx(model.score(repeated))
    assert document["scores"]["train"]["n_rows"] == 60
    (tmp_path / "t.schema").write_text("2,2,3\n")
    assert schema_after(answer, name)[0].arities.tolist() == [2, 2, 3]


@pytest.mark.parametrize(
    ("options", "edges"),
    [
        (["--bins", "2"], {"size": (50.0,), "age": (16.5,)}),
        (["--bins", "2:uniform"], {"size": (500.5,), "age": (20.5,)}),
        (["--bins", "size=2", "--bins", "age=4:uniform"], {"size": (50.0,), "age": (15.25, 20.5, 25.75)}),
        (["--bins", "size=2:uniform", "--bins", "2"], {"size": (500.5,), "age": (16.5,)}),
    ],
)
def test_every_form_of_bins(
    answer: Answer, tmp_path: Path, options: list[str], edges: dict[str, tuple[float, ...]]
) -> None:
    """Half of the sizes are below 50, but the largest is 1000; ages are 10 to 31, young ones more often."""
    sizes = [*np.linspace(1, 49.5, 50), *np.linspace(50, 1000, 50)]
    ages = [*np.linspace(10, 16, 50), *np.linspace(16.5, 31, 50)]
    pd.DataFrame({"size": sizes, "age": ages, "flag": [0, 1] * 50}).to_csv(tmp_path / "t.csv", index=False)
    schema, _ = schema_after(answer, "t.csv", *options)
    found = dict(zip(schema.names, schema.bins, strict=True))
    assert found["flag"] is None
    for name, expected in edges.items():
        bins, values = found[name], sizes if name == "size" else ages
        assert bins is not None
        assert bins.codes(values).tolist() == Bins(expected).codes(values).tolist()


def test_columns_left_out_or_kept_whole(answer: Answer, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": range(200), "zip": rng.integers(100, 170, 200) + 0.5, "a b": rng.integers(2, size=200)})
    frame.assign(other=0).to_csv(tmp_path / "t.csv", index=False)
    schema, _ = schema_after(answer, "t.csv", "--drop", "id, other", "--as-category", "zip", "--write-schema", "s.toml")
    assert schema.names == ("zip", "a b")
    assert schema.bins == (None, None)
    assert schema.arities.tolist() == [frame["zip"].nunique(), 2]
    assert "100.5" in schema.categories[0]
    again, _ = schema_after(answer, "t.csv", "--schema", "s.toml")
    assert again == schema
    wider, _ = schema_after(answer, "t.csv", "--schema", "s.toml", "--drop", "zip", "--as-category", "id")
    assert wider.names == ("id", "a b")


def test_a_schema_file_round_trips_and_states_values_not_seen(answer: Answer, tmp_path: Path, people: LearnAC) -> None:
    schema, _ = schema_after(answer, "people.csv", "--bins", "age=4", "--write-schema", "s.toml")
    assert schema_after(answer, "people.csv", "--schema", "s.toml")[0] == schema == people.schema_
    stated = (tmp_path / "s.toml").read_text().replace('"Oslo"', '"Oslo", "Rome"')
    (tmp_path / "s.toml").write_text(stated)
    assert schema_after(answer, "people.csv", "--schema", "s.toml")[0].categories[0][-1] == "Rome"


OUTPUTS = ["o.csv", "o.tsv", "o.parquet", "o.feather", "o.arrow"]


@pytest.mark.parametrize("name", OUTPUTS)
def test_tables_are_written_in_the_format_of_their_name(
    answer: Answer, people: LearnAC, asked: pd.DataFrame, tmp_path: Path, name: str
) -> None:
    completed = people.impute(asked)
    completed["children"] = completed["children"].astype(int)
    (tmp_path / name).write_bytes(b"something old")
    assert answer("impute", "people.learnac", "asked.csv", "--out", name) == ""
    found = read_back(tmp_path / name)
    assert list(found.columns) == [*asked.columns, "remark"]
    for column in asked.columns:
        assert [as_value(value) for value in found[column]] == [as_value(value) for value in completed[column]]
    assert json.loads(answer("impute", "people.learnac", "asked.csv", "--out", name, "--json")) == {
        "out": name,
        "rows": 40,
    }
    answer("score", "people.learnac", "asked.csv", "--out", name)
    assert read_back(tmp_path / name)["log_likelihood"].tolist() == pytest.approx(people.score_samples(asked).tolist())
    answer("marginals", "people.learnac", "--rows", "asked.csv", "--out", name, "--variables", "has car")
    posterior = people.marginals(asked)["has car"][:, 1].tolist()
    assert read_back(tmp_path / name)["has car=True"].tolist() == pytest.approx(posterior)


def as_value(value: object) -> str:
    """However it is spelled."""
    return str(value).removesuffix(".0")


def read_back(path: Path) -> pd.DataFrame:
    if path.suffix in (".csv", ".tsv"):
        return pd.read_csv(path, sep="," if path.suffix == ".csv" else "\t", keep_default_na=False)
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all().to_pandas()


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(["a,b", 'say "no"', "two\nlines", "a\tb", " space ", "é", "", "NA"], id="signs of a CSV"),
        pytest.param(["NA", "null", "nan", "EU"], id="no value"),
        pytest.param(["", "EU"], id="empty"),
        pytest.param(["1", "01", "1.0", "true"], id="numbers"),
        pytest.param(["0.5", "1", "2.25"], id="all numbers"),
    ],
)
def test_what_is_sampled_can_be_read_again(answer: Answer, tmp_path: Path, name: str, texts: list[str]) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"text": rng.choice(texts, 400), "flag": rng.random(400) < 0.5, "n": rng.integers(3, size=400)}
    )
    LearnAC().fit(frame).save(tmp_path / "m.learnac")
    for path in ("drawn.arrow", name):
        answer("sample", "m.learnac", "-n", "200", "--seed", "1", "--out", path)
    drawn = read_back(tmp_path / "drawn.arrow")
    assert set(drawn["text"]) == set(texts)
    expected = load(tmp_path / "m.learnac").score_samples(drawn)
    found = json.loads(answer("score", "m.learnac", name, "--per-row", "--json"))["rows"]
    assert [row["log_likelihood"] for row in found] == pytest.approx(expected.tolist())


@pytest.mark.parametrize("name", ["o.csv", "o.parquet"])
def test_a_column_with_gaps_far_down_is_of_one_type(answer: Answer, people: LearnAC, tmp_path: Path, name: str) -> None:
    """Rows are completed block by block, and a column is of the same type in all blocks."""
    rows = pd.concat([pd.read_csv(tmp_path / "people.csv")] * 34, ignore_index=True).astype(object)
    assert len(rows) > 20_100
    rows.loc[len(rows) - 1, "age"] = None
    rows.to_csv(tmp_path / "rows.csv", index=False)
    answer("impute", "people.learnac", "rows.csv", "--out", name)
    found = read_back(tmp_path / name)["age"].tolist()
    assert [as_value(value) for value in found[:-1]] == [as_value(value) for value in rows["age"][:-1]]
    bins = people.schema_.bins[-1]
    assert bins is not None
    assert found[-1] in bins.modes()[1]
    document = json.loads(answer("score", "people.learnac", name, "--json"))
    assert (document["rows"], document["impossible"]) == (len(rows), 0)


@pytest.mark.parametrize("column", ["city", "has car", "children", "age"])
def test_a_column_of_which_nothing_is_known(answer: Answer, people: LearnAC, tmp_path: Path, column: str) -> None:
    pd.DataFrame({"plan=b": ["y", "x=1"], column: [None, None]}).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "without.csv").write_text("plan=b\ny\nx=1\n")
    answers = [answer("mpe", "people.learnac", "--rows", name, "--json") for name in ("t.csv", "without.csv")]
    assert [json.loads(text)["rows"][0]["log_probability"] for text in answers] == [people.mpe({"plan=b": "y"})[1]] * 2
    assert json.loads(answers[0])["rows"] == json.loads(answers[1])["rows"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(None, "No such file or directory", id="missing"),
        pytest.param(b"", "the file is empty", id="empty"),
        pytest.param(b"city,children\n", "expected rows of values, found only a header", id="header only"),
        pytest.param(b"city,children\nBern,1\nBern\n", "bad.csv:3: expected 2 values, found 1", id="ragged"),
        pytest.param(b"city;children\nBern;1\n", "use --delimiter ';'", id="delimiter"),
        pytest.param("city,children\nZürich,1\n".encode("latin-1"), "expected text in UTF-8", id="encoding"),
        pytest.param("city,children\nBern,1\n".encode("utf-16"), "found UTF-16", id="utf-16"),
        pytest.param(b"city,children\n" + b"x" * 10**6 + b",1\n", "at most 1,000 characters", id="long line"),
        pytest.param(b"x" * 10**6, "at most 1,000 characters", id="one long line"),
        pytest.param(b"city,children\nRome,1\n", "expected one of its categories, 'Bern'", id="unseen"),
        pytest.param(b"city,children\nBern,many\n", "column 'children'", id="type"),
        pytest.param(b"town\n1\n", "'city'", id="no column of the model"),
    ],
)
def test_rows_that_are_none(complaint: Complaint, people: LearnAC, tmp_path: Path, content: Any, said: str) -> None:
    if content is not None:
        (tmp_path / "bad.csv").write_bytes(content)
    for command, *options in (["query", "-q", "has car=true", "--out", "o.csv"], ["mpe", "--out", "o.parquet"]):
        message = complaint(command, "people.learnac", "--rows", "bad.csv", *options)
        assert said in message
        assert message.startswith("error: bad.csv:")
        assert len(message) < 500


@pytest.mark.parametrize("text", ["age", "age=", "age=x", "age=1", "age=4:round", "", "age=4.5", "age=-2", "nope=3"])
def test_bins_that_are_none(complaint: Complaint, people: LearnAC, text: str) -> None:
    assert "bins" in (message := complaint("learn", "people.csv", "--bins", text)) or "'nope'" in message


@pytest.mark.parametrize("name", ["o.xls", "o.data", "o", "o.csv.gz"])
def test_a_table_by_a_name_of_no_format(complaint: Complaint, people: LearnAC, asked: pd.DataFrame, name: str) -> None:
    for arguments in (["sample", "people.learnac"], ["impute", "people.learnac", "asked.csv"]):
        assert f"ends in .csv, .tsv, .parquet, .feather, .arrow, found '{name}'" in complaint(*arguments, "--out", name)


def test_a_table_into_a_folder_that_there_is_not(complaint: Complaint, people: LearnAC, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    assert "nowhere/o.csv: No such file" in complaint("sample", "people.learnac", "--out", "nowhere/o.csv")
    assert "folder.csv: Is a directory" in complaint("sample", "people.learnac", "--out", "folder.csv")


def test_in_a_process_of_its_own(person: Callable[..., Any], people: LearnAC, tmp_path: Path) -> None:
    write(pd.read_csv(tmp_path / "people.csv"), tmp_path / "t.tsv.gz")
    code, out, err = person("learn", "t.tsv.gz", "--bins", "age=4", "--edge-penalty", "0.1", "--out", "m.learnac")
    assert (code, err) == (0, "")
    assert f"Edges {people.circuit_.n_edges}" in " ".join(out.split())
    assert load(tmp_path / "m.learnac").schema_ == people.schema_
    code, out, err = person("impute", "m.learnac", "nowhere.parquet", "--out", "o.feather")
    assert (code, out, err) == (2, "", "error: nowhere.parquet: No such file or directory\n")
    code, out, err = person("impute", "m.learnac", "nowhere.parquet", "--out", "o.feather", "--debug")
    assert (code, out) == (1, "")
    assert "Traceback (most recent call last)" in err
    assert not (tmp_path / "o.feather").exists()


def test_names_to_leave_out_must_be_there(complaint: Complaint, people: LearnAC) -> None:
    said = complaint("learn", "people.csv", "--bins", "age=4", "--drop", "citty")
    assert "people.csv: no column is called 'citty'; there are 'city'" in said


def test_numbers_with_leading_zeros_are_categories(answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "z.csv").write_text("z,y\n007,1\n7,2\n007,1\n12,2\n")
    answer("learn", "z.csv", "--as-category", "z,y", "--out", "z.learnac")
    assert load(tmp_path / "z.learnac").schema_.categories == (("007", "12", "7"), (1, 2))
    assert "P(z = 007) = " in answer("query", "z.learnac", "-q", "z=007")
    assert json.loads(answer("score", "z.learnac", "z.csv", "--json"))["rows"] == 4


def test_hexadecimal_numbers_that_are_categories_stay_texts(answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "z.csv").write_text("z,y\n0x1F,1\n0x2A,2\n0x1F,1\n")
    answer("learn", "z.csv", "--as-category", "z", "--out", "z.learnac")
    assert load(tmp_path / "z.learnac").schema_.categories == (("0x1F", "0x2A"), (1, 2))
    assert json.loads(answer("score", "z.learnac", "z.csv", "--json"))["rows"] == 3


@pytest.mark.parametrize("name", ["z.csv", "z.parquet"])
def test_whole_floats_beyond_all_integers(answer: Answer, tmp_path: Path, name: str) -> None:
    write(pd.DataFrame({"z": [2.0**63, 1e19, 1e19, -1e20], "y": [1, 2, 1, 2]}), tmp_path / name)
    answer("learn", name, "--out", "z.learnac")
    assert load(tmp_path / "z.learnac").schema_.numbers == [0]
    answer("learn", name, "--as-category", "z", "--out", "z.learnac")
    assert load(tmp_path / "z.learnac").schema_.categories[0] == ("-1e+20", "1e+19", "9.223372036854776e+18")
    answer("sample", "z.learnac", "-n", "3")
    assert json.loads(answer("score", "z.learnac", name, "--json"))["rows"] == 4


def test_a_schema_file_that_is_nested_too_deeply(complaint: Complaint, people: LearnAC, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("columns = " + "[" * 5000 + "]" * 5000)
    assert "s.toml: expected TOML of a few levels" in complaint("learn", "people.csv", "--schema", "s.toml")


@pytest.mark.parametrize("option", ["--out", "--write-schema", "--checkpoint"])
def test_a_table_is_not_written_over(complaint: Complaint, people: LearnAC, tmp_path: Path, option: str) -> None:
    before = (tmp_path / "people.csv").read_bytes()
    said = complaint("learn", "people.csv", "--bins", "age=4", option, "./people.csv")
    assert "this file is also read as a table" in said
    assert (tmp_path / "people.csv").read_bytes() == before
