"""The report's section on tables with gaps: ours beside what people do instead."""

from __future__ import annotations

from typing import Any

from tables import Studies, table, timing

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
train, everything chosen on valid, scored on test: the mean log-likelihood of the values that are known, ± its standard
error; of numbers, that of the intervals they are in.
"Rows dropped" learns from the rows without gaps; "most frequent" fills gaps with the most frequent value of the column;
for "category", gaps are a value of their own, and known values are scored given that they are known. "Nothing deleted"
learns from the complete tables: what could be reached.

{gaps_table(studies)}
{_verdict(studies)}

CPU time of learning:

{_times(studies)}"""


def gaps_table(studies: Studies) -> str:
    rows = []
    for name, share, found in _compared(studies):
        ours = found["gaps"]
        cells = [f"{ours['test']:.3f} ± {ours['standard_error']:.3f}"]
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


def _share(share: Any) -> str:
    return share if isinstance(share, str) else f"{share:.0%}"


def losses(studies: Studies) -> list[str]:
    """Where something that people do instead scores better."""
    worse = []
    for name, share, found in _compared(studies):
        for method in INSTEAD:
            other = found.get(method, {})
            if "test" in other and other["test"] > found["gaps"]["test"]:
                gap = other["test"] - found["gaps"]["test"]
                worse.append(f"{name} with {_share(share)} missing ({TITLES[method]}, by {gap:.3f})")
    return worse


def _verdict(studies: Studies) -> str:
    n_compared, worse = len(_compared(studies)), losses(studies)
    if not worse:
        return f"In all {n_compared} cases, learning from what is known is better than all three."
    return f"Of {n_compared} cases, one of the three is better on {', '.join(worse)}."


def _times(studies: Studies) -> str:
    rows = []
    for name, share, found in _compared(studies):
        results = [found.get(method, {}) for method in TITLES]
        times = [timing(each, "learning_seconds") if "learning_seconds" in each else "" for each in results]
        rows.append([name, _share(share), *times])
    return table(["set", "missing", *TITLES.values()], rows)
