"""What a stream may take of the machine: memory within a limit, and a disk that is full, in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

N_ROWS, N_COLUMNS = 1_000_000, 48


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every third column has numbers: in memory, all of them and their codes take 176 MB."""
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 4, N_ROWS)
    columns = {}
    for i in range(N_COLUMNS):
        noise = rng.random(N_ROWS, np.float32)
        columns[f"v{i}"] = hidden + noise if i % 3 == 0 else ((hidden > i % 4) ^ (noise < 0.2)).astype(np.int8)
    found = tmp_path_factory.mktemp("table") / "t.parquet"
    pq.write_table(pa.table(columns), found, row_group_size=1 << 16, compression="none", use_dictionary=False)
    return found


def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


# Prints by how many MB the peak grew, after a small table that loads all code.
PEAK = """
import resource, sys
import numpy as np, pyarrow as pa
from learnac import LearnAC

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

rng = np.random.default_rng(0)
small = pa.table({"a": rng.random(500), "b": rng.integers(0, 2, 500)})
LearnAC(max_splits=1).fit(iter(small.to_batches()))
before = peak()
model = LearnAC(max_splits=20, alpha=1.0, shrinkage=0.0).fit(sys.argv[1], memory="100MB")
assert model.provenance_["rows"] == 1_000_000 and len(model.trace_) == 20
print(peak() - before)
"""


def test_memory_stays_under_the_limit(path: Path) -> None:
    found = run(PEAK, path)
    assert found.returncode == 0, found.stderr
    assert float(found.stdout) < 100


# No file may be larger than a megabyte: the packed table has 8, and the batches more.
FULL = """
import resource, sys
import pyarrow.parquet as pq
from learnac import LearnAC
from learnac.cli.app import main

resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
if sys.argv[1] == "command":
    main(["learn", sys.argv[2], "--memory", "100MB", "--scratch", sys.argv[3]])
try:
    LearnAC().fit(pq.ParquetFile(sys.argv[2]).iter_batches(), scratch=sys.argv[3])
except OSError as error:
    sys.exit(f"error: {error.filename}: {error.strerror}")
"""


@pytest.mark.parametrize("way", ["command", "batches"])
def test_a_full_disk_is_one_line(path: Path, tmp_path: Path, way: str) -> None:
    found = run(FULL, way, path, tmp_path)
    assert found.returncode != 0
    assert found.stderr.strip() == f"error: {tmp_path}: there is no room for a packed table"
    assert list(tmp_path.iterdir()) == []
