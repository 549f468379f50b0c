"""The report on test rows that are in the training table, with made-up results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from copied import copies, found_copies, mostly_by_copies, told
from tables import Studies

from learnac import Dataset

rowwise = pytest.importorskip("rowwise", reason="needs pandas")


def studies(folder: Path, *records: dict[str, Any]) -> Studies:
    (folder / "rowwise.json").write_text(json.dumps(records))
    return Studies(folder)


def of_set(name: str, n_copies: int, averaged: float, without: float) -> dict[str, Any]:
    """Of 100 test rows; by one circuit, all rows alike have -10."""
    scores = {"circuit": (-10.0, -10.0), "averaged": (averaged, without)}
    result = {"rows": 100, "copies": n_copies}
    for kind, (test, others) in scores.items():
        result[kind] = {"test": test, "test_error": 0.1, "others": others, "others_error": 0.2}
    return {"task": {"question": "copies", "set": name}, "result": result}


def test_what_is_gained_by_copies_is_told(tmp_path: Path) -> None:
    found = studies(tmp_path, of_set("dna", 6, -8.0, -9.5), of_set("nltcs", 90, -8.0, -8.0), of_set("cr52", 0, -8, -8))
    assert next((each.share, each.gain, each.gain_of_others) for each in found_copies(found)) == (0.06, 2.0, 0.5)
    assert told(found).endswith("(of those that are not in train): 2.00 (0.50) on dna and 2.00 (2.00) on nltcs.")
    assert mostly_by_copies(found) == ["dna"], "by copies are 1.53 of 2 on dna; on nltcs they gain no more than others"
    found = studies(tmp_path, of_set("dna", 6, -8.0, -9.5))
    row = "| dna | 6 of 100 (6.0%) | -10.000 ± 0.100 | -10.000 ± 0.200 | -8.000 ± 0.100 | -9.500 ± 0.200 |"
    assert row in copies(found)


@pytest.mark.parametrize(("gain_of_others", "mostly"), [(1.9, ["dna"]), (2.1, [])])
def test_half_of_a_gain_is_by_copies_where_they_are_half_of_the_rows(
    gain_of_others: float, mostly: list[str], tmp_path: Path
) -> None:
    """Of a gain of 2, those that are not in train have half of theirs."""
    assert mostly_by_copies(studies(tmp_path, of_set("dna", 50, -8.0, gain_of_others - 10.0))) == mostly


def test_a_set_whose_models_were_not_learned_again_has_its_copies(tmp_path: Path) -> None:
    record = of_set("dna", 6, -8.0, -9.5)
    del record["result"]["averaged"]
    found = studies(tmp_path, record)
    assert "| dna | 6 of 100 (6.0%) | -10.000 ± 0.100 | -10.000 ± 0.200 |  |  |" in copies(found)
    assert told(found).startswith("Of the 1 sets that have 1% of their test rows in train, no models were learned")
    assert told(studies(tmp_path, of_set("cr52", 0, -8, -8))) == "No set has 1% of its test rows in train."


def test_rows_are_compared_value_by_value() -> None:
    train = Dataset.from_array(np.array([[0, 1, 2], [1, 0, 0]]), arities=[2, 2, 3])
    test = Dataset.from_array(np.array([[0, 1, 2], [0, 1, 1], [1, 0, 0], [0, 0, 0]]), arities=[2, 2, 3])
    np.testing.assert_array_equal(rowwise.copied(train, test), [True, False, True, False])
