"""Files as streams."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from learnac.data.streams import open_stream


@pytest.mark.parametrize(("name", "written"), [("t.csv", io.open), ("t.csv.gz", gzip.open)])
def test_a_stream_stays_open_for_whoever_still_reads_from_it(
    name: str, written: Callable[..., Any], tmp_path: Path
) -> None:
    """In the background, pyarrow reads on. From a closed file it would go on with the next one that is opened."""
    with written(tmp_path / name, "wb") as file:
        file.write(b"a,b\n" * 1000)
    with open_stream(tmp_path / name) as stream:
        start = stream.read(4)
    assert not stream.closed
    assert start + stream.read() == b"a,b\n" * 1000
