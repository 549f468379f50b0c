"""The OpenAPI document says what answers look like: every answer is held to what is published of it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx")
pytest.importorskip("jsonschema")

import jsonschema
from mixed_tables import learned, mixed_table

from learnac import LearnAC
from learnac.serve.app import create_app
from learnac.serve.bodies import ARROW
from learnac.serve.questions import QUESTIONS
from learnac.serve.stored import ModelStore


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Of a circuit and a mixture of numbers, dates, texts and booleans, and of a model with impossible rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Of the libraries about each other.
        from starlette.testclient import TestClient
    folder: Path = tmp_path_factory.mktemp("models")
    learned().save(folder / "people.learnac")
    LearnAC(n_components=2, max_edges=3000).fit(mixed_table()).save(folder / "mixed.learnac")
    sure = LearnAC(alpha=0.0, shrinkage=0.0, edge_penalty=0.01).fit(np.array([[0, 0, 0], [1, 1, 0], [1, 1, 1]] * 9))
    sure.save(folder / "sure.learnac")
    return TestClient(create_app(ModelStore(folder)), raise_server_exceptions=False)


@pytest.fixture(scope="module")
def document(client: Any) -> Any:
    return client.get("/openapi.json").json()


def closed(schema: Any) -> Any:
    """The schema, with no other fields than those it names: a field that nobody has published is found, too."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(each) for name, each in schema.items()}
    if found.get("type") == "object" and ("properties" in found or "patternProperties" in found):
        found.setdefault("additionalProperties", False)
    return found


def check(document: Any, path: str, method: str, answer: Any) -> None:
    """Raise jsonschema's ValidationError for an answer that is not as published."""
    responses = document["paths"][path][method]["responses"]
    response = responses.get(str(answer.status_code), responses["default"])
    schema = response["content"]["application/json"]["schema"]
    whole = {"components": closed(document["components"]), "allOf": [schema]}
    jsonschema.Draft202012Validator(whole).validate(json.loads(answer.text))


KNOWN = {"height": 1.25, "spent": "10..30", "day": "<2020-02-01", "ill": {"true": 0.9, "false": 0.2}}
ROWS = [{}, {"kind": "a"}, {"height": 7.0, "day": "2020-01-05"}]
ONE: list[tuple[str, dict[str, Any]]] = [
    ("score", {}),
    ("probability", {"query": {"kind": "a"}}),
    ("probability", {"query": {"height": 2.5}}),
    ("probability", {"query": [{"kind": "a"}, {"kind": "b"}]}),
    ("marginals", {}),
    ("marginals", {"variables": ["ill"], "balance": {"kind": {"a": 1, "b": 2, "c": 0}}}),
    ("mpe", {}),
    ("impute", {}),
    ("impute", {"method": "marginal"}),
    ("predict", {"target": "kind"}),
    ("predict", {"target": "ill"}),
    ("predict", {"target": "height"}),
    ("predict", {"target": "spent"}),
    ("predict", {"target": "day"}),
    ("conflict", {}),
    ("components", {}),
    ("sample", {"n": 3, "seed": 1}),
    ("sample", {"n": 0}),
    ("explain", {"target": "kind"}),
    ("explain", {"target": "kind", "shapley": False}),
    ("next-question", {"target": "kind"}),
    ("next-question", {"target": "kind", "candidates": []}),
    ("compare", {"with": {"kind": "b"}}),
    ("sensitivity", {"query": {"kind": "a"}, "n": 50}),
    ("sensitivity", {"query": {"height": 1.25}}),
]


def ask(client: Any, document: Any, model: str, question: str, body: dict[str, Any]) -> Any:
    answer = client.post(f"/v1/models/{model}/{question}", json=body)
    check(document, f"/v1/models/{{model}}/{question}", "post", answer)
    return answer


def test_all_questions_are_asked_here() -> None:
    assert {question for question, _ in ONE} == set(QUESTIONS)


