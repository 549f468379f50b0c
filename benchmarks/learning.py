"""Learning benchmarks: what is learned is checked before a time is printed.

    python benchmarks/learning.py [--schedule quick|greedy] [--only NAME ...] [--out FOLDER]
    python benchmarks/learning.py --growth
    python benchmarks/learning.py --weights

All runs together write the files in `benchmarks/results` that README's table is made of; `make bench` does that. A
choice of runs writes nothing, unless --out says where. Every run is a process of its own, so that its memory can be
measured. Needs LEARNAC_DATA.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from growth import growth_table
from plain_circuits import UnexpectedCircuitError, learned, require_expected
from records import RESULTS, write
from sets import QUICK, RUNS, Run, load
from weights import weights_table

from learnac import LearnAC


def measure(run: Run) -> dict[str, Any]:
    """Learns once; figures of the model and of the work."""
    dataset, test = load(run.name, run.parts), load(run.name, ("test",))
    # Imported and paged in beforehand: a first fit of nothing.
    LearnAC(max_splits=0).fit(dataset)
    started, cpu_started = time.perf_counter(), time.process_time()
    model = learned(run, dataset)
    cpu, wall = time.process_time() - cpu_started, time.perf_counter() - started
    leaves, edges, log_likelihood = model.network_.n_leaves, model.circuit_.n_edges, model.score(test)
    require_expected(run, leaves, edges, log_likelihood)
    return {
        **asdict(run),
        "leaves": leaves,
        "edges": edges,
        "log_likelihood": log_likelihood,
        "cpu": cpu,
        "wall": wall,
        "evaluations": model.learned_.n_evaluations,
        "visits": model.learned_.n_visits,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def complaints(result: dict[str, Any]) -> list[str]:
    """What takes more than it should."""
    found = []
    if result["cpu_seconds"] is not None and result["cpu"] > result["cpu_seconds"]:
        found.append(f"cpu: expected at most {result['cpu_seconds']} s, found {result['cpu']:.1f} s")
    if result["memory_mb"] > 500:
        found.append(f"memory: expected under 500 MB, found {result['memory_mb']:.0f} MB")
    return [f"{result['name']} {result['schedule']}: {complaint}" for complaint in found]


def measured(run: Run) -> dict[str, Any]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        result = pool.apply(measure, (run,))
    show(result)
    return result


def show(result: dict[str, Any]) -> None:
    print(
        "{name:10} {schedule:6} {leaves:6} {edges:8} {log_likelihood:9.3f} {cpu:8.2f} {wall:8.2f} "
        "{evaluations:9} {visits:11} {memory_mb:7.0f}".format(**result),
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedule", choices=("quick", "greedy"), action="append")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[run.name for run in QUICK])
    parser.add_argument("--growth", action="store_true", help="how time grows with rows, variables and splits")
    parser.add_argument("--weights", action="store_true", help="fractional weights of rows against none")
    parser.add_argument("--out", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    try:
        if arguments.growth:
            growth_table()
        elif arguments.weights:
            sys.exit(weights_table())
        else:
            measure_all(arguments)
    except UnexpectedCircuitError as error:
        sys.exit(f"error: {error}")


def measure_all(arguments: argparse.Namespace) -> None:
    is_all = arguments.schedule is None and arguments.only is None
    folder = arguments.out or (RESULTS if is_all else None)
    found = []
    print("set        sched. leaves    edges   test LL    CPU s   wall s evaluations visits      MB")
    for file, runs in RUNS.items():
        results = [
            measured(run)
            for run in runs
            if run.schedule in (arguments.schedule or [run.schedule]) and run.name in (arguments.only or [run.name])
        ]
        if folder is not None and results:
            write(folder / f"{file}.json", results)
        found += [complaint for result in results for complaint in complaints(result)]
    for complaint in found:
        print(complaint, file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
