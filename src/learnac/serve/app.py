"""The application: routes, errors, and who may ask."""

from __future__ import annotations

import base64
import hmac
import logging
import time
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from learnac.data import Schema
from learnac.errors import LearnacError, NotProvenWarning, SizeError
from learnac.serve import answers
from learnac.serve.bodies import ARROW, JSON, Refused, as_arrow, as_json, body_of, described
from learnac.serve.explorer import add_explorer
from learnac.serve.questions import QUESTIONS, Question, asking_of, check_one_row, n_rows_of, work_of
from learnac.serve.service import Limits, Service
from learnac.serve.stored import ModelStore, Served
from learnac.version import __version__

_log = logging.getLogger("learnac.serve")
_OPEN = ("/health", "/ready")  # Whoever watches the service has no token.
# A browser asks for a name and a password if it meets the second: any name, and the token. It reads one in a header.
_WAYS_IN = ("Bearer", 'Basic realm="learnac", charset="UTF-8"')


async def _answered(service: Service, name: str, question: Question, served: Served, request: Request) -> Response:
    content = await service.content(request)
    kind = request.headers.get("content-type", "")

    def work() -> Response:
        body, table = body_of(content, kind, dict(request.query_params), question.body)
        n_rows = n_rows_of(body, table)
        if n_rows > service.limits.max_rows:
            raise Refused(413, f"expected at most {service.limits.max_rows:,} rows, found {n_rows:,}")
        asking = asking_of(served.model, body, table, service.limits.max_seconds / 2)
        check_one_row(question, asking)
        if (found := work_of(name, asking)) > service.limits.max_work:
            raise Refused(
                413, f"too much work: about {found:.1e} edges to visit, at most {service.limits.max_work:.1e}"
            )
        return _written(question, asking, served, is_table=table is not None)

    return await service.run(work)


def _written(question: Question, asking: Any, served: Served, *, is_table: bool) -> Response:
    headers = {"x-learnac-model": served.checksum}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvenWarning)
        if is_table:
            if question.columns is None:
                raise Refused(415, f"expected a body of type {JSON} for this question, found {ARROW}")
            return Response(as_arrow(question.columns(asking)), media_type=ARROW, headers=headers)
        document = {"model": {"name": served.name, "hash": served.checksum}, **question.document(asking)}
    return Response(as_json(document), media_type=JSON, headers=headers)


def create_app(store: ModelStore, limits: Limits | None = None, token: str | None = None) -> FastAPI:
    """The application, for uvicorn or any other server of ASGI."""
    service = Service(store, limits or Limits(), token)
    app = FastAPI(
        title="learnac", version=__version__, docs_url=None, redoc_url=None, responses=_refusals(default="no answer")
    )
    app.state.service = service
    _add_watched(app, service)
    _add_errors(app)
    _add_about(app, service)
    add_explorer(app, service)
    for name, question in QUESTIONS.items():
        _add_question(app, service, name, question)
    return app


def _add_question(app: FastAPI, service: Service, name: str, question: Question) -> None:
    async def ask(model: str, request: Request) -> Response:
        return await _answered(service, name, question, await service.found(model), request)

    content = {JSON: {"schema": question.body.model_json_schema(by_alias=True)}}
    tables = {} if question.columns is None else described(ARROW, format="binary")
    app.post(
        f"/v1/models/{{model}}/{name}",
        operation_id=name.replace("-", "_"),
        summary=question.about,
        openapi_extra={"requestBody": {"content": content | tables}},
        response_model=answers.published(question.answer),
        responses={200: {"description": "the answer", "content": tables}, **_refusals(**_STATUSES)},
    )(ask)


def _refusals(**about: str) -> dict[int | str, dict[str, Any]]:
    """By status, in what form it is told that there is no answer: always the same."""
    return {status: {"description": text, "model": answers.Refusal} for status, text in about.items()}


_STATUSES = {
    "400": "not JSON, or not Arrow",
    "401": "no token, or another one",
    "404": "no such model",
    "413": "too large",
    "415": "a body of another type than this question takes",
    "422": "cannot be answered; the message says why",
    "500": "unexpected error",
    "503": "too many questions at once",
    "504": "took too long",
}


