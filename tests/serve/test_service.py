"""The service: its answers are those of the library, and what is wrong gets one clear message."""

from __future__ import annotations

import re
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from learnac import LearnAC

pytest.importorskip("fastapi")
pytest.importorskip("httpx")

from serving import GIVEN, MODEL, ROWS, ask, client_of, frame_of

from learnac.serve.app import Limits
from learnac.serve.bodies import ARROW
from learnac.serve.questions import QUESTIONS


class TestAnswersAreTheLibrarys:
    @pytest.mark.parametrize("name", ["weather", "mixed"])
    def test_rows(self, client: Any, model: LearnAC, mixture: LearnAC, name: str) -> None:
        asked = model if name == "weather" else mixture
        assert ask(client, "score", name, given=GIVEN)["log_likelihood"] == pytest.approx(asked.score_samples(GIVEN))
        found = ask(client, "score", name, given=ROWS)["rows"]
        assert [row["log_likelihood"] for row in found] == pytest.approx(asked.score_samples(ROWS).tolist())
        found = ask(client, "marginals", name, given=GIVEN)["marginals"]
        assert list(found["rain"].values()) == pytest.approx(asked.marginals(GIVEN)["rain"].tolist())
        found = ask(client, "marginals", name, given=ROWS, variables=["coin"])["rows"]
        assert [list(r["coin"].values()) for r in found] == [
            pytest.approx(p) for p in asked.marginals(ROWS)["coin"].tolist()
        ]
        found = ask(client, "probability", name, query={"rain": True}, given=ROWS[:1])["rows"][0]
        expected = asked.log_probability({"rain": True}, ROWS[:1])[0]
        assert found["log_probability"] == pytest.approx(expected)
        world, log = asked.mpe(GIVEN)
        found = ask(client, "mpe", name, given=GIVEN)
        assert found["row"] == world
        assert found["log_probability"] == pytest.approx(log)
        assert found["is_proven"] is True
        assert ask(client, "mpe", name, given=[GIVEN])["rows"][0]["row"] == world
        found = ask(client, "predict", name, given=GIVEN, target="rain")
        assert found["prediction"] == asked.predict(GIVEN, "rain")
        assert found["P(True)"] == pytest.approx(asked.predict_proba(GIVEN, "rain")[1])
        found = ask(client, "conflict", name, given=ROWS)["rows"]
        assert [r["conflict"] for r in found] == pytest.approx(asked.conflict(ROWS).tolist())
        found = ask(client, "impute", name, given=ROWS)["rows"]
        assert found == asked.impute(ROWS)
        assert ask(client, "impute", name, given=ROWS[0])["row"] == found[0]
        found = ask(client, "probability", name, query=[{"rain": True}, {"rain": False}], given=GIVEN)["rows"]
        assert sum(row["probability"] for row in found) == pytest.approx(1)

    def test_texts_stand_for_categories_that_json_has_no_names_for(self, client: Any, model: LearnAC) -> None:
        """As in answers: the names of fields are texts."""
        answer = ask(client, "marginals", given={"rain": "true"})["marginals"]
        assert answer["rain"] == {"False": 0.0, "True": 1.0}
        assert answer == ask(client, "marginals", given={"rain": True})["marginals"]
        likelihoods = ask(client, "marginals", given={"rain": {"True": 0.9, "False": 0.2}, "mood": "2"})["marginals"]
        expected = model.marginals({"rain": {True: 0.9, False: 0.2}, "mood": 2})["umbrella"]
        assert list(likelihoods["umbrella"].values()) == pytest.approx(expected.tolist())

    def test_likelihoods_interventions_and_balance(self, client: Any, model: LearnAC) -> None:
        soft = {"mood": {"1": 0.2, "2": 1, "3": 0.5}}
        found = ask(client, "marginals", given=soft)["marginals"]["rain"]
        assert list(found.values()) == pytest.approx(model.marginals(soft)["rain"].tolist())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = model.do({"umbrella": "no"}).marginals({"mood": 3})["rain"].tolist()
        found = ask(client, "marginals", given={"mood": 3}, do={"umbrella": "no"})["marginals"]["rain"]
        assert list(found.values()) == pytest.approx(expected)
        found = ask(client, "marginals", balance="rain")["marginals"]["mood"]
        assert list(found.values()) == pytest.approx(model.marginals(balance="rain")["mood"].tolist())
        rows = ask(client, "sample", balance={"rain": {"true": 8, "false": 2}}, n=2000, seed=1)["rows"]
        assert np.mean([row["rain"] for row in rows]) == pytest.approx(0.8, abs=0.03)

    def test_questions_about_one_row(self, client: Any, model: LearnAC) -> None:
        found = ask(client, "explain", given=GIVEN, target="rain")
        expected = model.explain("rain", GIVEN)
        assert [p["shapley"] for p in found["pieces"]] == [pytest.approx(s) for s in expected.shapley.tolist()]
        assert found["conflict"] == pytest.approx(expected.conflict)
        found = ask(client, "next-question", target="rain")
        assert found["gains"] == pytest.approx(model.next_question("rain"))
        found = ask(client, "compare", given={"rain": True}, **{"with": {"rain": False}})
        divergences = model.compare({"rain": True}, {"rain": False}).divergences
        assert {v["variable"]: v["divergence"] for v in found["variables"]} == pytest.approx(divergences)
        found = ask(client, "sensitivity", query={"rain": True}, given=GIVEN, n=2)
        expected_parameters = model.sensitivity({"rain": True}, GIVEN, n=2).parameters
        assert [p["derivative"] for p in found["parameters"]] == pytest.approx(
            [p.derivative for p in expected_parameters]
        )
        rows = ask(client, "sample", given={"rain": True}, n=5, seed=1)["rows"]
        assert len(rows) == 5
        assert all(row["rain"] is True for row in rows)
        assert len(ask(client, "sample", given=ROWS, n=2)["rows"]) == 6

    def test_components(self, client: Any, mixture: LearnAC) -> None:
        found = ask(client, "components", "mixed", given=GIVEN)
        assert [found[f"component {k}"] for k in range(2)] == pytest.approx(mixture.components(GIVEN).tolist())

    def test_what_is_infinite_is_null(self, tmp_path: Path) -> None:
        LearnAC(alpha=0.0, shrinkage=0.0, edge_penalty=0.01).fit(np.array([[0, 0], [1, 1]] * 9)).save(
            tmp_path / "m.learnac"
        )
        client = client_of(tmp_path / "m.learnac")
        assert ask(client, "score", "m", given={"x0": 0, "x1": 1})["log_likelihood"] is None

    def test_arrow(self, client: Any, model: LearnAC) -> None:
        frame = frame_of(3, 50)
        frame.loc[3, "umbrella"] = None
        table = pa.Table.from_pandas(frame, preserve_index=False)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        content = sink.getvalue().to_pybytes()

        def post(query: str, **stated: Any) -> Any:
            answer = client.post(
                f"/v1/models/weather/{query}", content=content, headers={"content-type": ARROW}, params=stated
            )
            assert answer.status_code == 200, answer.text
            assert answer.headers["content-type"] == ARROW
            return pa.ipc.open_stream(answer.content).read_all()

        assert post("score")["log_likelihood"].to_pylist() == pytest.approx(model.score_samples(frame).tolist())
        found = post("marginals", variables='["mood"]')
        assert found.column_names == ["mood=1", "mood=2", "mood=3"]
        assert found["mood=2"].to_pylist() == pytest.approx(model.marginals(frame)["mood"][:, 1].tolist())
        assert post("impute")["umbrella"].to_pylist() == model.impute(frame)["umbrella"].tolist()


