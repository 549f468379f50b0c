"""The report's section on tasks that were measured a second time."""

from __future__ import annotations

import numpy as np
from tables import Studies, duration, listed, table

ROUNDING = 1e-9  # Numbers that are no farther apart are the same but for the order of additions.


def again(studies: Studies) -> str:
    rows = []
    for name in studies.values("again", "study"):
        results = [record["result"] for record in studies.records("again", study=name)]
        times = [time for result in results for time in result["times"]]
        spread = f"{np.median(times):.2f} ({min(times):.2f} to {max(times):.2f})" if times else ""
        different = sum(result["different"] for result in results)
        largest = max(result["largest_difference"] for result in results)
        values = sum(result["values"] for result in results)
        rows.append([name, len(results), values, different, f"{largest:.1g}" if different else "", spread])
    header = ["study", "tasks", "values", "different", "by at most", "times as long: median (range)"]
    return f"""\
## Measured again

{told(studies)}

{table(header, rows)}"""


def told(studies: Studies) -> str:
    """What a second run comes to, in words."""
    results = [record["result"] for record in studies.records("again")]
    values, apart = (
        sum(result["values"] for result in results),
        [r for r in results if r["largest_difference"] > ROUNDING],
    )
    times = [time for result in results for time in result["times"]]
    commits = listed(sorted({record["commit"] for record in studies.records("again")}))
    same = (
        f"All {values:,} values that are no times came out the same"
        if not apart
        else f"Of {values:,} values that are no times, some of {len(apart)} tasks came out otherwise"
    )
    taken = (
        f"; times were {np.quantile(times, 0.05):.2f} to {np.quantile(times, 0.95):.2f} times those here, nine of ten"
        if times
        else ""
    )
    return f"""\
Some tasks of {listed([f"`{name}`" for name in studies.values("again", "study")])}, drawn at random from those that take
at most {duration(studies.settings["again"]["most_cpu_seconds"])}, were measured a second time, later, at {commits},
beside other work. {same}{taken}."""
