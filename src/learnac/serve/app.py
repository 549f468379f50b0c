"""The service itself: routes, limits and errors."""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
import warnings
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from learnac.errors import LearnacError, NotProvenWarning, SizeError
from learnac.serve.bodies import ARROW, JSON, Refused, as_arrow, as_json, body_of
from learnac.serve.metrics import Metrics
from learnac.serve.questions import QUESTIONS, Question, asking_of, check_one_row, work_of
from learnac.serve.stored import ModelStore, Served
from learnac.version import __version__

_log = logging.getLogger("learnac.serve")
_OPEN = ("/health", "/ready")  # Whoever watches the service has no token.


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take, and how many are answered at once."""

    max_body: int = 64 << 20  # bytes
    max_rows: int = 100_000
    max_work: int = 100_000_000_000  # edges visited
    max_seconds: float = 30.0
    n_at_once: int = 2
    n_waiting: int = 64


class Service:
    """Answers questions in threads, as many at once as the limits allow."""

    def __init__(self, store: ModelStore, limits: Limits, token: str | None) -> None:
        self.store, self.limits, self.token = store, limits, token
        self.metrics = Metrics()
        self._pool = ThreadPoolExecutor(limits.n_at_once, thread_name_prefix="learnac")
        self._n_taken = 0

    async def run(self, work: Callable[[], Any]) -> Any:
        """The result of some work, within the time that there is. Work that is late keeps its thread until it ends."""
        if self._n_taken >= self.limits.n_at_once + self.limits.n_waiting:
            raise Refused(503, "too many questions at once: ask again in a moment")
        self._n_taken += 1
        loop = asyncio.get_running_loop()
        job = self._pool.submit(work)
        job.add_done_callback(lambda _: loop.call_soon_threadsafe(self._ended))
        answer = asyncio.wrap_future(job)
        answer.add_done_callback(lambda late: late.cancelled() or late.exception())  # Somebody has looked at it.
        done, _ = await asyncio.wait([answer], timeout=self.limits.max_seconds)
        if not done:
            job.cancel()  # Helps if it has not begun.
            raise Refused(504, f"expected an answer within {self.limits.max_seconds:g} s: ask about fewer rows")
        return answer.result()

    def _ended(self) -> None:
        self._n_taken -= 1

    async def found(self, name: str) -> Served:
        models = await self.run(self.store.models)
        if name not in models:
            problem = self.store.problems.get(name)
            if problem is not None:
                raise Refused(503, f"the model {name!r} cannot be read: {problem}")
            raise Refused(
                404, f"no model is called {name!r}; there are {', '.join(map(repr, sorted(models))) or 'none'}"
            )
        return models[name]

    async def content(self, request: Request) -> bytes:
        """The body, unless it is too large, which is noticed before all of it is read."""
        most = self.limits.max_body
        parts, size = [], 0
        if request.headers.get("content-length", "0").isdecimal():
            size = int(request.headers.get("content-length", "0"))
        if size <= most:
            size = 0
            async for part in request.stream():
                size += len(part)
                if size > most:
                    break
                parts.append(part)
        if size > most:
            raise Refused(413, f"expected a body of at most {most:,} bytes, found more")
        return b"".join(parts)

    async def answer(self, name: str, question: Question, served: Served, request: Request) -> Response:
        content = await self.content(request)
        kind = request.headers.get("content-type", "")

        def work() -> Response:
            body, table = body_of(content, kind, dict(request.query_params), question.body)
            n_rows = len(body.given) if isinstance(body.given, list) else 1 if table is None else table.num_rows
            if n_rows > self.limits.max_rows:
                raise Refused(413, f"expected at most {self.limits.max_rows:,} rows, found {n_rows:,}")
            asking = asking_of(served.model, body, table, self.limits.max_seconds / 2)
            check_one_row(question, asking)
            if (found := work_of(name, asking)) > self.limits.max_work:
                raise Refused(
                    413, f"too much work: about {found:.1e} edges to visit, at most {self.limits.max_work:.1e}"
                )
            return _written(question, asking, served, is_table=table is not None)

        return await self.run(work)


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
    app = FastAPI(title="learnac", version=__version__, docs_url=None, redoc_url=None)
    app.state.service = service
    _add_watched(app, service)
    _add_errors(app)
    _add_about(app, service)
    for name, question in QUESTIONS.items():
        _add_question(app, service, name, question)
    return app


def _add_question(app: FastAPI, service: Service, name: str, question: Question) -> None:
    async def ask(model: str, request: Request) -> Response:
        return await service.answer(name, question, await service.found(model), request)

    content = {JSON: {"schema": question.body.model_json_schema(by_alias=True)}}
    if question.columns is not None:
        content[ARROW] = {"schema": {"type": "string", "format": "binary"}}
    app.post(
        f"/v1/models/{{model}}/{name}",
        operation_id=name.replace("-", "_"),
        summary=question.about,
        openapi_extra={"requestBody": {"content": content}},
        responses={status: {"description": text} for status, text in _STATUSES.items()},
    )(ask)


_STATUSES: dict[int | str, str] = {
    400: "not JSON, or not Arrow",
    401: "no token, or another one",
    404: "no such model",
    413: "too large",
    422: "cannot be answered; the message says why",
    503: "too many questions at once",
    504: "took too long",
}


def _add_about(app: FastAPI, service: Service) -> None:
    @app.get("/health", summary="Is the service there?")
    async def health() -> dict[str, str]:
        return {"status": "ok", "learnac": __version__}

    @app.get("/ready", summary="Can all models be asked?")
    async def ready() -> Response:
        models = await service.run(service.store.models)
        problems = service.store.problems
        is_ready = bool(models) and not problems
        document = {"status": "ready" if is_ready else "not ready", "models": sorted(models), "problems": problems}
        return Response(as_json(document), 200 if is_ready else 503, media_type=JSON)

    @app.get("/metrics", summary="What Prometheus reads.")
    async def metrics() -> Response:
        models = await service.run(service.store.models)
        return Response(service.metrics.text(len(models)), media_type="text/plain; version=0.0.4")

    @app.get("/v1/models", summary="The models, and what they are.")
    async def models() -> Response:
        found = await service.run(service.store.models)
        return Response(as_json({"models": [_described(served) for served in found.values()]}), media_type=JSON)

    @app.get("/v1/models/{model}", summary="A model: its variables and their categories.")
    async def model(model: str) -> Response:
        served = await service.found(model)
        schema = served.model.schema
        variables = [{"name": n, "categories": list(c)} for n, c in zip(schema.names, schema.categories, strict=True)]
        return Response(as_json({**_described(served), "variables": variables}), media_type=JSON)

    @app.get("/v1/models/{model}/explorer", summary="The explorer of a model: a page for a browser.")
    async def explorer(model: str) -> Response:
        from learnac.explore import explorer_page

        served = await service.found(model)
        page = await service.run(lambda: explorer_page(served.model, served.name))
        return Response(page, media_type="text/html", headers={"x-learnac-model": served.checksum})


def _described(served: Served) -> dict[str, Any]:
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
    headers = {"retry-after": "1"} if status == 503 else {"www-authenticate": "Bearer"} if status == 401 else {}
    error = {
        "status": status,
        "message": message,
        **{name: value for name, value in fields.items() if value is not None},
    }
    return Response(as_json({"error": error}), status, media_type=JSON, headers=headers)


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
    if token is None or request.url.path in _OPEN:
        return True
    given = request.headers.get("authorization", "")
    return hmac.compare_digest(given.encode(), f"Bearer {token}".encode())


def _query_in(path: str) -> str:
    """A label of which there are few, whatever people ask for."""
    last = path.rstrip("/").rpartition("/")[2]
    return last if last in QUESTIONS or last in ("health", "ready", "metrics", "models", "explorer") else "other"
