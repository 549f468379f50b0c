"""Where our mixture is not the best at one question about a table as it comes; used by `questions.py`."""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

from tables import Studies, table
from used import OTHERS, answer_of, comparable, error_of, is_valid
from verdicts import Sign, clear_sign


def losses(studies: Studies) -> str:
    """Where our mixture is not the best at one question."""
    rows = [
        [method, what, f"{len(found.better)} of {found.n_compared}", found.told]
        for (question, measure), what in MEASURES.items()
        for method in OTHERS[question]
        if (found := beside(studies, question, measure, method)) and found.better
    ]
    if not rows:
        return ""
    return (
        "Beside models that are learned for one question each, our mixture is clearly worse on so many tables (by more "
        "than two standard errors, as if the two erred independently, and not corrected for being many; compared row "
        "by row, more might be clear; densities only where they are of one kind):\n\n"
        f"{table(['model', 'question', 'tables', 'theirs : ours'], rows)}"
    )


class Lost(NamedTuple):
    """Of the tables that both have: where the other is clearly better than our mixture, theirs and ours."""

    n_compared: int
    better: dict[str, tuple[float, float]]

    @property
    def told(self) -> str:
        return ", ".join(f"{name} {theirs:.3f} : {ours:.3f}" for name, (theirs, ours) in self.better.items())


# What is told of the answers to a question; more of a score is better, and less of everything else.
MEASURES = {
    ("prediction", "log_loss"): "log loss of one column given all others",
    ("prediction", "error"): "error of one column of numbers given all others",
    ("imputation", "wrong"): "wrong categories filled in",
    ("imputation", "error"): "error of numbers filled in",
    ("density", "score"): "density of the numbers",
}


def beside(studies: Studies, question: str, measure: str, method: str) -> Lost | None:
    """None if no table has both; densities are compared where they are of one kind, and what is none is left out."""
    n_compared, better = 0, {}
    for name in comparable(studies) if question == "density" else studies.values("tabular", "table"):
        theirs, ours = (answer_of(studies, name, each, question) or {} for each in (method, "mixture"))
        if theirs.get(measure) is None or ours.get(measure) is None:
            continue
        if question == "density" and not is_valid(method, theirs):
            continue
        n_compared += 1
        lead = (theirs[measure] - ours[measure]) * (1 if measure == "score" else -1)
        errors = [error for each in (theirs, ours) if (error := error_of(each, measure)) is not None]
        if clear_sign(lead, hypot(*errors) if len(errors) == 2 else None) is Sign.ABOVE:
            better[name] = (theirs[measure], ours[measure])
    return Lost(n_compared, better) if n_compared else None
