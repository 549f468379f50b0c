"""Answers for the page of a model that is too large for a browser: what `page/questions.js` works out, by the core."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from learnac import infer
from learnac.circuit import Queryable
from learnac.data import Evidence
from learnac.errors import QueryError
from learnac.explore.situations import Situation, read_rows, read_situation
from learnac.infer.engine import Engine, engine_of
from learnac.infer.next_question import gains_of, given_target
from learnac.infer.pieces import Pieces, blocks
from learnac.infer.runner_up import best_two

Floats = NDArray[np.float64]

# As in the page; and of a large circuit, as many edges as are visited in a few seconds.
_MOST_SHAPLEY, _MOST_EDGES = 10, 2_000_000_000
_LEAST_INFORMATION, _MOST_PAIRS = 1e-6, 2000
_SEARCH_SECONDS = 0.5
_AT_ONCE = 64


class Asked(NamedTuple):
    """What the page asks about: the circuit after its interventions, and the evidence."""

    circuit: Queryable
    engine: Engine
    evidence: Evidence
    situation: Situation

    @property
    def pieces(self) -> Pieces:
        return Pieces.of(self.evidence, "explorer")

    def place(self, variable: int) -> slice:
        return slice(int(self.engine.starts[variable]), int(self.engine.starts[variable + 1]))


def answer_page(circuit: Queryable, operation: str, given: Mapping[str, Any]) -> Any:
    """The answer to one message of the page, in the form that its worker would give it. QueryError for a bad one."""
    if operation not in _OPERATIONS:
        raise QueryError(f"operation: expected one of {', '.join(_OPERATIONS)}, found {operation!r}")
    return _OPERATIONS[operation](circuit, given)


def as_page_json(answer: Any) -> bytes:
    """An answer as the page reads it. JSON has no infinities, and an answer no texts: infinities are texts."""
    text = json.dumps({"answer": answer}, default=lambda array: array.tolist())
    return re.sub(r"-?Infinity|NaN", r'"\g<0>"', text).encode()


def _load(circuit: Queryable, given: Mapping[str, Any]) -> Any:
    return {"prior": {"logProbability": 0.0, "posteriors": _prior(circuit)}}


def _answer(circuit: Queryable, given: Mapping[str, Any]) -> Any:
    return _posteriors(_asked(circuit, given))


def _posteriors(asked: Asked) -> dict[str, Any]:
    """All posteriors, what each piece's others say about it, and how well they go together."""
    logs, found = asked.engine.evaluator.marginals(*asked.evidence.arrays, asked.engine.all_variables, 1)
    log_probability = float(logs[0] + asked.evidence.log_scales[0])
    if np.isneginf(log_probability):
        return {"logProbability": log_probability, "posteriors": None, "others": None}
    prior, others, log_alone, support = _prior(asked.circuit), found[0].copy(), {}, {}
    for variable, joint in _log_joints(asked).items():
        log_rest = np.logaddexp.reduce(joint)
        others[asked.place(variable)] = np.exp(joint - log_rest)
        log_alone[variable] = float(np.log(asked.situation.weights(variable) @ prior[asked.place(variable)]))
        support[variable] = float(logs[0] - log_rest) - log_alone[variable]
    return {
        "logProbability": log_probability,
        "posteriors": found[0],
        "others": others,
        "conflict": float(logs[0]) - sum(log_alone.values()),
        "support": support,
    }


def _log_joints(asked: Asked) -> dict[int, Floats]:
    """By variable that something is known of, log P(value, all other evidence) of its values."""
    pieces = asked.pieces
    if len(pieces) == 0:
        return {}
    arities = asked.engine.schema.arities[list(pieces.variables)]
    without = pieces.subsets(np.repeat(~np.eye(len(pieces), dtype=bool), arities, axis=0))
    codes, ends = without.codes.copy(), np.cumsum(arities)
    for variable, n, end in zip(pieces.variables, arities, ends, strict=True):
        codes[variable, end - n : end] = np.arange(n)
    logs = asked.engine.evaluator.log_values(*without.with_codes(codes).arrays, 1)
    return dict(zip(pieces.variables, np.split(logs, ends[:-1]), strict=True))


def _explain(circuit: Queryable, given: Mapping[str, Any]) -> Any:
    asked, target = _asked_about(circuit, given)
    pieces = asked.pieces
    n_subsets = (1 << len(pieces)) * asked.engine.schema.arities[target]
    has_shares = len(pieces) <= _MOST_SHAPLEY and n_subsets * asked.circuit.n_edges <= _MOST_EDGES
    found = infer.explain(asked.circuit, asked.engine.schema.names[target], asked.evidence, shapley=has_shares)
    return {
        "pieces": pieces.variables,
        "alone": dict(zip(pieces.variables, found.leave_one_out, strict=True)),
        "shares": None if found.shapley is None else dict(zip(pieces.variables, found.shapley, strict=True)),
    }


def _next_question(circuit: Queryable, given: Mapping[str, Any]) -> Any:
    asked, target = _asked_about(circuit, given)
    wanted = np.array([v for v in asked.situation.unknown if v != target], dtype=np.uint32)
    if len(wanted) == 0:
        return []
    arities = asked.engine.schema.arities[wanted]
    weights, table = given_target(asked.engine, asked.evidence, target, wanted, 1)
    gains = gains_of(weights, table, arities)
    mixed = weights @ table
    with np.errstate(invalid="ignore", divide="ignore"):
        posteriors = np.where(mixed > 0, weights[:, None] * table / mixed, np.nan)
    ends = np.cumsum(arities)
    found = [
        {
            "variable": int(variable),
            "gain": gain,
            "answers": [{"probability": float(mixed[i]), "posterior": posteriors[:, i]} for i in range(end - n, end)],
        }
        for variable, gain, n, end in zip(wanted, gains, arities, ends, strict=True)
    ]
    return sorted(found, key=lambda question: (-question["gain"], question["variable"]))


