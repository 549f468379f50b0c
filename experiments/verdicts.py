"""From measurements to verdicts: what may be called ahead, clearly better, or at the edge of a grid.

Whatever the report says in words rests on these, so they have tests with made-up inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

K = TypeVar("K")

ENOUGH_QUERIES = 30  # for a verdict
SAFE_QUERIES = 500  # of a kind, for one that goes against the circuit, or is unclear
FEW_SINGLE = 0.05  # of the values of numbers in pieces of their own, where densities may be compared
MOST_INTEGRAL = 1.1  # of what may be compared as a density
WORTH_MORE = 0.001  # of a log-likelihood: what more components must gain on valid


class Verdict(Enum):
    """On a sampler beside the circuit."""

    CIRCUIT = auto()  # clearly better
    SAMPLER = auto()  # clearly better
    UNCLEAR = auto()  # The interval has zero in it.
    TOO_FEW = auto()  # queries to say


def standard_error(values: NDArray[np.float64]) -> float:
    """Of the mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def scored(name: str, values: NDArray[np.float64]) -> dict[str, float]:
    """The mean over rows, and its standard error."""
    return {name: float(values.mean()), f"{name}_error": standard_error(values)}


class Ended(Enum):
    """Why more components are not averaged."""

    LIMIT = auto()  # on edges x components
    WORTH_LITTLE = auto()  # The most gain too little over fewer.
    TOO_LONG = auto()  # The most took long to learn.


def the_most_are_worth_it(scores: Mapping[int, float]) -> bool:
    """Whether the most components gain enough over the best of fewer, so that still more are to be tried."""
    most = max(scores)
    fewer = [score for n_components, score in scores.items() if n_components < most]
    return not fewer or scores[most] - max(fewer) >= WORTH_MORE * abs(scores[most])


def is_density(result: Mapping[str, Any]) -> bool:
    """Whether a score may be compared with densities."""
    return result["largest_integral"] <= MOST_INTEGRAL


def half_width(result: Mapping[str, Any]) -> float:
    """Of the 95 % confidence interval of the difference to AC-Quick."""
    return float(t.ppf(0.975, result["rows"] - 1) * result["less_than_quick_error"])


def pooled(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One result of several, over different queries: means and their standard errors, as of all queries at once."""
    sizes = np.array([result["rows"] for result in results])
    found: dict[str, Any] = {"rows": int(sizes.sum())}
    for key in results[0]:
        if key != "rows" and not key.endswith("_error"):
            found[key] = float(np.average([result[key] for result in results], weights=sizes))
    for key in (key for key in results[0] if key.endswith("_error")):
        name = key.removesuffix("_error")
        means, errors = (np.array([result[each] for result in results]) for each in (name, key))
        squares = (sizes - 1) * sizes * errors**2 + sizes * (means - found[name]) ** 2
        found[key] = float(np.sqrt(squares.sum() / (found["rows"] - 1) / found["rows"]))
    return found


def verdict(result: Mapping[str, Any]) -> Verdict:
    """On one cell of Figure 1: how much less than AC-Quick a sampler has, with its error, over so many queries."""
    if result["rows"] < ENOUGH_QUERIES:
        return Verdict.TOO_FEW
    if result["less_than_quick"] - half_width(result) > 0:
        return Verdict.CIRCUIT
    return Verdict.SAMPLER if result["less_than_quick"] + half_width(result) < 0 else Verdict.UNCLEAR


def p_value(result: Mapping[str, Any]) -> float:
    """Of no difference to AC-Quick, by Student's t on both sides."""
    error = result["less_than_quick_error"]
    if error == 0:
        return float(result["less_than_quick"] == 0)
    return float(2 * t.sf(abs(result["less_than_quick"]) / error, result["rows"] - 1))


def holm(p_values: Sequence[float], level: float = 0.05) -> list[bool]:
    """Which are clear when all are tested together (Holm 1979): the smallest against level / n, and so on."""
    order = np.argsort(p_values, kind="stable")
    kept = [False] * len(p_values)
    for place, which in enumerate(order):
        if p_values[which] > level / (len(p_values) - place):
            break
        kept[which] = True
    return kept


def dominates(verdicts: Iterable[Verdict]) -> bool | None:
    """Whether the circuit is clearly better wherever there are enough queries to say; none if there are nowhere."""
    decided = [verdict for verdict in verdicts if verdict is not Verdict.TOO_FEW]
    return all(verdict is Verdict.CIRCUIT for verdict in decided) if decided else None


@dataclass(frozen=True, slots=True)
class Tally:
    """The sets on which our circuit is ahead of another model, level with it, and behind."""

    ahead: tuple[str, ...]
    level: tuple[str, ...]
    behind: tuple[str, ...]

    @property
    def n_sets(self) -> int:
        return len(self.ahead) + len(self.level) + len(self.behind)

    @property
    def is_mostly_ahead(self) -> bool:
        return 2 * len(self.ahead) > self.n_sets


def tally(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Tally:
    """Over the sets that both have; at two decimals, which is what the others published."""
    gains = {name: round(round(ours[name], 2) - round(theirs[name], 2), 2) for name in ours if name in theirs}
    return Tally(
        ahead=tuple(name for name, gain in gains.items() if gain > 0),
        level=tuple(name for name, gain in gains.items() if gain == 0),
        behind=tuple(name for name, gain in gains.items() if gain < 0),
    )


class Sign(Enum):
    """Of a difference that was measured row by row."""

    ABOVE = auto()  # clearly
    BELOW = auto()  # clearly
    UNCLEAR = auto()


def clear_sign(difference: float, error: float | None) -> Sign:
    """Clear is more than two standard errors; without an error nothing is."""
    if error is None or abs(difference) <= 2 * error:
        return Sign.UNCLEAR
    return Sign.ABOVE if difference > 0 else Sign.BELOW


def clear_signs(differences: Mapping[K, tuple[float, float | None]]) -> dict[K, Sign]:
    """Of differences with their errors, of which several are told together: what stays clear by Holm's correction."""
    p_values = [2 * norm.sf(abs(of) / error) if error else float(of == 0) for of, error in differences.values()]
    kept = holm([1.0 if error is None else p for p, (_, error) in zip(p_values, differences.values(), strict=True)])
    return {
        key: clear_sign(*found) if is_kept else Sign.UNCLEAR
        for (key, found), is_kept in zip(differences.items(), kept, strict=True)
    }


@dataclass(frozen=True, slots=True)
class Loss:
    """How far a model is behind another: nats a row, their standard error, and as a share of the log-likelihood."""

    nats: float
    error: float
    share: float


def behind_the_best(result: Mapping[str, Any], of: str) -> Loss:
    """Of a result with what the best `of` something comes to, and the standard error of the difference."""
    nats = result[of] - result["valid"]
    return Loss(nats, result[f"{of}_error"], nats / abs(result[of]))


class Edge(Enum):
    """Which edge of its grid a chosen value is at."""

    LOWEST = "lowest"
    HIGHEST = "highest"


def edge_of_grid(chosen: float, tried: Iterable[float]) -> Edge | None:
    """Where values beyond those tried might have been better. None if inside, or 0, which has nothing below it."""
    values = set(tried)
    if chosen == min(values):
        return Edge.LOWEST if chosen > 0 else None
    return Edge.HIGHEST if chosen == max(values) else None
