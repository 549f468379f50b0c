"""What answers: in threads, as many questions at once as the limits allow, for as long as they allow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from fastapi import Request

from learnac.serve.bodies import Refused
from learnac.serve.metrics import Metrics
from learnac.serve.stored import ModelStore, Served


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

    async def watched(self) -> Mapping[str, Served]:
        """The models, for those who watch the service: also if all its threads are busy."""
        return await asyncio.to_thread(self.store.models)

    async def found(self, name: str) -> Served:
        models = self.store.fresh()
        if models is None:  # Reading files takes a while.
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