def without(row: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """What is known, without what is asked."""
    queries = body["query"] if isinstance(body.get("query"), list) else [body.get("query", {})]
    asked = {body.get("target"), *body.get("balance", ()), *(name for query in queries for name in query)}
    return {name: value for name, value in row.items() if name not in asked}


@pytest.mark.parametrize("model", ["people", "mixed"])
@pytest.mark.parametrize(("question", "body"), ONE)
def test_answers_are_as_published(client: Any, document: Any, model: str, question: str, body: dict[str, Any]) -> None:
    def asked(given: Any) -> int:
        return int(ask(client, document, model, question, {**body, "given": given}).status_code)

    is_possible = question != "components" or model == "mixed"
    for given in ({}, {"spent": 0}, KNOWN):
        assert asked(without(given, body)) == (200 if is_possible else 422)
    n_queries = len(body["query"]) if isinstance(body.get("query"), list) else len(ROWS)
    takes_rows = QUESTIONS[question].columns is not None or question == "sample"
    assert asked([without(row, body) for row in ROWS[:n_queries]]) == (200 if takes_rows and is_possible else 422)


IMPOSSIBLE = {"x0": 0, "x1": 1}
IMPOSSIBLE_OR_SURE: list[tuple[str, dict[str, Any], int]] = [
    ("score", {"given": IMPOSSIBLE}, 200),
    ("score", {"given": [IMPOSSIBLE, {}]}, 200),
    ("probability", {"query": {"x1": 1}, "given": {"x0": 0}}, 200),
    ("probability", {"query": {"x1": 1}, "given": [{"x0": 0}, {}]}, 200),
    ("conflict", {"given": IMPOSSIBLE}, 200),
    ("conflict", {"given": [IMPOSSIBLE, {}]}, 200),
    ("explain", {"target": "x2", "given": {"x0": 0}}, 200),
    ("next-question", {"target": "x2", "given": {"x0": 0}}, 200),
    ("compare", {"given": {"x0": 0}, "with": {"x0": 1}}, 200),
    ("sensitivity", {"query": {"x1": 1}, "given": {"x0": 0}}, 200),
    *((question, {"given": IMPOSSIBLE}, 422) for question in ("marginals", "mpe", "impute", "sample")),
    *((question, {"target": "x2", "given": IMPOSSIBLE}, 422) for question in ("predict", "explain")),
    ("compare", {"given": IMPOSSIBLE}, 422),
    ("sensitivity", {"query": {"x2": 1}, "given": IMPOSSIBLE}, 422),
    ("probability", {"query": {"x2": 1}, "given": IMPOSSIBLE}, 422),
]


@pytest.mark.parametrize(("question", "body", "status"), IMPOSSIBLE_OR_SURE)
def test_answers_about_what_is_impossible_are_as_published(
    client: Any, document: Any, question: str, body: dict[str, Any], status: int
) -> None:
    """Infinite numbers are null, where the schema says that they may be."""
    answer = ask(client, document, "sure", question, body)
    assert answer.status_code == status, answer.text
    if question in ("score", "probability", "conflict", "explain") and status == 200:
        assert "null" in answer.text


def test_numbers_beyond_all_bounds_are_refused(client: Any, document: Any) -> None:
    """JSON can write numbers that are infinite to those who read it. So a completed row never has null in it."""
    path, headers = "/v1/models/{model}/mpe", {"content-type": "application/json"}
    answer = client.post(path.format(model="people"), content=b'{"given": {"height": 1e400}}', headers=headers)
    assert answer.status_code == 422
    check(document, path, "post", answer)


def test_what_is_told_about_models_is_as_published(client: Any, document: Any, tmp_path: Path) -> None:
    from starlette.testclient import TestClient

    for path in ("/health", "/ready", "/v1/models", "/v1/models/{model}"):
        answer = client.get(path.format(model="people"))
        assert answer.status_code == 200
        check(document, path, "get", answer)
    missing = client.get("/v1/models/nobody")
    assert missing.status_code == 404
    check(document, "/v1/models/{model}", "get", missing)
    (tmp_path / "broken.learnac").write_bytes(b"broken")
    closed_off = TestClient(create_app(ModelStore(tmp_path), token="secret"))
    for headers in ({}, {"authorization": "Bearer secret"}):
        answer = closed_off.get("/ready", headers=headers)
        assert answer.status_code == 503
        check(document, "/ready", "get", answer)
    check(document, "/v1/models", "get", closed_off.get("/v1/models"))


def test_refusals_are_as_published(client: Any, document: Any) -> None:
    path = "/v1/models/{model}/score"
    for content, kind, status in [
        (b"{", "application/json", 400),
        (b"", "text/csv", 415),
        (b'{"given": [{}, {"kind": "z"}]}', "application/json", 422),
        (b'{"givn": {}}', "application/json", 422),
        (b'{"given": [' + b"{}," * 100_000 + b"{}]}", "application/json", 413),
    ]:
        answer = client.post(path.format(model="people"), content=content, headers={"content-type": kind})
        assert answer.status_code == status
        check(document, path, "post", answer)
    check(document, path, "post", client.get(path.format(model="people")))  # 405


def test_every_answer_of_every_path_has_a_schema(client: Any, document: Any) -> None:
    assert document["openapi"].startswith("3.1")
    jsonschema.Draft202012Validator.check_schema({"$defs": document["components"]["schemas"]})
    assert "HTTPValidationError" not in document["components"]["schemas"]  # FastAPI's, which is never sent.
    refusal = {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}
    for path, methods in document["paths"].items():
        for described in methods.values():
            responses = described["responses"]
            assert responses["default"]["content"] == refusal
            for status, response in responses.items():
                assert response["content"], (path, status)
                assert all(media["schema"] for media in response["content"].values()), (path, status)
                assert status == "200" or path == "/ready" or response["content"] == refusal
    kinds = {path: set(next(iter(m.values()))["responses"]["200"]["content"]) for path, m in document["paths"].items()}
    assert kinds["/metrics"] == {"text/plain"}
    assert kinds["/v1/models/{model}/explorer"] == {"text/html"}
    for name, question in QUESTIONS.items():
        arrow = set() if question.columns is None else {ARROW}
        assert kinds[f"/v1/models/{{model}}/{name}"] == {"application/json"} | arrow


def test_fields_have_types(document: Any) -> None:
    """A schema that lets everything pass says nothing: only settings and provenance may hold anything."""
    schemas = document["components"]["schemas"]
    for name, schema in schemas.items():
        for field, about in schema.get("properties", {}).items():
            is_open = field in ("settings", "provenance")
            assert is_open or {"type", "anyOf", "$ref"} & set(about), (name, field)
