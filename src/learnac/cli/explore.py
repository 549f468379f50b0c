"""The command `learnac explore`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from learnac.cli import query_options as options
from learnac.cli.command import Option, UsageError
from learnac.cli.output import print_json

EXAMPLE = "learnac explore model.learnac --html model.html"


def explore(
    model: options.ModelFile,
    *,
    html: Annotated[
        Path | None,
        Option(metavar="FILE", about="Write the page to this file (.html), and do not open it."),
    ] = None,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Look at a model and ask it in the browser.

    The page is one file that works offline, with no server: all answers are worked
    out in it, exactly. Without --html, it is written to a temporary file and opened.
    A model of more than 300,000 edges is answered by this command, until Ctrl-C ends
    it; that needs `pip install 'learnac[serve]'`.
    """
    from tempfile import mkdtemp

    from learnac.cli.models import open_model
    from learnac.errors import SizeError, placed
    from learnac.explore import explorer_page, is_smooth
    from learnac.files import check_writable, replacing

    if html is not None:
        _check_name(html, model)
        check_writable(html)
    found = open_model(model)
    if html is None and not is_smooth(found.require_circuit()):
        return _serve(model, found.require_circuit().n_edges, as_json)
    try:
        page = explorer_page(found, model.name).encode()
    except SizeError as error:
        raise placed(error, model) from None
    path = html or Path(mkdtemp(prefix="learnac-")) / f"{model.stem}.html"
    with replacing(path) as file:
        file.write(page)
    if html is None:
        _open(path.resolve().as_uri(), str(path), {"html": str(path), "bytes": len(page)} if as_json else None)
    elif as_json:
        print_json({"html": str(path), "bytes": len(page), "opened": False})
    else:
        print(f"wrote {path}: open it in a browser")
    return None


def _check_name(html: Path, model: Path) -> None:
    if html.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"expected a name that ends in .html, found {html.name!r}", "--html")
    if html.resolve() == model.resolve():
        raise UsageError("expected another file than the model", "--html")


def _serve(model: Path, n_edges: int, as_json: bool) -> None:
    """Answers the page of a large model from here."""
    from urllib.parse import quote

    try:
        from learnac.serve.app import create_app
        from learnac.serve.running import run
        from learnac.serve.service import Limits
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{model}: {n_edges:,} edges are too many for a browser alone, and serving them needs the package "
            f"{error.name}: pip install 'learnac[serve]'"
        ) from None
    from learnac.serve.stored import ModelStore

    if not as_json:
        print(f"{model.name}: {n_edges:,} edges are too many for a browser alone, so they are answered from here")

    def on_start(address: str) -> None:
        page = f"{address}/v1/models/{quote(model.stem, safe='')}/explorer"
        _open(page, f"{page}; Ctrl-C ends it", {"address": page} if as_json else None)

    run(create_app(ModelStore(model), Limits()), "127.0.0.1", 0, 1.0, on_start)


def _open(address: str, shown: str, document: dict[str, object] | None) -> None:
    """Opens an address, and says so: in words, or in JSON if there is a document for it."""
    import webbrowser

    is_opened = bool(webbrowser.open(address))
    if document is not None:
        print_json({**document, "opened": is_opened})
    else:
        print(f"{'opened' if is_opened else 'no browser could be opened: open'} {shown}", flush=True)
