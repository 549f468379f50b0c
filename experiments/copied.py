"""The report's section on test rows that are in the training table too: what mixtures gain by them."""

from __future__ import annotations

from typing import NamedTuple

from tables import Studies, listed, table
from verdicts import Sign, clear_signs

FEW = 0.01  # of the test rows
MANY = 0.5
MODELS = {"circuit": "one circuit", "averaged": "four averaged"}


class Copies(NamedTuple):
    """Of one set: how many test rows there are, how many are in train, and the gain of four averaged by each kind."""

    name: str
    rows: int
    copies: int
    gain: float | None = None  # of four averaged over one circuit, nats a row, of all rows
    gain_of_others: float | None = None  # of those that are not in train

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

Test rows that are equal, value by value, to a row of train, and the scores without them: who learns rows by heart gains
by these alone. Where there are few columns, most rows come again and again; that is what there is to be learned.
Published models were scored on the same test rows, copies among them. Models that take long to learn were not learned
again for this.

{table(["set", "copies", *columns], rows)}
{told(studies)}
"""


def told(studies: Studies) -> str:
    """How much of what the averages gain is gained by copies."""
    some = with_some_copies(studies)
    if not some:
        return f"No set has from {FEW:.0%} to {MANY:.0%} of its test rows in train."
    gains = listed([f"{gain:.2f} ({gain_of_others:.2f}) on {name}" for name, gain, gain_of_others in some])
    return (
        f"Where from {FEW:.0%} to {MANY:.0%} of the test rows are in train, four averaged gain over one circuit, in "
        f"nats a row of all rows (of those that are not in train): {gains}."
    )


def mostly_by_copies(studies: Studies) -> list[str]:
    """The sets on which four averaged gain more than half of what they gain over one circuit by copies."""
    return [name for name, gain, gain_of_others in with_some_copies(studies) if gain > 2 * max(gain_of_others, 0.0)]


def with_some_copies(studies: Studies) -> list[tuple[str, float, float]]:
    """The sets whose copies are neither few nor most rows, and both gains there."""
    return [
        (each.name, each.gain, each.gain_of_others)
        for each in found_copies(studies)
        if FEW <= each.share <= MANY and each.gain is not None and each.gain_of_others is not None
    ]


def lead_of_network(studies: Studies, name: str) -> tuple[float, float] | None:
    """How much more likely test rows are by pyAgrum's network than by our circuit, and the standard error of this."""
    found = studies.result("rowwise", question="difference", set=name)
    return (found["lead"], found["lead_error"]) if found else None


def clear_leads(studies: Studies) -> list[str]:
    """The sets on which pyAgrum's network is clearly better."""
    sets = studies.values("rowwise", "set", question="difference")
    leads = {name: lead for name in sets if (lead := lead_of_network(studies, name))}
    return [name for name, sign in clear_signs(leads).items() if sign is Sign.ABOVE]
