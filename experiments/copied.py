"""The report's section on test rows that are in the training table too: what mixtures gain by them."""

from __future__ import annotations

from math import isnan, nan
from typing import NamedTuple

from tables import Studies, listed, table

FEW = 0.01  # of the test rows
MODELS = {"circuit": "one circuit", "averaged": "four averaged"}


class Copies(NamedTuple):
    """Of one set: how many test rows there are, how many are in train, and the gain of four averaged by each kind."""

    name: str
    rows: int
    copies: int
    gain: float = nan  # of four averaged over one circuit, nats a row, of all rows; if both were learned again
    gain_of_others: float = nan  # of those that are not in train

    @property
    def share(self) -> float:
        return self.copies / self.rows


def found_copies(studies: Studies) -> list[Copies]:
    found = []
    for record in studies.records("rowwise", question="copies"):
        result = record["result"]
        gains = []
        if all(kind in result for kind in MODELS):
            gains = [result["averaged"][key] - result["circuit"][key] for key in ("test", "others")]
        found.append(Copies(record["task"]["set"], result["rows"], result["copies"], *gains))
    return found


def copies(studies: Studies) -> str:
    rows = []
    for record, of_set in zip(studies.records("rowwise", question="copies"), found_copies(studies), strict=True):
        cells = [
            f"{scores[key]:.3f} ± {scores[f'{key}_error']:.3f}" if scores else ""
            for scores in (record["result"].get(kind) for kind in MODELS)
            for key in ("test", "others")
        ]
        rows.append([of_set.name, f"{of_set.copies} of {of_set.rows} ({of_set.share:.1%})", *cells])
    columns = [f"{title}{where}" for title in MODELS.values() for where in ("", ", without copies")]
    return f"""\
## Test rows that are in train

Test rows that are equal, value by value, to a row of train, and the scores without them: to learn rows by heart helps
on these alone. Where there are few columns, most rows come again and again; that is what there is to be learned.
Published models were scored on the same test rows, copies among them. Models that take long to learn were not learned
again for this.

{table(["set", "copies", *columns], rows)}
{told(studies)}
"""


def told(studies: Studies) -> str:
    """How much of what the averages gain is gained by copies."""
    some = with_copies(studies)
    if not some:
        n_sets = sum(each.share >= FEW for each in found_copies(studies))
        if not n_sets:
            return f"No set has {FEW:.0%} of its test rows in train."
        return f"Of the {n_sets} sets that have {FEW:.0%} of their test rows in train, no models were learned again."
    gains = listed([f"{each.gain:.2f} ({each.gain_of_others:.2f}) on {each.name}" for each in some])
    return (
        f"Where at least {FEW:.0%} of the test rows are in train, four averaged gain over one circuit, in nats a row "
        f"of all rows (of those that are not in train): {gains}."
    )


def mostly_by_copies(studies: Studies) -> list[str]:
    """The sets on which four averaged owe more than half of what they gain over one circuit to copies.

    And on which copies gain more than other rows: otherwise it is only that most rows are copies.
    """
    return [
        each.name
        for each in with_copies(studies)
        if each.gain > max(each.gain_of_others, 0.0) * max(1.0, 2 * (1 - each.share))
    ]


def with_copies(studies: Studies) -> list[Copies]:
    """The sets that have more than few copies, and both gains."""
    return [each for each in found_copies(studies) if each.share >= FEW and not isnan(each.gain)]
