"""A server of the application, until somebody ends it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from fastapi import FastAPI


def run(app: FastAPI, host: str, port: int, max_seconds: float, on_start: Callable[[str], None]) -> None:
    """Answers until Ctrl-C or SIGTERM. `on_start` is told the address as soon as requests are answered.

    A port of 0 takes a free one. Answers under way have `max_seconds` to end.
    """
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=max(1, int(max_seconds)),
        server_header=False,
    )
    listening = config.bind_socket()
    # Connections inherit it. Otherwise the second part of an answer waits 40 ms until the first is acknowledged:
    # asyncio sees to it only for sockets that were made for TCP by name.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    shown = f"[{host}]" if ":" in host else host

    class Announced(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            on_start(f"http://{shown}:{listening.getsockname()[1]}")

    Announced(config).run(sockets=[listening])
