"""Learning benchmarks: what is learned is checked before a time is printed.

    python benchmarks/learning.py [--schedule quick|greedy] [--only NAME ...] [--threads 1 2] [--out FILE]
    python benchmarks/learning.py --growth

Every run is a process of its own, so that its memory can be measured. Needs LEARNAC_DATA.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import resource
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
from growth import growth_table
from sets import GREEDY, QUICK, Run, load

from learnac import LearnAC

TOLERANCE = 0.02


def measure(run: Run, n_threads: int) -> dict[str, object]:
    """Learns once; figures of the model and of the work."""
    dataset, test = load(run.name, run.parts), load(run.name, ("test",))
    # Imported and paged in beforehand: a first fit of nothing.
    LearnAC(max_splits=0).fit(dataset)
    started, cpu_started = time.perf_counter(), time.process_time()
    # As in the paper.
    plain = {"alpha": 1.0, "shrinkage": 0.0, "splits": "complete", "n_threads": n_threads}
    model = LearnAC(run.edge_penalty, run.parameter_penalty, run.schedule, **plain).fit(dataset)
    cpu, wall = time.process_time() - cpu_started, time.perf_counter() - started
    learned = model.learned_
    return {
        **asdict(run),
        "n_threads": n_threads,
        "leaves": model.network_.n_leaves,
        "edges": model.circuit_.n_edges,
        "log_likelihood": model.score(test),
        "cpu": cpu,
        "wall": wall,
        "evaluations": learned.n_evaluations,
        "visits": learned.n_visits,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "trace_hash": hash(tuple((s.leaf, s.variable, s.value) for s in learned.trace)),
        "parameters_sum": float(np.sum(model.circuit_.parameters)),
    }


def check(result: dict[str, object]) -> list[str]:
    """What is not as expected."""
    found = []
    for key, scale in (("leaves", 1), ("edges", 1000), ("log_likelihood", 1)):
        expected = result[f"expected_{key}"]
        if expected is not None and abs(result[key] / (expected * scale) - 1) > TOLERANCE:  # type: ignore[operator]
            found.append(f"{key}: expected {expected}, found {result[key]}")
    if result["cpu_seconds"] is not None and result["cpu"] > result["cpu_seconds"]:  # type: ignore[operator]
        found.append(f"cpu: expected at most {result['cpu_seconds']} s, found {result['cpu']:.1f} s")
    if result["memory_mb"] > 500:  # type: ignore[operator]
        found.append(f"memory: expected under 500 MB, found {result['memory_mb']:.0f} MB")
    return found


def machine() -> dict[str, object]:
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    model = next((line.split(":")[1].strip() for line in _cpuinfo() if line.startswith("model name")), "unknown")
    return {"commit": commit, "cpu": model, "n_cpus": multiprocessing.cpu_count(), "python": platform.python_version()}


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def show(result: dict[str, object]) -> None:
    print(
        "{name:10} {schedule:6} {n_threads} {leaves:6} {edges:8} {log_likelihood:9.3f} {cpu:8.2f} {wall:8.2f} "
        "{evaluations:9} {visits:11} {memory_mb:7.0f}".format(**result),
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedule", choices=("quick", "greedy"), action="append")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--growth", action="store_true", help="how time grows with rows, variables and splits")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/learning.json"))
    arguments = parser.parse_args()
    if arguments.growth:
        growth_table()
        return
    runs = [run for run in QUICK + GREEDY if run.schedule in (arguments.schedule or ("quick", "greedy"))]
    runs = [run for run in runs if arguments.only is None or run.name in arguments.only]
    results, complaints = [], []
    print("set        sched. t leaves    edges   test LL    CPU s   wall s evaluations visits      MB")
    for run in runs:
        traces = set()
        for n_threads in arguments.threads:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                result = pool.apply(measure, (run, n_threads))
            traces.add((result.pop("trace_hash"), result["parameters_sum"]))
            complaints += [f"{run.name} {run.schedule}: {complaint}" for complaint in check(result)]
            results.append(result)
            show(result)
        if len(traces) != 1:
            complaints.append(f"{run.name} {run.schedule}: the model depends on the number of threads")
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text(json.dumps({"machine": machine(), "results": results}, indent=1) + "\n")
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
