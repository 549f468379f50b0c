"""Ctrl-C ends a long query within a second or two."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

PROGRAM = """
import sys
import numpy as np
from learnac import Dataset, infer
from learnac.learn import LearnSettings, learn_table

rng = np.random.default_rng(0)
prototypes = rng.integers(2, size=(8, 60))
rows = np.where(rng.random((2000, 60)) < 0.75, prototypes[rng.integers(8, size=2000)], rng.integers(2, size=(2000, 60)))
small = learn_table(Dataset.from_array(rows, arities=2), LearnSettings(0.01, 0.1, max_splits=300))
wide = learn_table(Dataset.from_array(rng.integers(2, size=(20, 1500)), arities=2), LearnSettings(max_splits=0))
many = np.full((200_000, 60), -1, dtype=np.int8)
many[:, ::2] = rows[rng.integers(2000, size=200_000), ::2]
repeated = np.repeat(rows.T, 500, axis=1).astype(np.uint8)
expected = infer.entropy(small.circuit), infer.entropy(wide.circuit)
queries = {
    "likelihoods": lambda: infer.log_likelihood(small.circuit, many),
    "likelihoods with two threads": lambda: infer.log_likelihood(small.circuit, many, n_threads=2),
    "marginals": lambda: infer.marginals(small.circuit, many, variables=["x1"]),
    "completions": lambda: infer.mpe(small.circuit, many),
    "queries": lambda: infer.log_probability(small.circuit, {"x1": 1}, many),
    "samples": lambda: infer.sample(small.circuit, 1, many),
    "samples of one row": lambda: infer.sample(small.circuit, 1_500_000),
    "samples of many variables": lambda: infer.sample(wide.circuit, 262_144),
    "complete rows": lambda: small.network.log_likelihood(repeated),
    "entropy": lambda: infer.entropy(small.circuit, [f"x{i}" for i in range(20)]),
}
for name, ask in queries.items():
    try:
        print(name, flush=True)
        for _ in range(1000):
            ask()
        print("never interrupted", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
assert (infer.entropy(small.circuit), infer.entropy(wide.circuit)) == expected
print("done", flush=True)
"""


def test_it_ends_every_query() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    watchdog = threading.Timer(300, process.kill)
    watchdog.start()
    seconds = {}
    while (name := process.stdout.readline().strip()) not in ("", "done"):
        time.sleep(0.25)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        if process.stdout.readline() != "interrupted\n":
            process.kill()
            break
        seconds[name] = time.monotonic() - start
    _, errors = process.communicate()
    watchdog.cancel()
    assert process.returncode == 0, f"after {list(seconds)}: {errors}"
    assert len(seconds) == 10
    assert {name: taken for name, taken in seconds.items() if taken > 10} == {}
