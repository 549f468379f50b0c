"""The service under load: requests a second, how long each takes, and whether its memory grows.

    python benchmarks/service.py [--seconds S] [--minutes M] [--out FILE]

`learnac serve` answers 1, 8 and 64 clients on this machine, each of which asks again as soon as it has its answer: for
S seconds (5 by default) for each kind of question, then for M minutes (10 by default) with all kinds in turn, while its
memory is looked at. Clients and service share the processors, so a service alone does more. All answers are compared
with the library's. Without --out, it writes the file in `benchmarks/results` that the table of docs/service.md is made
of. Needs LEARNAC_DATA.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from records import RESULTS, write

from learnac import Dataset, infer
from learnac.circuit import Circuit
from learnac.io import write_model
from learnac.learn import LearnSettings, learn_table
from learnac.model import Model

SET, N_EDGES, N_ROWS = "plants", 50_000, 1000
CLIENTS = (1, 8, 64)
JSON, ARROW = "application/json", "application/vnd.apache.arrow.stream"
REFUSED = (503, 504)
LOAD = os.getloadavg()[0]  # How many processes of others want to run.
MOST_GROWTH = 0.05  # of the memory, from the second tenth of the time to the last


@dataclass(frozen=True, slots=True)
class Question:
    """What is posted again and again, and the answer to it."""

    name: str
    path: str
    kind: str
    body: bytes
    expected: Any

    def check(self, content: bytes) -> None:
        if self.kind == ARROW:
            found = pa.ipc.open_stream(content).read_all()["log_likelihood"].to_numpy()
        else:
            document = json.loads(content)
            rows = document.get("rows", [document])
            found = (
                [row["log_likelihood"] for row in rows]
                if self.path == "score"
                else [p for values in document["marginals"].values() for p in values.values()]
            )
        np.testing.assert_allclose(found, self.expected, rtol=1e-9, atol=1e-12)


def questions(circuit: Circuit, table: Dataset) -> list[Question]:
    rows = table.codes[:, :N_ROWS].T.astype(int)
    names = circuit.schema.names
    hidden = np.random.default_rng(0).random(rows.shape) < 0.7
    given = [
        {name: int(code) for name, code, is_hidden in zip(names, row, gaps, strict=True) if not is_hidden}
        for row, gaps in zip(rows, hidden, strict=True)
    ]
    arrow = pa.table({name: pa.array(rows[:, v], mask=hidden[:, v]) for v, name in enumerate(names)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, arrow.schema) as writer:
        writer.write_table(arrow)
    scores = infer.log_likelihood(circuit, given)
    posteriors = np.concatenate(list(infer.marginals(circuit, given[0]).values()))
    one, many = (json.dumps({"given": each}).encode() for each in (given[0], given))
    return [
        Question("score, one row", "score", JSON, one, scores[:1]),
        Question("all posteriors, one row", "marginals", JSON, one, posteriors),
        Question(f"score, {N_ROWS:,} rows in JSON", "score", JSON, many, scores),
        Question(f"score, {N_ROWS:,} rows in Arrow", "score", ARROW, bytes(sink.getvalue()), scores),
    ]


def training_table() -> Dataset:
    from sets import TRAIN, load  # Tests know another module by this name.

    return load(SET, TRAIN)


@contextmanager
def serving(model: Model) -> Iterator[tuple[int, int]]:
    """The process and the port of a service."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.learnac"
        write_model(model, path)
        command = [sys.executable, "-m", "learnac", "serve", str(path), "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
            try:
                assert service.stdout is not None
                found = re.search(r":(\d+)/v1", service.stdout.readline())
                assert found is not None
                yield service.pid, int(found[1])
            finally:
                service.terminate()


@dataclass(slots=True)
class Answered:
    """What the clients saw: the seconds of each answer, and how many questions were refused, as too many at once."""

    times: list[float] = field(default_factory=list)
    n_refused: int = 0


def asking(port: int, asked: list[Question], until: float, answered: Answered) -> None:
    """One client, until the time is over. The first answer to each question is compared."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    to_compare = {question.name for question in asked}
    for question in cycle(asked):
        if time.monotonic() >= until:
            break
        begun = time.perf_counter()
        connection.request("POST", f"/v1/models/model/{question.path}", question.body, {"content-type": question.kind})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status in REFUSED:
            answered.n_refused += 1
            continue
        answered.times.append(time.perf_counter() - begun)
        assert answer.status == 200, content
        if question.name in to_compare:
            question.check(content)
            to_compare.remove(question.name)
    connection.close()


def with_clients(n_clients: int, port: int, asked: list[Question], seconds: float) -> Answered:
    answered, until = Answered(), time.monotonic() + seconds
    with ThreadPoolExecutor(n_clients) as clients:
        for done in [clients.submit(asking, port, asked, until, answered) for _ in range(n_clients)]:
            done.result()
    return answered


def load_of(port: int, question: Question, n_clients: int, seconds: float) -> dict[str, Any]:
    begun = time.monotonic()
    answered = with_clients(n_clients, port, [question], seconds)
    elapsed = time.monotonic() - begun
    return {
        "name": question.name,
        "clients": n_clients,
        "requests_per_second": len(answered.times) / elapsed,
        "median_ms": 1000 * float(np.median(answered.times)),
        "p99_ms": 1000 * float(np.quantile(answered.times, 0.99)),
        "refused": answered.n_refused,
        "load": LOAD,
    }


def memory_of(pid: int, port: int, asked: list[Question], minutes: float) -> dict[str, Any]:
    """Megabytes of the service while 8 clients ask: after a tenth of the time, and at its end."""
    found: list[float] = []
    with ThreadPoolExecutor(1) as background:
        clients = background.submit(with_clients, 8, port, asked, 60 * minutes)
        while not clients.done():
            found.append(resident_mb(pid))
            time.sleep(min(1.0, minutes))
        clients.result()
    tenth = max(1, len(found) // 10)
    return {
        "name": "memory",
        "minutes": minutes,
        "early_mb": float(np.mean(found[tenth : 2 * tenth])),
        "late_mb": float(np.mean(found[-tenth:])),
        "most_mb": max(found),
    }


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def complaint(memory: dict[str, Any]) -> str | None:
    """What is not as required of the memory; None if nothing."""
    early, late = memory["early_mb"], memory["late_mb"]
    if late <= early * (1 + MOST_GROWTH):
        return None
    return f"expected memory that stays as it is, found {early:.0f} MB, then {late:.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--out", type=Path, default=RESULTS / "service.json", metavar="FILE")
    chosen = parser.parse_args()
    table = training_table()
    learned = learn_table(table, LearnSettings(max_edges=N_EDGES, alpha=0.5, shrinkage=1.0))
    asked, results = questions(learned.circuit, table), []
    with serving(Model(learned.circuit, learned.network)) as (pid, port):
        for question in asked:
            for n_clients in CLIENTS:
                results.append(load_of(port, question, n_clients, chosen.seconds))
                print(results[-1], flush=True)
        results.append(memory_of(pid, port, asked, chosen.minutes))
        print(results[-1], flush=True)
    write(chosen.out, results)
    sys.exit(complaint(results[-1]))


if __name__ == "__main__":
    main()