def _information(circuit: Queryable, given: Mapping[str, Any]) -> Any:
    """Mutual information of all pairs of unknown variables: one row for each value of each."""
    asked = _asked(circuit, given)
    engine, free = asked.engine, asked.situation.unknown
    values = [(variable, code) for variable in free for code in range(engine.schema.arities[variable])]
    now = engine.evaluator.marginals(*asked.evidence.arrays, engine.all_variables, 1)[1][0]
    pairs = np.zeros((engine.schema.n_variables, engine.schema.n_variables))
    for first in range(0, len(values), _AT_ONCE):
        some = values[first : first + _AT_ONCE]
        rows = asked.evidence.rows(np.zeros(len(some), dtype=np.intp))
        codes = rows.codes.copy()
        for row, (variable, code) in enumerate(some):
            codes[variable, row] = code
        found = engine.evaluator.marginals(*rows.with_codes(codes).arrays, engine.all_variables, 1)[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(found > 0, found * np.log(found / now), 0.0)
        for (variable, code), gains in zip(some, np.add.reduceat(terms, engine.starts[:-1], axis=1), strict=True):
            pairs[variable] += now[engine.starts[variable] + code] * gains
    strong = [(a, b, float(pairs[a, b])) for a in free for b in free if a < b and pairs[a, b] > _LEAST_INFORMATION]
    return sorted(strong, key=lambda pair: -pair[2])[:_MOST_PAIRS]


def _mpe(circuit: Queryable, given: Mapping[str, Any]) -> Any:
    return _two_best(_asked(circuit, given))


def _two_best(asked: Asked) -> Any:
    if not asked.engine.is_deterministic and asked.engine.components is None:
        return None  # No search is known for such a circuit.
    evidence = asked.evidence.densest()  # As `mpe`: numbers of the highest density.
    found = best_two(asked.engine, evidence, _SEARCH_SECONDS)
    if found is None:
        return None
    best, second = (
        world and {"world": world.codes, "log": world.log + float(evidence.log_scales[0])} for world in found[:2]
    )
    return {"best": best, "second": second, "isProven": found.is_proven}


def _scores(circuit: Queryable, given: Mapping[str, Any]) -> Any:
    engine = engine_of(circuit)
    codes = read_rows(engine.schema, given.get("rows"))
    logs = np.empty(codes.shape[1])
    for rows in blocks(len(logs)):
        evidence = Evidence.of_codes(engine.schema, codes[:, rows])
        logs[rows] = engine.evaluator.log_values(*evidence.arrays, 1)
    return logs


def _row_details(circuit: Queryable, given: Mapping[str, Any]) -> Any:
    codes = read_rows(circuit.schema, [given.get("row")])
    asked = _asked_of(circuit, Situation.of_codes(circuit.schema, codes[:, 0]))
    found, best = _posteriors(asked), _two_best(asked)
    return {name: found[name] for name in ("logProbability", "others")} | {
        "filled": None if best is None else best["best"]["world"]
    }


_OPERATIONS: dict[str, Callable[[Queryable, Mapping[str, Any]], Any]] = {
    "load": _load,
    "answer": _answer,
    "mpe": _mpe,
    "explain": _explain,
    "nextQuestion": _next_question,
    "information": _information,
    "scores": _scores,
    "rowDetails": _row_details,
}


def _asked(circuit: Queryable, given: Mapping[str, Any]) -> Asked:
    return _asked_of(circuit, read_situation(circuit.schema, given.get("situation")))


def _asked_about(circuit: Queryable, given: Mapping[str, Any]) -> tuple[Asked, int]:
    """A target, and what is known of all others."""
    target, n_variables = given.get("target"), circuit.schema.n_variables
    if not isinstance(target, int) or isinstance(target, bool) or not 0 <= target < n_variables:
        raise QueryError(f"target: expected the number of a variable, below {n_variables}, found {target!r}")
    situation = read_situation(circuit.schema, given.get("situation"))
    return _asked_of(circuit, situation.without(target)), target


def _asked_of(circuit: Queryable, situation: Situation) -> Asked:
    changed = _after(circuit, situation)
    return Asked(changed, engine_of(changed), situation.evidence, situation)


# Of a circuit: the one after the newest interventions, and what is so if nothing is known.
_changed: WeakKeyDictionary[Queryable, tuple[dict[str, Any], Queryable]] = WeakKeyDictionary()
_priors: WeakKeyDictionary[Queryable, Floats] = WeakKeyDictionary()


def _after(circuit: Queryable, situation: Situation) -> Queryable:
    interventions = situation.interventions
    if not interventions:
        return circuit
    was, changed = _changed.get(circuit, (None, circuit))
    if was != interventions:
        changed = infer.do(circuit, interventions)
        _changed[circuit] = interventions, changed
    return changed


def _prior(circuit: Queryable) -> Floats:
    if (found := _priors.get(circuit)) is None:
        engine = engine_of(circuit)
        nothing = Situation.nothing(engine.schema).evidence
        found = _priors[circuit] = engine.evaluator.marginals(*nothing.arrays, engine.all_variables, 1)[1][0]
    return found
