"""The command `learnac serve`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from learnac.cli.command import Argument, Completes, Option, UsageError
from learnac.cli.options import Debug

EXAMPLE = "learnac serve model.learnac --port 8000"
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_LIMITS = "Limits"
TOKEN = "LEARNAC_TOKEN"


def serve(
    models: Annotated[
        Path, Argument(metavar="MODEL", about="A model, or a folder of models.", completes=Completes.MODEL)
    ],
    *,
    host: Annotated[
        str, Option(metavar="ADDRESS", about=f"Where to listen. Other than this machine only with a token in {TOKEN}.")
    ] = "127.0.0.1",
    port: Annotated[int, Option(metavar="PORT", least=0, about="The port to listen on; 0 takes a free one.")] = 8000,
    max_body: Annotated[int, Option(metavar="MB", least=1, about="Largest body of a request.", panel=_LIMITS)] = 64,
    max_rows: Annotated[int, Option(metavar="N", least=1, about="Most rows of a request.", panel=_LIMITS)] = 100_000,
    max_seconds: Annotated[
        float, Option(metavar="SECONDS", least=0.01, about="Longest time for an answer.", panel=_LIMITS)
    ] = 30.0,
    threads: Annotated[
        int, Option(metavar="N", least=1, about="How many questions are answered at once.", panel=_LIMITS)
    ] = 2,
    debug: Debug = False,
) -> None:
    """Serve models over HTTP: every query, for one row or many, in JSON or Arrow.

    Needs `pip install 'learnac[serve]'`. If the environment has LEARNAC_TOKEN, every
    request must name it: Authorization: Bearer TOKEN. Ctrl-C or SIGTERM ends the
    service after the answers under way.
    """
    token = os.environ.get(TOKEN) or None
    if host not in _LOOPBACK and token is None:
        raise UsageError(f"others could ask, too: set a token in the variable {TOKEN} first", "--host")
    try:
        from learnac.serve.app import create_app
        from learnac.serve.running import run
        from learnac.serve.service import Limits
    except ModuleNotFoundError as error:
        raise UsageError(f"needs the package {error.name}: pip install 'learnac[serve]'") from None
    from learnac.errors import ModelFileError
    from learnac.serve.stored import ModelStore

    if not models.exists():
        raise FileNotFoundError(2, "No such file or directory", str(models))
    store = ModelStore(models)
    found = store.models()
    for name, problem in store.problems.items():
        if not models.is_dir():
            raise ModelFileError(problem)
        print(f"warning: {name}: {problem}", flush=True)
    names = ", ".join(found) or "no model yet"
    limits = Limits(max_body=max_body << 20, max_rows=max_rows, max_seconds=max_seconds, n_at_once=threads)
    run(
        create_app(store, limits, token),
        host,
        port,
        max_seconds,
        lambda address: print(f"serving {names} at {address}/v1/models; Ctrl-C ends it", flush=True),
    )