class TestAbout:
    def test_models_health_and_metrics(self, client: Any, model: LearnAC) -> None:
        assert client.get("/health").json()["status"] == "ok"
        assert client.get("/ready").json() == {"status": "ready", "models": ["mixed", "weather"], "problems": {}}
        found = {m["name"]: m for m in client.get("/v1/models").json()["models"]}
        assert found["weather"]["edges"] == model.circuit_.n_edges
        variables = client.get("/v1/models/weather").json()["variables"]
        assert variables[1] == {"name": "umbrella", "kind": "category", "categories": ["no", "yes"]}
        ask(client, "score", given=GIVEN)
        client.post("/v1/models/weather/score", content=b"{")
        text = client.get("/metrics").text
        assert 'learnac_requests_total{query="score",status="200"} 1' in text
        assert 'learnac_requests_total{query="score",status="400"} 1' in text
        assert 'learnac_request_seconds_count{query="score"} 2' in text

    def test_openapi_has_every_question(self, client: Any) -> None:
        paths = client.get("/openapi.json").json()["paths"]
        for name, question in QUESTIONS.items():
            described = paths[f"/v1/models/{{model}}/{name}"]["post"]
            assert described["summary"] == question.about
            assert "given" in described["requestBody"]["content"]["application/json"]["schema"]["properties"]

    def test_a_browser_finds_the_explorers(self, client: Any) -> None:
        page = client.get("/")
        assert page.headers["content-type"].startswith("text/html")
        links = re.findall(r'href="(/v1/models/[^"]+/explorer)"', page.text)
        assert f"{MODEL}/explorer" in links
        assert all(client.get(link).status_code == 200 for link in links)

    def test_the_explorer(self, client: Any) -> None:
        page = client.get("/v1/models/weather/explorer")
        assert page.status_code == 200
        assert "learnac" in page.text
        assert page.headers["content-type"].startswith("text/html")


