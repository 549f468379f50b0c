"""The report on tables as they come, with made-up results."""

from __future__ import annotations

import json
from pathlib import Path

from tables import Studies
from used import used

OURS = {
    "density": {"score": -1.5, "standard_error": 0.1},
    "prediction": {"log_loss": 0.25},
    "imputation": {"wrong": 0.1, "error": None},
    "synthetic": {"auc": 0.6, "detection": 0.8},
    "rows": 100,
    "edges": 1200,
    "learning_seconds": 2.0,
}


def test_each_method_stands_in_its_column(tmp_path: Path) -> None:
    records = [
        {"task": {"table": "adult", "method": "circuit"}, "result": OURS},
        {
            "task": {"table": "adult", "method": "linear", "question": "prediction"},
            "result": {"prediction": {"error": 0.5}},
        },
    ]
    (tmp_path / "tabular.json").write_text(json.dumps(records))
    text = used(Studies(tmp_path))
    assert "| adult | circuit | 1200 | 2 s |" in text
    assert "| adult | -1.500 |  |  |  |  |  |" in text
    assert "| adult | 0.2500 |  |  | 0.5000 |" in text
    assert "| adult | 0.100 |  |  |  |  |" in text
    assert "| adult | 0.800 |  | 0.855 |" in text
