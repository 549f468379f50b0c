"""The service on tables of numbers and dates: evidence in JSON, and answers in types that JSON has."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx")

from mixed_tables import learned

from learnac.serve.app import create_app
from learnac.serve.stored import ModelStore

GIVEN = {"height": 1.25, "spent": "10..30", "day": "<2020-02-01"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Of the libraries about each other.
        from starlette.testclient import TestClient
    folder: Path = tmp_path_factory.mktemp("models")
    learned().save(folder / "people.learnac")
    return TestClient(create_app(ModelStore(folder)), raise_server_exceptions=False)


def ask(client: Any, question: str, **body: Any) -> Any:
    answer = client.post(f"/v1/models/people/{question}", json=body)
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text)


def test_scores_and_probabilities_are_the_librarys(client: Any) -> None:
    model = learned()
    row = {"height": 1.25, "spent": 22, "day": "2020-01-09", "kind": "a", "ill": True}
    assert ask(client, "score", given=row)["log_likelihood"] == pytest.approx(model.score_samples(row))
    found = ask(client, "probability", given=GIVEN, query={"kind": "a"})
    assert found["log_probability"] == pytest.approx(model.log_probability({"kind": "a"}, GIVEN))
    density = ask(client, "probability", given={"kind": "a"}, query={"height": 1.25})
    assert density["log_probability"] == pytest.approx(model.log_probability({"height": 1.25}, {"kind": "a"}))


def test_completed_rows_and_samples_have_numbers_and_dates(client: Any) -> None:
    model = learned()
    completed, _ = model.mpe(GIVEN)
    found = ask(client, "mpe", given=GIVEN)["row"]
    assert found == completed
    assert found["height"] == 1.25
    for method in ("mpe", "marginal"):
        rows = [{"height": 1.25, "kind": "a"}, {"spent": 3}]
        asked = ask(client, "impute", given=rows, method=method)["rows"]
        assert (asked[0]["height"], asked[1]["spent"]) == (1.25, 3)
        assert all(isinstance(row["spent"], int) and isinstance(row["day"], str) for row in asked)
    drawn = ask(client, "sample", given=GIVEN, n=20, seed=1)["rows"]
    assert all(row["height"] == 1.25 and 10 <= row["spent"] <= 30 and row["day"] < "2020-02-01" for row in drawn)


def test_predictions_of_numbers_and_dates(client: Any) -> None:
    model = learned()
    given = {"kind": "b"}
    found = ask(client, "predict", given=given, target="height")
    posterior = model.distribution("height", given)
    assert found["prediction"] == pytest.approx(posterior.mean)
    assert found["median"] == pytest.approx(posterior.median)
    assert (found["low"], found["high"]) == pytest.approx(posterior.interval(0.9))
    assert sum(value for name, value in found.items() if name.startswith("P(")) == pytest.approx(1.0)
    day = ask(client, "predict", given=given, target="day")
    assert day["low"] <= day["prediction"] == day["median"] <= day["high"]


def test_what_is_no_number_is_one_message(client: Any) -> None:
    answer = client.post("/v1/models/people/marginals", json={"given": {"height": "tall"}})
    assert answer.status_code == 422
    assert "variable 'height': expected one of its categories" in answer.text
