"""The report's section on tables with gaps: ours beside what people do instead."""

from __future__ import annotations

from typing import Any, NamedTuple

from tables import Studies, listed, table, timing, with_error
from verdicts import Sign, clear_signs

TITLES = {
    "gaps": "learnac",
    "dropped": "rows dropped",
    "mode": "most frequent",
    "category": "category",
    "everything": "nothing deleted",
    "mixture": "a mixture",
}
INSTEAD = ("dropped", "mode", "category")


def gaps(studies: Studies) -> str:
    real = [name for name, share, _ in _compared(studies) if share == "real"]
    return f"""\
## Tables with gaps

Values are deleted at random from train, valid and test alike; of {", ".join(real)}, the gaps are real. Learned from
train, everything chosen on valid, scored on test: the mean log-likelihood of the values that are known; of numbers,
that of the intervals they are in.
"Rows dropped" learns from the rows without gaps; "most frequent" fills gaps with the most frequent value of the column;
for "category", gaps are a value of their own, and known values are scored given that they are known. "Nothing deleted"
learns a single circuit from the complete tables, for comparison; "a mixture" is ours, learned with the gaps.

{gaps_table(studies)}
{gaps_verdict(studies)}
{_fallbacks(studies)}
CPU time of learning:

{_times(studies)}"""


def gaps_table(studies: Studies) -> str:
    rows = []
    for name, share, found in _compared(studies):
        ours = found["gaps"]
        cells = [with_error(ours, "test", 3)]
        cells += [_score(found.get(method)) for method in list(TITLES)[1:]]
        rows.append([name, _share(share), *cells])
    return table(["set", "missing", *TITLES.values()], rows)


def _compared(studies: Studies) -> list[tuple[str, Any, dict[str, dict[str, Any]]]]:
    """For each set and share, the results by method."""
    found: dict[tuple[str, Any], dict[str, dict[str, Any]]] = {}
    for record in studies.records("gaps"):
        task = record["task"]
        found.setdefault((task["set"], task["share"]), {})[task["method"]] = record["result"]
    return [(*key, methods) for key, methods in found.items() if "gaps" in methods]


def _score(result: dict[str, Any] | None) -> str:
    if result is None:
        return ""
    return f"{result['test']:.3f}" if "test" in result else "no rows"


def _fallbacks(studies: Studies) -> str:
    """Where a mixture was asked for and a single circuit did better on held-out rows."""
    same = [
        f"{name} with {_share(share)} missing"
        for name, share, found in _compared(studies)
        if "mixture" in found and all(found["mixture"][key] == found["gaps"][key] for key in ("test", "edges"))
    ]
    return f"Where a mixture was asked for, a single circuit did best on {listed(same)}.\n" if same else ""


def times_as_long(studies: Studies) -> str:
    """How many times as long learning with gaps takes as from the complete table."""
    times = [
        found["gaps"]["learning_seconds"] / found["everything"]["learning_seconds"]
        for _, _, found in _compared(studies)
        if "everything" in found
    ]
    return f"{min(times):.0f} to {max(times):.0f}" if times else "several"


def _share(share: Any) -> str:
    return share if isinstance(share, str) else f"{share:.0%}"


class Beside(NamedTuple):
    """One of the things that people do instead, beside ours on one table: how much less it scores, row by row."""

    name: str
    method: str
    less: float
    error: float
    ours: Sign  # whether it scores more


def beside_others(studies: Studies) -> list[Beside]:
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for name, share, by_method in _compared(studies):
        for method in INSTEAD:
            other = by_method.get(method, {})
            if "less_than_ours" in other:
                where = f"{name} with {_share(share)} missing"
                found[where, TITLES[method]] = (other["less_than_ours"], other["less_than_ours_error"])
    return [Beside(*where, *found[where], sign) for where, sign in clear_signs(found).items()]


def gaps_verdict(studies: Studies) -> str:
    found = beside_others(studies)
    if not found:
        return ""
    ahead = sum(each.ours is Sign.ABOVE for each in found)
    unclear = [_told(each) for each in found if each.ours is Sign.UNCLEAR]
    behind = [_told(each) for each in found if each.ours is Sign.BELOW]
    return (
        f"Beside dropping rows, the most frequent value and a category, row by row: learning from what is known is "
        f"clearly better (by more than two standard errors, and by Holm's correction for so many cases) in {ahead} of "
        f"{len(found)} cases, not clearly different in "
        f"{len(unclear)} ({'; '.join(unclear) or 'none'}), and clearly worse in {len(behind)} "
        f"({'; '.join(behind) or 'none'}).{_without_rows(studies)}"
    )


def _without_rows(studies: Studies) -> str:
    """Where dropping rows leaves nothing to learn from."""
    without = [
        f"{name} with {_share(share)} missing"
        for name, share, by_method in _compared(studies)
        if "dropped" in by_method and "test" not in by_method["dropped"]
    ]
    return f" Not among these cases: dropping leaves no rows of {listed(without)}." if without else ""


def _told(each: Beside) -> str:
    return f"{each.name}, {each.method}: {each.less:+.3f} ± {each.error:.3f}"


def _times(studies: Studies) -> str:
    rows = []
    for name, share, found in _compared(studies):
        results = [found.get(method, {}) for method in TITLES]
        times = [timing(each, "learning_seconds") if "learning_seconds" in each else "" for each in results]
        rows.append([name, _share(share), *times])
    return table(["set", "missing", *TITLES.values()], rows)
