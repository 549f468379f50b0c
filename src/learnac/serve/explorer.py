"""The explorer of each model: a page that answers by itself or, of a large model, asks here."""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from pydantic import BaseModel, ConfigDict

from learnac.explore import answer_page, as_page_json, explorer_page, is_smooth, served_page
from learnac.serve.bodies import JSON, body_of, described
from learnac.serve.service import Service
from learnac.serve.stored import Served


class PageBody(BaseModel):
    """One message of the page."""

    model_config = ConfigDict(extra="forbid")
    operation: str
    given: dict[str, Any] = {}


_HOME = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>learnac</title>
<style>body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em }}</style>
<h1>Models</h1>
<ul>
{lines}</ul>
<p>Programs ask <a href="/v1/models">/v1/models</a>; <a href="/openapi.json">/openapi.json</a> says how.</p>
</html>
"""


def add_explorer(app: FastAPI, service: Service) -> None:
    address = "/v1/models/{model}/explorer"

    @app.get(
        "/",
        summary="The explorers of all models: a page for a browser.",
        response_class=Response,
        responses={200: {"content": described("text/html")}},
    )
    async def home() -> Response:
        names = sorted(await service.watched())
        lines = [f'<li><a href="/v1/models/{quote(name)}/explorer">{escape(name)}</a></li>\n' for name in names]
        return Response(_HOME.format(lines="".join(lines)), media_type="text/html")

    @app.get(
        address,
        summary="The explorer of a model: a page for a browser.",
        response_class=Response,
        responses={200: {"content": described("text/html")}},
    )
    async def explorer(model: str) -> Response:
        served = await service.found(model)
        page = await service.run(lambda: _page(served))
        return Response(page, media_type="text/html", headers={"x-learnac-model": served.checksum})

    @app.post(address, include_in_schema=False)
    async def ask(model: str, request: Request) -> Response:
        served = await service.found(model)
        content = await service.content(request)
        kind = request.headers.get("content-type", "")

        def work() -> bytes:
            body, _ = body_of(content, kind, dict(request.query_params), PageBody)
            return as_page_json(answer_page(served.model.require_circuit(), body.operation, body.given))

        return Response(await service.run(work), media_type=JSON, headers={"x-learnac-model": served.checksum})


def _page(served: Served) -> str:
    page = explorer_page if is_smooth(served.model.require_circuit()) else served_page
    return page(served.model, served.file_name)
