"""A service in this process, and what it is asked."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from learnac.serve.app import Limits

GIVEN = {"umbrella": "yes", "mood": 2}
ROWS = [{"umbrella": "yes"}, {"mood": 1, "rain": True}, {}]
MODEL = "/v1/models/weather"


def frame_of(seed: int, n_rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rain = rng.random(n_rows) < 0.4
    return pd.DataFrame(
        {
            "rain": rain,
            "umbrella": np.where(rng.random(n_rows) < np.where(rain, 0.9, 0.2), "yes", "no"),
            "mood": np.where(rain, rng.integers(1, 3, n_rows), rng.integers(2, 4, n_rows)),
            "coin": rng.integers(2, size=n_rows),
        }
    )


def client_of(path: Path, limits: Limits | None = None, token: str | None = None) -> Any:
    """Imports the service only now: whoever asks has seen to it that its packages are there."""
    from learnac.serve.app import create_app
    from learnac.serve.stored import ModelStore

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Of the libraries about each other.
        from starlette.testclient import TestClient
    return TestClient(create_app(ModelStore(path), limits, token), raise_server_exceptions=False)


def ask(client: Any, question: str, model: str = "weather", /, **body: Any) -> Any:
    answer = client.post(f"/v1/models/{model}/{question}", json=body)
    assert answer.status_code == 200, answer.text
    document = answer.json()
    assert document["model"]["name"] == model
    assert answer.headers["x-learnac-model"] == document["model"]["hash"]
    return document