BAD: list[tuple[str, str, Any, int, str]] = [
    ("no JSON", f"{MODEL}/score", b"{", 400, "expected JSON"),
    ("NaN", f"{MODEL}/score", b'{"given": {"mood": NaN}}', 400, "NaN is no JSON"),
    ("bytes", f"{MODEL}/score", b"\xff\xfe", 400, "expected JSON"),
    ("very deep", f"{MODEL}/score", b"[" * 100_000, 400, "expected JSON"),
    ("a list", f"{MODEL}/score", b"[]", 422, "expected a JSON object, found list"),
    ("unknown field", f"{MODEL}/score", b'{"givn": {}}', 422, "givn: Extra inputs are not permitted"),
    ("given is text", f"{MODEL}/score", b'{"given": "rain"}', 422, "given: Input should be"),
    ("unknown model", "/v1/models/none/score", b"{}", 404, "no model is called 'none'; there are 'mixed', 'weather'"),
    ("unknown query", f"{MODEL}/guess", b"{}", 404, "Not Found: expected one of score"),
    ("unknown variable", f"{MODEL}/score", b'{"given": {"snow": 1}}', 422, "'snow'"),
    ("unknown category", f"{MODEL}/score", b'{"given": {"mood": 9}}', 422, "9"),
    ("bad likelihoods", f"{MODEL}/score", b'{"given": {"mood": [1, -1, 0]}}', 422, "finite likelihoods from 0"),
    ("no target", f"{MODEL}/explain", b"{}", 422, "target: Field required"),
    ("target known", f"{MODEL}/explain", b'{"target": "rain", "given": {"rain": true}}', 422, "to be unknown"),
    (
        "a list of rows",
        f"{MODEL}/explain",
        b'{"target": "rain", "given": [{}]}',
        422,
        "expected the evidence of one row",
    ),
    ("no rows", f"{MODEL}/score", b'{"given": []}', 422, ""),
    ("negative n", f"{MODEL}/sample", b'{"n": -1}', 422, "n: Input should be greater than or equal to 0"),
    ("contradiction", f"{MODEL}/probability", b'{"query": {"mood": 1}, "given": {"mood": 2}}', 422, "contradicts"),
    ("components of a circuit", f"{MODEL}/components", b"{}", 422, "expected a mixture"),
    (
        "a share that is missing",
        f"{MODEL}/sample",
        b'{"balance": {"rain": {"true": 1}}}',
        422,
        "variable 'rain': expected a share from 0 for each category, and some above 0; found none for False",
    ),
    ("unknown method", f"{MODEL}/impute", b'{"given": {}, "method": "best"}', 422, "method: expected"),
    ("half a surrogate", f"{MODEL}/predict", b'{"target": "\\ud800"}', 422, "no variable"),
    ("many queries", f"{MODEL}/probability", b'{"query": [' + b"{}," * 100_000 + b"{}]}", 413, "found 100,001"),
    (
        "many samples",
        f"{MODEL}/sample",
        b'{"n": 99999999999}',
        413,
        "expected at most 100,000 rows, found 99,999,999,999",
    ),
    ("no operation", f"{MODEL}/explorer", b"{}", 422, "operation: Field required"),
    (
        "unknown operation",
        f"{MODEL}/explorer",
        b'{"operation": "guess"}',
        422,
        "operation: expected one of load, answer",
    ),
    ("no situation", f"{MODEL}/explorer", b'{"operation": "mpe"}', 422, "situation: expected a list of 4 entries"),
    ("huge number", f"{MODEL}/sample", b'{"n": 1e400}', 422, ""),
]


