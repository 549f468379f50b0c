"""The report: every number from a result file, ours beside the paper's.

    python experiments/report.py [--results FOLDER] [--settings FILE] [--out FOLDER]

Writes REPORT.md with its figures, and QUESTIONS.md. What there are no results for yet is left out.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

import beyond
import figures
import reproduced
import weak
from claims import claims
from findings import not_reproduced
from layout import laid_out
from questions import questions
from study import HERE
from tables import Studies, listed, table

from learnac.errors import LearnacError

TITLE = "# The experiments of the paper, and more\n\n"
INTRODUCTION = """\
Made by `make paper` from the result files in `results/`: `experiments/README.md` says how. What differs from the paper,
and why: [docs/paper.md](../docs/paper.md). What a hostile reviewer would ask: [QUESTIONS.md](QUESTIONS.md).

"""
CLAIMS = """\
## Claims

A circuit answers queries exactly; each of its edges has a price when it is learned. The free network is learned as if
edges cost nothing. Log-likelihoods are in nats, means over test rows. Clearly better is by more than two standard
errors of the difference, and by Holm's correction where several comparisons are told together (of queries: by a 95 %
interval). All other words are explained [below](#words-and-numbers).

"""
WORDS = """\
## Words and numbers

**Words**

- Circuit: a graph of sums and products that answers queries exactly, with a number of operations linear in its edges.
It is learned with the Bayesian network that it equals, in which each variable has a decision tree.
- Parameter: the probability of a value at a leaf of a tree.
- Split: a leaf of a tree is divided by the value of another variable, which becomes a parent. A complete split has a
branch for each value, a binary one divides one value from the rest. A split that may be made is a candidate; its edge
cost is the number of edges that it would add to the circuit.
- AC-Greedy and AC-Quick: the paper's two searches, or schedules. AC-Greedy always makes the split that gains most after
its costs; AC-Quick takes edge costs from earlier, so that it prices fewer candidates.
- k_e, the edge penalty: a split is made only if it raises the log-likelihood of the training rows by more than k_e for
each edge that it adds. k_p, the parameter penalty: the same for each parameter.
- Falling edge penalty: k_e is halved whenever no split pays, until there are as many edges as there may be.
- Smoothing: alpha is added to every count (1 in the tables of the paper); shrinkage draws the parameters of a leaf
towards those of the node that it came from, as if by so many rows.
- Free network: what the same search finds as if edges cost nothing. It stands for WinMine, the paper's learner of
networks.
- Treewidth, by the min-fill heuristic: bounds how hard exact inference is in a network.
- Compiled: a circuit that is made of a network after learning. c2d is the compiler that the paper used.
- train, valid, test: models learn from the rows of train, are chosen on valid and judged on test. Those of Tables 4 and
5 are chosen so, and then learned again from train and valid.
- Posterior: the distribution of a variable given what is known.
- Mixture: one structure with a vector of parameters for each component; its size is edges x components. Four averaged
are four mixtures with equal weights, so that "1024 each" is 4,096 components in all.
- Holm's correction: asks more of each comparison the more are made together.

**Numbers**

- Log-likelihoods are natural (nats), means over test rows. After one, ± is the standard error of this mean.
- Times are CPU time of one thread. After one, ± is half of the range of three runs in a row with nothing else on the
machine, in percent of the median. Times without it were measured beside other work, most of them once, because the
model takes long to learn or is no part of what was timed again. Between sittings and commits, times of the same model
differ ("Measured again" says how much), so only large factors mean anything.
- In Figure 1 and its tables, ± is half of a 95 % confidence interval.
- Clearly better: by more than two standard errors of the difference, and by Holm's correction where several comparisons
are told together; of queries, where the 95 % interval of the difference does not have zero in it, and by Holm's
correction where that is said.
- Level: equal at the digits that are printed.

"""


def render(studies: Studies) -> str:
    """The text of the report. Says which studies there are settings for and no results of."""
    sections = [make(studies) for study, make in (*reproduced.SECTIONS, *beyond.SECTIONS) if study in studies]
    top = [f"{CLAIMS}{claims(studies)}", f"## What is weak here\n\n{weak.points(studies)}"]
    first = f"{TITLE}{not_reproduced(studies)}\n\n{INTRODUCTION}"
    return laid_out(first + "\n".join([*top, WORDS, *sections, _provenance(studies)]))


def _provenance(studies: Studies) -> str:
    """Where the numbers come from, and which are missing."""
    missing = [f"`{name}`" for name in studies.settings if name != "common" and name not in studies]
    rows: list[list[object]] = []
    machines: dict[str, dict[str, None]] = {}
    for name in studies.names():
        records = studies.records(name)
        minutes = sum(record["wall_seconds"] for record in records) / 60
        commits = ", ".join(sorted({record["commit"] for record in records}))
        packages = sorted({" ".join(package) for r in records for package in r.get("packages", {}).items()})
        rows.append([name, len(records), f"{minutes:.1f}", commits, "; ".join(packages)])
        for record in records:
            machines.setdefault(record["machine"], {})[name] = None
    header = ["study", "tasks", "minutes", "commits", "other packages"]
    on = "".join(
        f"- {'All studies' if len(names) == len(rows) else listed([f'`{name}`' for name in names])}: {machine}.\n"
        for machine, names in machines.items()
    )
    seeds = (
        "Seeds are in `paper.toml`, and in the tasks of the result files. A commit is that of the code; some tasks "
        "were added to the settings later, and were then measured by the code of their study's commit."
    )
    without = f" Not measured yet: {', '.join(missing)}." if missing else ""
    return f"## Where the numbers come from\n\n{seeds}{without} Machines and versions:\n\n{on}\n{table(header, rows)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--settings", type=Path, default=HERE / "paper.toml", help="those of the studies")
    parser.add_argument("--out", type=Path, default=HERE)
    arguments = parser.parse_args()
    try:
        studies = Studies(arguments.results, arguments.settings)
        if not studies.names():
            raise LearnacError(f"{arguments.results}: expected a folder with results of studies, found none")
    except (LearnacError, OSError, tomllib.TOMLDecodeError) as error:
        sys.exit(f"error: {error}")
    (arguments.out / "figures").mkdir(parents=True, exist_ok=True)
    (arguments.out / "REPORT.md").write_text(render(studies))
    (arguments.out / "QUESTIONS.md").write_text(questions(studies))
    figures.draw(studies, arguments.out / "figures")


if __name__ == "__main__":
    main()