def _add_about(app: FastAPI, service: Service) -> None:
    @app.get("/health", summary="Is the service there?")
    async def health() -> answers.Health:
        return {"status": "ok", "learnac": __version__}

    not_ready = {"description": "some cannot be asked", "model": answers.Ready}

    @app.get("/ready", summary="Can all models be asked?", response_model=answers.Ready, responses={503: not_ready})
    async def ready(request: Request) -> Response:
        models = await service.watched()
        problems = service.store.problems
        is_ready = bool(models) and not problems
        document: answers.Ready = {"status": "ready" if is_ready else "not ready"}
        if _has_token(service.token, request):
            document |= {"models": sorted(models), "problems": problems}
        return Response(as_json(document), 200 if is_ready else 503, media_type=JSON)

    @app.get(
        "/metrics",
        summary="What Prometheus reads.",
        response_class=Response,
        responses={200: {"content": described("text/plain")}},
    )
    async def metrics() -> Response:
        models = await service.watched()
        return Response(service.metrics.text(len(models)), media_type="text/plain; version=0.0.4")

    @app.get("/v1/models", summary="The models, and what they are.", response_model=answers.ListedModels)
    async def models() -> Response:
        found = await service.run(service.store.models)
        document: answers.ListedModels = {"models": [_listed(served) for served in found.values()]}
        return Response(as_json(document), media_type=JSON)

    @app.get(
        "/v1/models/{model}",
        summary="A model: its variables and their categories.",
        response_model=answers.DescribedModel,
        responses=_refusals(**{"404": _STATUSES["404"]}),
    )
    async def model(model: str) -> Response:
        return Response(as_json(_described(await service.found(model))), media_type=JSON)


def _described(served: Served) -> answers.DescribedModel:
    schema = served.model.schema
    variables: list[answers.Variable] = [
        {"name": name, "kind": _kind_of(schema, place), "categories": list(schema.categories[place])}
        for place, name in enumerate(schema.names)
    ]
    return {**_listed(served), "variables": variables}


def _kind_of(schema: Schema, variable: int) -> str:
    bins = schema.bins[variable]
    if bins is None or variable not in schema.numbers:
        return "category"
    return "number" if bins.calendar is None else "date"


def _listed(served: Served) -> answers.ListedModel:
    circuit = served.model.require_circuit()
    return {
        "name": served.name,
        "hash": served.checksum,
        "variables": circuit.schema.n_variables,
        "edges": circuit.n_edges,
        "settings": dict(served.model.settings),
        "provenance": dict(served.model.provenance),
    }


def _refusal(status: int, message: str, **fields: Any) -> Response:
    headers = {"retry-after": "1"} if status == 503 else {}
    error = {
        "status": status,
        "message": message,
        **{name: value for name, value in fields.items() if value is not None},
    }
    response = Response(as_json({"error": error}), status, media_type=JSON, headers=headers)
    for way in _WAYS_IN if status == 401 else ():
        response.headers.append("www-authenticate", way)
    return response


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> Response:
        return _refusal(error.status, str(error), **error.fields)

    @app.exception_handler(HTTPException)
    async def not_there(request: Request, error: HTTPException) -> Response:
        known = f"expected one of {', '.join(QUESTIONS)} after /v1/models/NAME/" if error.status_code == 404 else ""
        return _refusal(error.status_code, ": ".join(filter(None, [str(error.detail), known])))


def _refusal_of(error: Exception) -> Response:
    """What a query raises for bad input has one clear message; what is our own mistake is told only to the log."""
    if isinstance(error, Refused):
        return _refusal(error.status, str(error), **error.fields)
    if isinstance(error, LearnacError):
        fields: dict[str, Any] = {"column": error.column, "row": error.row, "problem": error.problem}
        return _refusal(413 if isinstance(error, SizeError) else 422, " ".join(str(error).split()), **fields)
    if isinstance(error, ValueError | TypeError | OverflowError):
        return _refusal(422, " ".join(str(error).split()))
    if isinstance(error, MemoryError):
        return _refusal(413, "too large: there is not enough memory to answer")
    _log.error("unexpected error", exc_info=error)
    return _refusal(500, "unexpected error: the log of the service has more")


def _add_watched(app: FastAPI, service: Service) -> None:
    @app.middleware("http")
    async def watched(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        """Tokens, what is counted, and whatever goes wrong."""
        begun = time.perf_counter()
        service.metrics.begun()
        status = 500
        try:
            if not _is_allowed(service.token, request):
                response = _refusal(
                    401, "expected the header Authorization: Bearer TOKEN, with the token of the service"
                )
            else:
                response = await call_next(request)
            status = response.status_code
        except Exception as error:
            response = _refusal_of(error)
            status = response.status_code
        finally:
            service.metrics.ended(_query_in(request.url.path), status, time.perf_counter() - begun)
        return response


def _is_allowed(token: str | None, request: Request) -> bool:
    return request.url.path in _OPEN or _has_token(token, request)


def _has_token(token: str | None, request: Request) -> bool:
    if token is None:
        return True
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        given = _password(given)
    elif scheme.lower() != "bearer":
        return False
    return hmac.compare_digest(given.strip().encode(), token.encode())


def _password(credentials: str) -> str:
    """What a browser sends after it has asked for a name and a password."""
    try:
        return base64.b64decode(credentials, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def _query_in(path: str) -> str:
    """A label of which there are few, whatever people ask for."""
    last = path.rstrip("/").rpartition("/")[2]
    return last if last in QUESTIONS or last in ("health", "ready", "metrics", "models", "explorer") else "other"