@pytest.mark.parametrize(("path", "body", "status", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_requests_of_twenty_kinds_get_one_clear_message(
    client: Any, path: str, body: Any, status: int, message: str
) -> None:
    answer = client.post(path, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert message in error["message"]
    assert "\n" not in error["message"]
    assert "Traceback" not in answer.text
    assert client.get("/health").status_code == 200


def test_errors_have_fields(client: Any) -> None:
    error = client.post(f"{MODEL}/score", json={"given": [{}, {"mood": 9}]}).json()["error"]
    assert (error["column"], error["row"]) == ("mood", 1)


def test_other_bodies_are_refused(client: Any) -> None:
    answer = client.post(f"{MODEL}/score", content=b"a,b", headers={"content-type": "text/csv"})
    assert answer.status_code == 415
    answer = client.post(f"{MODEL}/score", content=b"no stream", headers={"content-type": ARROW})
    assert (answer.status_code, "expected an Arrow stream" in answer.text) == (400, True)
    assert client.get(f"{MODEL}/score").status_code == 405


class TestLimits:
    def test_bodies_and_rows(self, folder: Path) -> None:
        client = client_of(folder, Limits(max_body=200, max_rows=2))
        assert client.post(f"{MODEL}/score", json={"given": [{}, {}]}).status_code == 200
        answer = client.post(f"{MODEL}/score", json={"given": [{}, {}, {}]})
        assert (answer.status_code, "at most 2 rows, found 3" in answer.text) == (413, True)
        answer = client.post(f"{MODEL}/score", content=b" " * 201)
        assert (answer.status_code, "at most 200 bytes" in answer.text) == (413, True)

        def in_parts() -> Iterator[bytes]:
            """Without a length in the header."""
            yield from [b" " * 100] * 3

        assert client.post(f"{MODEL}/score", content=in_parts()).status_code == 413

    def test_a_slow_question_is_cut_off_and_others_go_on(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        released = threading.Event()
        slow = QUESTIONS["conflict"]._replace(document=lambda _: released.wait(10) and {})
        monkeypatch.setitem(QUESTIONS, "conflict", slow)
        client = client_of(folder, Limits(max_seconds=0.3, n_at_once=2, n_waiting=0))
        with client:
            begun = time.monotonic()
            answer = client.post(f"{MODEL}/conflict", json={"given": GIVEN})
            assert (answer.status_code, "within 0.3 s" in answer.text) == (504, True)
            assert time.monotonic() - begun < 5
            assert client.post(f"{MODEL}/score", json={"given": GIVEN}).status_code == 200  # The other thread.
            client.post(f"{MODEL}/conflict", json={"given": GIVEN})
            answer = client.post(f"{MODEL}/score", json={"given": GIVEN})
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
            released.set()
            for _ in range(100):
                if client.post(f"{MODEL}/score", json={"given": GIVEN}).status_code == 200:
                    break
                time.sleep(0.05)
            assert client.post(f"{MODEL}/score", json={"given": GIVEN}).status_code == 200


class TestToken:
    def test_without_it_nothing(self, folder: Path) -> None:
        client = client_of(folder, token="secret")
        for headers in ({}, {"authorization": "Bearer other"}, {"authorization": "secret"}):
            for path in ("/v1/models", "/metrics", "/openapi.json", f"{MODEL}/explorer"):
                answer = client.get(path, headers=headers)
                assert (answer.status_code, answer.headers["www-authenticate"][:6]) == (401, "Bearer")
            assert client.post(f"{MODEL}/score", json={}, headers=headers).status_code == 401
        assert client.get("/health").status_code == 200
        assert client.get("/ready").json() == {"status": "ready"}
        assert client.get("/v1/models", headers={"authorization": "Bearer secret"}).status_code == 200
        assert client.get("/v1/models", headers={"authorization": "bearer secret"}).status_code == 200

    def test_a_browser_sends_it_as_a_password(self, folder: Path) -> None:
        client = client_of(folder, token="secret")
        assert 'Basic realm="learnac"' in client.get(f"{MODEL}/explorer").headers["www-authenticate"]
        assert client.get(f"{MODEL}/explorer", auth=("anybody", "secret")).status_code == 200
        for wrong in (("anybody", "other"), ("secret", "")):
            assert client.get(f"{MODEL}/explorer", auth=wrong).status_code == 401
        assert client.get(f"{MODEL}/explorer", headers={"authorization": "Basic ???"}).status_code == 401

    def test_no_route_is_forgotten(self, folder: Path) -> None:
        """Whatever there is, or is not: only the two addresses for those who watch the service are open."""
        client = client_of(folder, token="secret")
        open_paths = set()
        for route in [*client.app.routes, *("/", "/nothing", "/v1/models/none/score")]:
            path = getattr(route, "path", route).replace("{model}", "weather")
            for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS"):
                answer = client.request(method, path, json={})
                if answer.status_code != 401:
                    open_paths.add(path)
                else:
                    assert answer.json()["error"]["message"].startswith("expected the header Authorization")
        assert open_paths == {"/health", "/ready"}


def test_who_watches_is_answered_while_all_threads_are_busy(folder: Path) -> None:
    client = client_of(folder, Limits(n_at_once=1, max_seconds=0.2))
    service, released = client.app.state.service, threading.Event()
    service._pool.submit(released.wait)
    service.store._looked_at = float("-inf")
    try:
        assert client.get("/ready").status_code == 200
        assert client.get("/metrics").status_code == 200
        assert client.post(f"{MODEL}/score", json={}).status_code == 504
    finally:
        released.set()


class TestFiles:
    def test_a_file_that_changes_is_read_again(
        self, folder: Path, mixture: LearnAC, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("learnac.serve.stored._FRESH_SECONDS", 0.0)
        client = client_of(folder)
        before = ask(client, "score", given=GIVEN)
        mixture.save(folder / "weather.learnac")
        after = ask(client, "score", given=GIVEN)
        assert after["model"]["hash"] != before["model"]["hash"]
        assert after["log_likelihood"] == pytest.approx(mixture.score_samples(GIVEN))
        (folder / "weather.learnac").write_bytes(b"broken")
        assert ask(client, "score", given=GIVEN)["model"]["hash"] == after["model"]["hash"]
        ready = client.get("/ready")
        assert ready.status_code == 503
        assert "weather" in ready.json()["problems"]
        (folder / "weather.learnac").unlink()
        assert client.post(f"{MODEL}/score", json={}).status_code == 404
