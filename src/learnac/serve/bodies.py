"""Bodies of requests and answers: JSON, and Arrow streams for tables."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError

JSON = "application/json"
ARROW = "application/vnd.apache.arrow.stream"

Body = TypeVar("Body", bound=BaseModel)


class Refused(Exception):  # noqa: N818
    """A request that gets no answer: its status, and one line that says why. Fields are for programs."""

    def __init__(self, status: int, message: str, **fields: Any) -> None:
        super().__init__(message)
        self.status = status
        self.fields = fields


def described(kind: str, **more: str) -> dict[str, Any]:
    """A body that is no JSON, for the OpenAPI document."""
    return {kind: {"schema": {"type": "string", **more}}}


def body_of(content: bytes, kind: str, stated: Mapping[str, str], body: type[Body]) -> tuple[Body, Any]:
    """The body of a question, and the table of its rows if it is one in Arrow; then its settings are in the address."""
    kind = kind.partition(";")[0].strip().lower()
    if kind == ARROW:
        return _validated(body, {name: _parsed(text, body, name) for name, text in stated.items()}), _table(content)
    if kind not in (JSON, ""):
        raise Refused(415, f"expected a body of type {JSON} or {ARROW}, found {kind}")
    if stated:
        raise Refused(422, f"expected everything in the body, found {next(iter(stated))!r} in the address")
    try:
        document = json.loads(content or b"{}", parse_constant=_no_constant)
    except (ValueError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(400, f"expected JSON, found something else: {error}") from None
    if not isinstance(document, dict):
        raise Refused(422, f"expected a JSON object, found {type(document).__name__}")
    return _validated(body, document), None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _parsed(text: str, body: type[BaseModel], name: str) -> Any:
    """What stands in the address: JSON, or a text as it is where one is expected, and where it is no JSON."""
    if name in body.model_fields and body.model_fields[name].annotation is str:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _validated(body: type[Body], document: dict[str, Any]) -> Body:
    try:
        return body.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"] if not str(part).startswith(("dict[", "list[")))
        raise Refused(422, f"{place or 'body'}: {first['msg']}", field=place) from None


def _table(content: bytes) -> Any:
    import pyarrow as pa

    try:
        return pa.ipc.open_stream(content).read_all()
    except (pa.ArrowInvalid, OSError, ValueError) as error:
        raise Refused(400, f"expected an Arrow stream, found something else: {' '.join(str(error).split())}") from None


def as_json(document: Any) -> bytes:
    """JSON has no infinities: null stands for what is not finite."""
    return json.dumps(_plain(document), ensure_ascii=False, allow_nan=False).encode(
        errors="backslashreplace"  # Half of a pair of surrogates, which a request may have as an escape.
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def as_arrow(columns: Mapping[str, Any]) -> bytes:
    import pyarrow as pa

    table = pa.table(dict(columns))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())
