"""Learning from tables of 10^5 to 10^8 rows of 100 binary columns: in memory, in blocks on disk, on a cluster.

    python benchmarks/scale.py [--only NAME ...] [--out FILE]

The rows are drawn from a model of baudio, as a stream, a million different ones and then these again. Each way learns
1,000 splits by AC-Quick, in a process of its own, and the models must be the same. Seconds are CPU time of the search
alone, of all processes; memory is the largest that any process had. Needs LEARNAC_DATA, and for 10^8 rows
1.3 GB of disk.
"""

from __future__ import annotations

import hashlib
import resource
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from records import alone, run
from sets import TRAIN, load

from learnac import infer
from learnac.circuit import Circuit
from learnac.data import Dataset
from learnac.data.blocks import BlockWriter
from learnac.learn import Learned, LearnSettings, learn, learn_table
from learnac.learn.blocks import OnDisk
from learnac.learn.counts import TableCounts
from learnac.learn.passes import PassCounts

SETTINGS = LearnSettings(edge_penalty=1.0, max_splits=1000, alpha=0.5, shrinkage=0.0)
MEMORY = 10**9
BATCH = 1 << 18
N_BATCHES = 4  # that are different: to draw a hundred million rows would take longer than to learn from them
N_WORKERS = 2
SIZES = {
    "memory": (10**5, 10**6, 10**7),
    "disk": (10**5, 10**6, 10**7, 10**8),
    "dask": (10**5, 10**6, 10**7, 10**8),
}
NAMES = [f"{way}-{size:.0e}".replace("e+0", "e") for way, sizes in SIZES.items() for size in sizes]
MOST_TIMES_THE_CPU = 3.0
MOST_BYTES_ON_DISK = 2 * 10**9

_first: dict[int, str] = {}  # by the number of rows, the checksum of the first model
_in_memory: dict[int, float] = {}  # and the CPU seconds in memory


def source() -> Circuit:
    return learn_table(load("baudio", TRAIN), LearnSettings(max_edges=20_000, alpha=0.5, shrinkage=1.0)).circuit


def drawn(circuit: Circuit, n_rows: int, first: int = 0) -> Iterator[Dataset]:
    """Rows, batch by batch: the same for the same numbers. A million are different; then they come again."""
    for start in range(first, first + n_rows, BATCH):
        batch = _batch(circuit, start // BATCH % N_BATCHES)
        yield batch[: first + n_rows - start]


@lru_cache(maxsize=4)
def _batch(circuit: Circuit, seed: int) -> Dataset:
    found: Dataset = infer.sample(circuit, BATCH, random_state=seed)
    return found


def in_memory(n_rows: int) -> dict[str, Any]:
    circuit = source()
    codes = np.empty((100, n_rows), np.uint8)
    for i, batch in enumerate(drawn(circuit, n_rows)):
        codes[:, i * BATCH : i * BATCH + batch.n_rows] = batch.codes
    codes.flags.writeable = False
    table = Dataset(circuit.schema, codes)
    began = time.process_time()
    learned = learn(table.schema, TableCounts(table), SETTINGS)
    return described(learned, time.process_time() - began)


def on_disk(n_rows: int) -> dict[str, Any]:
    circuit = source()
    writer = BlockWriter(circuit.schema)
    for batch in drawn(circuit, n_rows):
        writer.add(batch.codes)
    table = writer.table()
    began = time.process_time()
    counts = PassCounts(OnDisk(table).rows(), MEMORY // 4 // 8)
    learned = learn(table.schema, counts, SETTINGS)
    found = described(learned, time.process_time() - began)
    return {**found, "counted": counts.n_counted, "bytes": table.n_bytes, "bytes_read": table.n_bytes_read}


def on_cluster(n_rows: int) -> dict[str, Any]:
    from dask.delayed import delayed
    from distributed import Client, LocalCluster, wait

    from learnac.cluster import DistributedTable

    circuit = source()
    with (
        LocalCluster(n_workers=N_WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        starts = range(0, n_rows, BATCH)
        parts = client.compute([delayed(_part)(circuit, min(BATCH, n_rows - start), start) for start in starts])
        wait(parts)
        table = DistributedTable(client, circuit.schema, parts, has_weights=False)
        before = sum(client.run(time.process_time).values()) + time.process_time()
        learned = learn(circuit.schema, PassCounts(table.rows(), MEMORY // 4 // 8), SETTINGS)
        seconds = sum(client.run(time.process_time).values()) + time.process_time() - before
        of_workers = max(client.run(_peak).values())
        return {**described(learned, seconds), "peak_bytes": max(_peak(), of_workers)}


def _part(circuit: Circuit, n_rows: int, first: int) -> Any:
    from learnac.data.scratch import InMemory

    writer = BlockWriter(circuit.schema, file=InMemory())
    for batch in drawn(circuit, n_rows, first):
        writer.add(batch.codes)
    return writer.table()


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def described(learned: Learned, seconds: float) -> dict[str, Any]:
    checksum = hashlib.blake2b(digest_size=8)
    for array in (learned.circuit.children, learned.circuit.parameters):
        checksum.update(array.tobytes())
    return {
        "splits": len(learned.trace),
        "edges": learned.circuit.n_edges,
        "passes": learned.n_passes,
        "seconds": seconds,
        "ms_a_split": 1000 * seconds / len(learned.trace),
        "peak_bytes": _peak(),
        "checksum": checksum.hexdigest(),
    }


WAYS = {"memory": in_memory, "disk": on_disk, "dask": on_cluster}


def measure(name: str) -> list[dict[str, Any]]:
    way, size = name.split("-")
    n_rows = int(float(size))
    found = alone(WAYS[way], n_rows)
    assert _first.setdefault(n_rows, found["checksum"]) == found["checksum"], "the models differ"
    if way == "memory":
        _in_memory[n_rows] = found["seconds"]
    times = {"times_in_memory": found["seconds"] / _in_memory[n_rows]} if n_rows in _in_memory else {}
    return [{"name": name, "way": way, "rows": n_rows, **found, **times}]


def show(result: dict[str, Any]) -> None:
    print(
        f"{result['name']:12} {result['splits']:,} splits, {result['passes']:,} passes, "
        f"{result['ms_a_split']:.1f} ms a split, {result['peak_bytes'] / 1e9:.2f} GB at most, "
        f"{result.get('bytes_read', 0) / 1e9:.1f} GB read, {result.get('times_in_memory', 0):.2f} times in memory",
        flush=True,
    )


def complaints(result: dict[str, Any]) -> list[str]:
    found = []
    if result["way"] == "disk" and result.get("times_in_memory", 0) > MOST_TIMES_THE_CPU:
        found.append(f"{result['name']}: {result['times_in_memory']:.1f} times the CPU of a table in memory")
    if result["way"] == "disk" and result["peak_bytes"] > MOST_BYTES_ON_DISK:
        found.append(f"{result['name']}: {result['peak_bytes'] / 1e9:.1f} GB of memory")
    return found


if __name__ == "__main__":
    run(__doc__, NAMES, "scale.json", measure, show, complaints)
