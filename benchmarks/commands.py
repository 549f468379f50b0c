"""What commands cost on a small table: processor time of the whole process, and where it goes.

    python benchmarks/commands.py [--runs N] [--only NAME ...] [--out FILE]

Answers are checked before a time is printed. Each time is the best of several runs, every one a process with an empty
environment. The table is nltcs if LEARNAC_DATA is set, or else made here. Ends with 1 if a command takes longer than it
may.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from importlib.util import cache_from_source
from pathlib import Path

import numpy as np

import learnac
from learnac import Dataset, LearnAC
from learnac.data.tables import read_frame

LEARN = ["learn", "train.csv", "--edge-penalty", "0.1", "--out", "model.learnac"]
# Command lines, and the seconds of processor time that each may take on a quiet machine.
COMMANDS: dict[str, tuple[list[str], float]] = {
    "learn": (LEARN, 0.5),
    "score": (["score", "model.learnac", "test.csv"], 0.35),
    "query": (["query", "model.learnac", "-q", "x0=1", "-g", "x1=0,x2=1"], 0.35),
    "marginals": (["marginals", "model.learnac", "-g", "x1=0"], 0.35),
    "mpe": (["mpe", "model.learnac", "-g", "x1=0"], 0.35),
    "sample": (["sample", "model.learnac", "-n", "5", "--seed", "1"], 0.35),
    "impute": (["impute", "model.learnac", "gaps.csv"], 0.35),
    "info": (["info", "model.learnac"], 0.35),
}
ENVIRONMENT = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
STANDARD = "standard library"


@dataclass(frozen=True)
class Cost:
    """Seconds of processor time of a command, and what they went into. The parts are of other runs than the whole."""

    command: str
    limit: float
    total: float
    start: float  # of the interpreter
    imports: dict[str, float]  # by package
    work: float  # all else


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=list(COMMANDS))
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    if not Path(cache_from_source(learnac.__file__)).exists():
        print("warning: the package is not compiled to bytecode, as pip would do", file=sys.stderr)
    costs = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder)
        run(folder, *LEARN)
        check_answers(folder)
        print(f"{'command':<10}{'limit':>7}{'CPU s':>7}{'start':>7}{'imports':>9}{'work':>7}   imports by package")
        for command in arguments.only:
            costs.append(measure(folder, command, arguments.runs))
            show(costs[-1])
    if arguments.out is not None:
        arguments.out.write_text(json.dumps([asdict(cost) for cost in costs], indent=1) + "\n")
    too_slow = [cost for cost in costs if cost.total > cost.limit]
    for cost in too_slow:
        print(f"{cost.command}: expected at most {cost.limit} s, found {cost.total:.2f} s", file=sys.stderr)
    sys.exit(1 if too_slow else 0)


def write_tables(folder: Path) -> None:
    """train.csv and test.csv, of 16 binary columns, and gaps.csv, a few rows of the second with gaps."""
    for part, codes in tables().items():
        text = "\n".join([",".join(f"x{column}" for column in range(codes.shape[1])), *map(_line, codes.tolist())])
        (folder / f"{part}.csv").write_text(text + "\n")
    lines = (folder / "test.csv").read_text().splitlines()
    (folder / "gaps.csv").write_text("\n".join([lines[0], *(f",{line[2:]}" for line in lines[1:50])]) + "\n")


def _line(row: list[int]) -> str:
    return ",".join(map(str, row))


def tables() -> dict[str, np.ndarray]:
    if (folder := os.environ.get("LEARNAC_DATA")) is not None:
        paths = {part: Path(folder, "debd", "nltcs", f"nltcs.{part}.data.gz") for part in ("train", "test")}
        frames = {part: read_frame(path).table for part, path in paths.items()}
        return {part: np.array([column.to_numpy() for column in frames[part].itercolumns()]).T for part in frames}
    rng = np.random.default_rng(0)
    hidden, loads = rng.random((20_000, 3)), rng.random((3, 16))
    codes = (hidden @ loads + rng.random((20_000, 16)) > np.sum(loads, axis=0) / 2 + 0.5).astype(int)
    return {"train": codes[:16_000], "test": codes[16_000:]}


def check_answers(folder: Path) -> None:
    """The commands say what the library says."""
    model, test = learnac.load(folder / "model.learnac"), Dataset.from_array(tables()["test"], arities=2)
    twin = LearnAC(0.1).fit(Dataset.from_array(tables()["train"], arities=2))
    assert np.array_equal(model.circuit_.parameters, twin.circuit_.parameters)
    assert json.loads(run(folder, *COMMANDS["score"][0], "--json"))["log_likelihood"] == model.score(test)
    found = json.loads(run(folder, *COMMANDS["query"][0], "--json"))["log_probability"]
    assert found == model.log_probability({"x0": 1}, {"x1": 0, "x2": 1})
    marginals = json.loads(run(folder, *COMMANDS["marginals"][0], "--json"))["marginals"]
    assert [list(of.values()) for of in marginals.values()] == [p.tolist() for p in model.marginals({"x1": 0}).values()]
    assert json.loads(run(folder, *COMMANDS["mpe"][0], "--json"))["world"] == model.mpe({"x1": 0})[0]


def measure(folder: Path, command: str, n_runs: int) -> Cost:
    words, limit = COMMANDS[command]
    total = min(cpu_seconds(folder, "-m", "learnac", *words) for _ in range(n_runs + 1))
    start = min(cpu_seconds(folder, "-c", "pass") for _ in range(n_runs + 1))
    at_start = import_seconds(folder, "-c", "pass").keys()
    found = min((import_seconds(folder, "-m", "learnac", *words) for _ in range(n_runs)), key=lambda f: sum(f.values()))
    imports: Counter[str] = Counter()
    for module, seconds in found.items():
        if module not in at_start:
            package = module.partition(".")[0]
            imports[STANDARD if package in sys.stdlib_module_names else package] += seconds
    work = max(0.0, total - start - sum(imports.values()))
    return Cost(command, limit, total, start, dict(imports.most_common()), work)


def show(cost: Cost) -> None:
    packages = ", ".join(f"{name} {seconds:.3f}" for name, seconds in cost.imports.items() if seconds >= 0.002)
    parts = f"{cost.start:>7.3f}{sum(cost.imports.values()):>9.3f}{cost.work:>7.3f}"
    print(f"{cost.command:<10}{cost.limit:>7.2f}{cost.total:>7.3f}{parts}   {packages}", flush=True)


def run(folder: Path, *words: str) -> str:
    return _python(folder, "-m", "learnac", *words).stdout


def cpu_seconds(folder: Path, *words: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _python(folder, *words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def import_seconds(folder: Path, *words: str) -> dict[str, float]:
    """The seconds of each module itself, without those that it imports."""
    found = {}
    for line in _python(folder, "-X", "importtime", *words).stderr.splitlines():
        parts = line.removeprefix("import time:").split("|")
        if line.startswith("import time:") and parts[0].strip().isdecimal():
            found[parts[2].strip()] = int(parts[0]) / 1e6
    return found


def _python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, *words]
    return subprocess.run(program, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=True)


if __name__ == "__main__":
    main()
