"""AC-Quick against an earlier commit, in one run: the same models, and how much of its CPU time is left.

    python benchmarks/against.py [--commit 8c48d80] [--only NAME ...] [--repeat 5]

The earlier commit is built into `build/against`. Both learn by turns, each time in a process of its own; the shortest
time of each counts. Needs LEARNAC_DATA, and a git checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
# Edge penalty, parameter penalty, and how much of the time there may be left.
SETS = {
    "plants": (0.02, 0.5, 0.5),
    "baudio": (0.02, 0.5, 0.5),
    "bnetflix": (0.02, 0.5, 0.5),
    "kdd": (0.01, 0.0, 0.7),
    "msweb": (0.01, 0.5, 0.7),
    "tmovie": (0.02, 0.5, 0.7),
}
# Runs in both versions, so it says nothing that one of them does not know.
FIT = """
import json, sys, time
from sets import load
from learnac import LearnAC
name, k_e, k_p = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
plain = {"alpha": 1.0, "shrinkage": 0.0, "splits": "complete"}
table = load(name, ("train",))
LearnAC(max_splits=0, **plain).fit(table)
started = time.process_time()
model = LearnAC(k_e, k_p, **plain).fit(table)
seconds = time.process_time() - started
splits = [(s.leaf, s.variable, s.value, s.edge_cost) for s in model.trace_]
print(json.dumps({"cpu": seconds, "splits": splits, "parameters": model.circuit_.parameters.tolist()}))
"""


def build(commit: str) -> Path:
    """The package of that commit, installed in a folder of its own."""
    folder = ROOT / "build" / "against" / commit
    if not (folder / "learnac").exists():
        source = ROOT / "build" / "against" / f"{commit}-source"
        if not source.exists():
            subprocess.run(["git", "-C", ROOT, "worktree", "prune"], check=True)
            added = ["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", source, commit]
            if subprocess.run(added, check=False).returncode != 0:
                sys.exit(f"--commit: expected a commit of this project, found {commit}")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps"]
        subprocess.run([*pip, "--target", folder, source], check=True)
    return folder


def fit(name: str, package: Path | None) -> dict[str, Any]:
    """One fit; of the installed package, if no other is given."""
    paths = [str(ROOT / "benchmarks"), *([] if package is None else [str(package)])]
    command = [sys.executable, "-c", FIT, name, *map(str, SETS[name][:2])]
    found = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": ":".join(paths)}
    )
    if found.returncode != 0:
        sys.exit(f"{name}: {found.stderr.strip().splitlines()[-1]}")
    return dict(json.loads(found.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", default="8c48d80")
    parser.add_argument("--only", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    earlier = build(arguments.commit)
    failures = []
    print(f"set         splits  {arguments.commit}, s    now, s  ratio  at most")
    for name in arguments.only:
        times: dict[str, list[float]] = {"earlier": [], "now": []}
        models: dict[str, Any] = {}
        for _ in range(arguments.repeat):
            for version, package in (("earlier", earlier), ("now", None)):
                found = fit(name, package)
                times[version].append(found.pop("cpu"))
                models[version] = found
        if models["earlier"] != models["now"]:
            failures.append(f"{name}: the models differ")
        before, now = min(times["earlier"]), min(times["now"])
        most = SETS[name][2]
        print(
            f"{name:10} {len(found['splits']):7,} {before:11.2f} {now:9.2f} {now / before:6.2f} {most:8.1f}", flush=True
        )
        if now / before > most:
            failures.append(f"{name}: expected at most {most} of the time, found {now / before:.2f}")
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
