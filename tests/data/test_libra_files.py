"""Libra's `.data` files: codes, `*` for unknown, weights before rows, a `.schema` beside."""

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnac.data.tables import TableLayout, read_frame
from learnac.errors import DataError

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_libra_files(tmp_path: Path, compression: str) -> None:
    path = tmp_path / f"t.data{compression}"
    path.write_bytes(COMPRESSIONS[compression](b"0,1,*\n2.5|1,0,3\n*,1,0\n0.125|*,*,1\r\n"))
    frame = read_frame(path, TableLayout(has_header=True))
    assert frame.table.to_pydict() == {"x0": [0, 1, None, None], "x1": [1, 0, 1, None], "x2": [None, 3, 0, 1]}
    assert frame.weights is not None
    assert frame.weights.tolist() == [1, 2.5, 1, 0.125]
    assert frame.categories == {"x0": (0, 1), "x1": (0, 1), "x2": (0, 1, 2, 3)}


@given(
    st.lists(
        st.tuples(st.none() | st.floats(0, 1e9), st.lists(st.none() | st.integers(0, 9), min_size=3, max_size=3)),
        min_size=1,
    )
)
def test_libra_rows_and_weights_come_back(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    def line(weight: float | None, codes: list[int | None]) -> str:
        text = ",".join("*" if code is None else str(code) for code in codes)
        return text if weight is None else f"{weight!r}|{text}"

    path = tmp_path_factory.mktemp("libra") / "t.data"
    path.write_text("\n".join(line(*row) for row in rows))
    frame = read_frame(path)
    assert [list(row.values()) for row in frame.table.to_pylist()] == [codes for _, codes in rows]
    weights = [1.0 if weight is None else weight for weight, _ in rows]
    if all(weight is None for weight, _ in rows):
        assert frame.weights is None
    else:
        assert frame.weights is not None
        assert frame.weights.tolist() == weights


@pytest.mark.parametrize(
    ("table", "schema"),
    [("t.data", "t.schema"), ("t.train.data.gz", "t.train.schema"), ("t.valid.data", "t.schema")],
)
def test_a_schema_beside_a_libra_file_states_arities(tmp_path: Path, table: str, schema: str) -> None:
    content = b"0,1\n0,0\n"
    (tmp_path / table).write_bytes(gzip.compress(content) if table.endswith(".gz") else content)
    (tmp_path / schema).write_text("3,2\n")
    assert read_frame(tmp_path / table).categories == {"x0": (0, 1, 2), "x1": (0, 1)}
    (tmp_path / schema).write_text("3,2,2")
    with pytest.raises(DataError, match=f"{schema}: expected 2 arities, found 3"):
        read_frame(tmp_path / table)
    (tmp_path / schema).write_text("3;2")
    with pytest.raises(DataError, match=f"{schema}: expected one line of arities such as 2,2,3, found '3;2'"):
        read_frame(tmp_path / table)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "the file is empty"),
        (b"age,sex\n1,2\n", "t.data:1: column 'x1': expected a whole number from 0, or *, found 'sex'"),
        (b"age\n1\n", "t.data:1: column 'x0': expected a whole number from 0, or *, found 'age'"),
        (b"0,1\n0,a\n", "t.data:2: column 'x1': expected a whole number from 0, or *, found 'a'"),
        (b"0,1\n0\n", "t.data:2: expected 2 values, found 1"),
        (b"0,1\n,1\n", "t.data:2: column 'x0': expected a whole number from 0, or *, found ''"),
        (b"0,1\n0,\n", "t.data:2: column 'x1': expected a whole number from 0, or *, found ''"),
        (b"0,1\n-1,1\n", "t.data:2: column 'x0': expected a whole number from 0, or *, found '-1'"),
        (b"0,1\nx|0,1\n", "t.data:2: column 'x0': expected a weight from 0 before |, found 'x|0'"),
        (b"0,1\n-1|0,1\n", "t.data:2: column 'x0': expected a weight from 0 before |, found '-1|0'"),
        (b"0,1\nnan|0,1\n", "t.data:2: column 'x0': expected a weight from 0 before |, found 'nan|0'"),
        (b"0,1\n1|2|0,1\n", "t.data:2: column 'x0': expected a whole number"),
        (b"0,1\n0,2|1\n", "t.data:2: column 'x1': expected a whole number"),
        (b"0,99999999\n", "column 'x1': expected at most 65,536 categories"),
    ],
)
def test_what_is_no_libra_file(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "t.data"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_frame(path)
    assert str(caught.value).startswith(f"{path}:")
    assert complaint in str(caught.value)
