"""Puts the results of learning.py into README.md, between its two benchmark marks.

python benchmarks/readme_table.py [RESULTS.json ...]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

START, END = "<!-- benchmarks -->\n", "<!-- end of benchmarks -->"
HEADER = (
    "| set | schedule | k_e / k_p | leaves | edges | test log-likelihood | CPU s | wall s, 2 threads | MB |\n"
    "|---|---|---|---|---|---|---|---|---|\n"
)


def main(paths: list[Path]) -> None:
    results = [result for path in paths for result in json.loads(path.read_text())["results"]]
    walls = {(r["name"], r["schedule"]): f"{r['wall']:.1f}" for r in results if r["n_threads"] == 2}
    lines = [
        f"| {r['name']} | AC-{r['schedule'].title()} | {r['edge_penalty']} / {r['parameter_penalty']} "
        f"| {r['leaves']:,} | {r['edges']:,} | {r['log_likelihood']:.3f} | {r['cpu']:.1f} "
        f"| {walls.get((r['name'], r['schedule']), '')} | {r['memory_mb']:.0f} |\n"
        for r in results
        if r["n_threads"] == 1
    ]
    readme = Path(__file__).parent.parent / "README.md"
    before, rest = readme.read_text().split(START)
    after = rest.split(END)[1]
    readme.write_text(before + START + HEADER + "".join(lines) + END + after)


if __name__ == "__main__":
    main([Path(path) for path in sys.argv[1:]] or sorted(Path("benchmarks/results").glob("*.json")))
