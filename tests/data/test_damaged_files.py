"""Damaged and hostile tables: one clear line, or a table; no crash, and no more memory than there is."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from learnac.data import csv_files
from learnac.data.tables import read_frame
from learnac.errors import DataError

# Each file in a process of its own; all of them forked from one that has imported everything.
FLIPS = """
import os, sys
import numpy as np
from pathlib import Path
from learnac.data.tables import read_frame
from learnac.errors import DataError
path = Path(sys.argv[1])
content, rng = path.read_bytes(), np.random.default_rng(0)
for place in rng.integers(len(content) * 8, size=int(sys.argv[2])).tolist():
    damaged = bytearray(content)
    damaged[place // 8] ^= 1 << (place % 8)
    path.write_bytes(damaged)
    child = os.fork()
    if child == 0:
        try:
            frame = read_frame(path)
            frame.table.to_pydict(), [frame.stored.rows(i, np.arange(2)) for i in range(frame.table.num_columns)]
            os._exit(0)
        except DataError as error:
            os._exit(0 if "\\n" not in str(error) else 3)
        except BaseException:
            os._exit(4)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def some_table() -> Any:
    rng = np.random.default_rng(0)
    words = pa.array(rng.choice(["x", "yy", "zzz"], 1000))
    return pa.table(
        {
            "n": rng.integers(3, size=1000),
            "s": words,
            "d": words.dictionary_encode(),
            "f": pa.array(rng.random(1000) < 0.5, mask=rng.random(1000) < 0.1),
        }
    )


@pytest.mark.parametrize("name", ["t.feather", "t.parquet"])
def test_flipped_bits_do_not_crash(tmp_path: Path, name: str) -> None:
    if name == "t.feather":
        pyarrow.feather.write_feather(some_table(), tmp_path / name, compression="lz4")
    else:
        pq.write_table(some_table(), tmp_path / name)
    command = [sys.executable, "-c", FLIPS, str(tmp_path / name), "25"]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert found == ["0"] * 25


def test_checksums_of_pages_are_used(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array(np.arange(1000) % 7, pa.int64())})
    pq.write_table(table, tmp_path / "t.parquet", write_page_checksum=True, compression="none", use_dictionary=False)
    content = bytearray((tmp_path / "t.parquet").read_bytes())
    content[2000] ^= 1
    (tmp_path / "t.parquet").write_bytes(content)
    with pytest.raises(DataError, match=r"cannot be read as Parquet: .*CRC"):
        read_frame(tmp_path / "t.parquet")


@pytest.mark.parametrize("name", ["t.feather", "t.parquet"])
def test_texts_that_are_no_utf_8_name_their_column(tmp_path: Path, name: str) -> None:
    offsets, content = pa.py_buffer(np.array([0, 1, 3], np.int32)), pa.py_buffer(b"a\xff\xfe")
    texts = pa.Array.from_buffers(pa.string(), 2, [None, offsets, content])
    table = pa.table({"n": [1, 2], "word": texts})
    if name == "t.feather":
        pyarrow.feather.write_feather(table, tmp_path / name)
    else:
        pq.write_table(table, tmp_path / name)
    with pytest.raises(DataError, match="column 'word': expected text in UTF-8, found other bytes") as caught:
        read_frame(tmp_path / name)
    assert caught.value.column == "word"


def test_a_line_without_an_end_is_too_long_not_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_files, "_BLOCK_SIZES", (1 << 12, 1 << 17))
    for content in (b"x" * (1 << 18), b"a,b\n1," + b"x" * (1 << 18)):
        (tmp_path / "t.csv").write_bytes(content)
        with pytest.raises(DataError, match=r"t\.csv: expected lines of at most 131,072 characters, found a longer"):
            read_frame(tmp_path / "t.csv")


def test_a_line_of_200_mb_in_a_process_of_its_own(tmp_path: Path) -> None:
    with (tmp_path / "t.csv").open("wb") as file:
        for _ in range(200):
            file.write(b"x" * 1_000_000)
    command = [sys.executable, "-m", "learnac", "learn", str(tmp_path / "t.csv")]
    found = subprocess.run(command, check=False, capture_output=True, text=True)
    assert found.returncode == 2
    assert found.stderr.endswith("t.csv: expected lines of at most 134,217,728 characters, found a longer one\n")
    assert found.stderr.count("\n") == 1


def test_what_decompresses_into_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(some_table(), tmp_path / "t.parquet")
    content = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet.gz").write_bytes(gzip.compress(content))
    monkeypatch.setenv("LEARNAC_MAX_DECOMPRESSED", str(len(content) - 1))
    said = f"expected at most {len(content) - 1:,} bytes after decompression, found more: decompress the file first, or"
    with pytest.raises(DataError, match=said):
        read_frame(tmp_path / "t.parquet.gz")
    monkeypatch.setenv("LEARNAC_MAX_DECOMPRESSED", str(len(content)))
    assert read_frame(tmp_path / "t.parquet.gz").table.num_rows == 1000
    monkeypatch.setenv("LEARNAC_MAX_DECOMPRESSED", "much")
    with pytest.raises(DataError, match="LEARNAC_MAX_DECOMPRESSED: expected a number of bytes, found 'much'"):
        read_frame(tmp_path / "t.parquet.gz")
