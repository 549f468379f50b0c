"""Made-up results of studies, for tests of what the report says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from table5 import LEVELS
from tables import Studies

Record = dict[str, Any]


def studies(folder: Path, **records: list[Record]) -> Studies:
    """Studies whose result files have these records."""
    for name, found in records.items():
        (folder / f"{name}.json").write_text(json.dumps(found))
    return Studies(folder)


def learned(test: float, seconds: float = 36.0) -> Record:
    """A model of Table 4."""
    return {
        "task": {"stage": "final", "set": "kdd", "schedule": "quick"},
        "result": {"test": test, "learning_seconds": seconds},
    }


def sampled(less: float) -> list[Record]:
    """Answers of Gibbs-Slow to all kinds of queries, so many nats less likely than AC-Quick's."""
    result = {"rows": 500, "less_than_quick": less, "less_than_quick_error": 0.1}
    result |= {"log_probability": -1.0, "log_probability_error": 0.1, "seconds": 1.0}
    task = {"set": "kdd", "method": "Gibbs-Slow"}
    return [{"task": {**task, "query": query, "evidence": evidence}, "result": result} for query, evidence in LEVELS]
