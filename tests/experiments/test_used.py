"""The report on tables as they come, with made-up results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tables import Studies
from used import used

tabular = pytest.importorskip("tabular", reason="needs pandas and scikit-learn")

OURS = {
    "density": {"score": -1.5, "standard_error": 0.1},
    "prediction": {"log_loss": 0.25},
    "imputation": {"wrong": 0.1, "error": None},
    "synthetic": {"auc": 0.6, "detection": 0.8, "detection_error": 0.02},
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
    assert "| adult | 0.800 ± 0.020 |  | 0.855 |" in text


class TestDetected:
    def test_who_cannot_tell_scores_one(self) -> None:
        rng = np.random.default_rng(0)
        is_real = np.repeat([1, 0], 1000)
        found = tabular.detected(is_real, rng.random(2000))
        assert found["detection"] == pytest.approx(1, abs=4 * found["detection_error"])
        # Of an AUC by chance, with n rows of each kind, the variance is (2 n + 1) / (12 n^2).
        assert found["detection_error"] == pytest.approx(2 * np.sqrt(2001 / (12 * 1000**2)), rel=0.2)

    def test_who_can_tell_scores_zero(self) -> None:
        is_real = np.repeat([1, 0], 50)
        assert tabular.detected(is_real, is_real.astype(float))["detection"] == 0
