"""What the report's sections share: results by study, and tables in Markdown."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from study import HERE, Results
from verdicts import pooled

from learnac.errors import LearnacError

PUBLISHED: dict[str, Any] = tomllib.loads((HERE / "published.toml").read_text())
PAPER: dict[str, Any] = PUBLISHED["paper"]
NAMES: dict[str, str] = PAPER["names"]
# The studies whose models are timed again in `times`, alone; Table 5 shows both times.
TIMED = ("table4", "tradeoff", "collection", "categorical", "mixtures", "alternatives", "gaps", "tabular")

TUNED = {"parameter_penalty": "k_p", "shrinkage": "shrinkage", "alpha": "alpha"}  # settings, and what they are called
OF_QUERIES = ("first", "rows")  # what differs between the tasks of one cell of Table 5


class AsMeasured:
    """The records of all studies in a folder, as each was measured: with times beside other work."""

    def __init__(self, folder: Path, settings: Path = HERE / "paper.toml") -> None:
        """With the settings that they were made by."""
        self.folder = folder
        self.settings: dict[str, Any] = tomllib.loads(settings.read_text())
        self._read: dict[str, list[dict[str, Any]]] = {}

    def __contains__(self, name: str) -> bool:
        return bool(self.records(name))

    def names(self) -> list[str]:
        """Of the studies there are results of."""
        return sorted(path.stem for path in self.folder.glob("*.json") if path.stem in self)

    def records(self, name: str, **wanted: object) -> list[dict[str, Any]]:
        """Those whose tasks say what is wanted."""
        if name not in self._read:
            self._read[name] = self._all(name)
        return [record for record in self._read[name] if all(record["task"].get(k) == v for k, v in wanted.items())]

    def _all(self, name: str) -> list[dict[str, Any]]:
        return Results(self.folder / f"{name}.json").records

    def result(self, name: str, **wanted: object) -> dict[str, Any]:
        """Of the last task that says what is wanted; empty if there is none."""
        found = self.records(name, **wanted)
        return found[-1]["result"] if found else {}

    def values(self, name: str, key: str, **wanted: object) -> list[Any]:
        """What the tasks say under a key, each once, in order; the paper's sets first, in the paper's order."""
        found = dict.fromkeys(record["task"][key] for record in self.records(name, **wanted))
        return [value for value in NAMES if value in found] + [value for value in found if value not in NAMES]


class Studies(AsMeasured):
    """The same with the times that were measured alone where there are any. Only these have a range."""

    def _all(self, name: str) -> list[dict[str, Any]]:
        records = super()._all(name)
        return [self._with_times(name, record) for record in records] if name in TIMED else records

    def _with_times(self, name: str, record: dict[str, Any]) -> dict[str, Any]:
        result = {key: value for key, value in record["result"].items() if not key.endswith("_range")}
        return {**record, "result": {**result, **self.times(name, record["task"], record.get("commit"))}}

    def times(self, study: str, model: Mapping[str, Any], commit: str | None = None) -> dict[str, Any]:
        """Of a model that was measured at some commit: its times alone; empty if they were not measured."""
        found = self.result("times", study=study, model=model, commit=commit, alone=True)
        return middle_and_range(found["times"]) if found else {}

    def pooled(self, name: str, **wanted: object) -> dict[str, Any]:
        """Of all tasks that say what is wanted, each over other queries: as of one over all; empty if there is none."""
        records = self.records(name, **wanted)
        what = [{key: value for key, value in record["task"].items() if key not in OF_QUERIES} for record in records]
        if any(each != what[0] for each in what):
            raise LearnacError(f"{self.folder / name}.json: expected one model for {wanted}, found several")
        return pooled([record["result"] for record in records]) if records else {}


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [list(header), ["---"] * len(header), *([str(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def middle_and_range(times: dict[str, Any]) -> dict[str, Any]:
    """Of each list of times, ascending: the median under the same name, and least and most as `_range`."""
    found: dict[str, Any] = {}
    for key, values in times.items():
        if isinstance(values, dict):
            inner = {name: middle_and_range({"": each}) for name, each in values.items()}
            found[key] = {name: each[""] for name, each in inner.items()}
            found[_range_of(key)] = {name: each["_range"] for name, each in inner.items()}
        else:
            found[key], found[_range_of(key)] = values[len(values) // 2], [values[0], values[-1]]
    return found


def _range_of(key: str) -> str:
    return f"{key.split('_', maxsplit=1)[0]}_range"


def timing(result: Mapping[str, Any], key: str) -> str:
    """The median, with its spread where there were several runs."""
    return duration(result[key] / (1000 if key.endswith("_ms") else 1)) + spread(result, key)


def spread(result: Mapping[str, Any], key: str) -> str:
    """Of several runs, half of the range over the median."""
    ends = result.get(_range_of(key))
    if ends is None:
        return ""
    share = (ends[1] - ends[0]) / 2 / result[key]
    return f" ± {share:.0%}" if share >= 0.005 else " ± <1%"


def with_error(result: dict[str, Any], key: str, digits: int) -> str:
    """A mean with its standard error, where that was measured."""
    error = result.get(f"{key}_error")
    return f"{result[key]:.{digits}f}" + ("" if error is None else f" ± {error:.{digits}f}")


def in_words(factors: Sequence[float]) -> str:
    """Their range, at two digits: the paper's times have no more."""
    least, most = (f"{float(f'{factor:.2g}'):,.10g}" for factor in (min(factors), max(factors)))
    return least if least == most else f"{least} to {most}"


def edges_of(text: str) -> float:
    """As the paper prints them: 382K, or >18.2M for more."""
    return float(text.strip(">KM")) * {"K": 1e3, "M": 1e6}[text[-1]]


def listed(parts: Sequence[str]) -> str:
    """One, two and three."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def listed_numbers(values: Iterable[float]) -> str:
    return ", ".join(f"{value:g}" for value in sorted(values))


def penalties(task: dict[str, Any]) -> str:
    """What was chosen of the settings that are tuned."""
    return ", ".join(f"{task[key]:.3g}" for key in TUNED)


def thousands(number: float | None) -> str:
    """193,512 as 194K."""
    if number is None:
        return ""
    if number >= 999_500:  # What would be 1000K is 1.00M.
        millions = number / 1e6
        return f"{millions:.{2 if millions < 10 else 1 if millions < 100 else 0}f}M"
    return f"{number / 1000:.0f}K" if number >= 1e4 else f"{number:.0f}"


def duration(seconds: float | None) -> str:
    """In the unit that fits."""
    if seconds is None:
        return ""
    for unit, size in (("ms", 0.001), ("s", 1.0), ("min", 60.0), ("h", 3600.0)):
        if seconds < 100 * size or unit == "h":
            return f"{seconds / size:.3g} {unit}"
    return ""
