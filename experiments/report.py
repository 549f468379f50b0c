"""The report: every number from a result file, ours beside the paper's.

    python experiments/report.py [--results FOLDER] [--out FOLDER]

Writes REPORT.md with its figures, and QUESTIONS.md. What there are no results for yet is left out.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import beyond
import figures
import reproduced
import weak
from claims import claims
from questions import questions
from study import HERE, Results
from tables import Studies, table

INTRODUCTION = """\
# The experiments of the paper, and more

Made by `make paper` from the result files in `results/`: `experiments/README.md` says how. Log-likelihoods are
natural, means over rows. Times are CPU time of one thread, on a machine that did other work as well: trust factors, not
percents. What differs from the paper, and why: [docs/paper.md](../docs/paper.md). What a hostile reviewer would ask:
[QUESTIONS.md](QUESTIONS.md).

k_e, the edge penalty, is what a split must gain for each edge that it adds to the circuit; k_p, the parameter penalty,
for each parameter. Shrinkage draws the parameters of a leaf towards those of the node that it came from, as if by so
many rows. A mixture has one structure and a vector of parameters for each component; its size is edges x components.

"""


def render(results: Path) -> str:
    """The text of the report."""
    studies = Studies(results)
    sections = [make(studies) for study, make in (*reproduced.SECTIONS, *beyond.SECTIONS) if study in studies]
    first = [f"## Claims\n\n{claims(studies)}", f"## What is weak here\n\n{weak.points(studies)}"]
    return INTRODUCTION + "\n".join([*first, *sections, _provenance(results)])


def _provenance(results: Path) -> str:
    """Where the numbers come from."""
    rows = []
    for path in sorted(results.glob("*.json")):
        records = Results(path).records
        minutes = sum(record["cpu_seconds"] or record["wall_seconds"] for record in records) / 60
        commits = ", ".join(sorted({record["commit"] for record in records}))
        machines = "; ".join(sorted({record["machine"] for record in records}))
        rows.append([path.stem, len(records), f"{minutes:.1f}", commits, machines])
    header = ["study", "tasks", "CPU minutes", "commits", "machine"]
    return f"## Where the numbers come from\n\n{table(header, rows)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--out", type=Path, default=HERE)
    arguments = parser.parse_args()
    (arguments.out / "figures").mkdir(parents=True, exist_ok=True)
    (arguments.out / "REPORT.md").write_text(render(arguments.results))
    (arguments.out / "QUESTIONS.md").write_text(questions(Studies(arguments.results)))
    figures.draw(Studies(arguments.results), arguments.out / "figures")


if __name__ == "__main__":
    main()
