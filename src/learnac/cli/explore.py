"""The command `learnac explore`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from learnac.cli import query_options as options
from learnac.cli.command import Option

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
    """
    import webbrowser
    from tempfile import mkdtemp

    from learnac.cli.command import UsageError
    from learnac.cli.models import open_model
    from learnac.cli.output import print_json
    from learnac.errors import SizeError, placed
    from learnac.explore import explorer_page
    from learnac.files import check_writable, replacing

    if html is not None:
        if html.suffix.lower() not in (".html", ".htm"):
            raise UsageError(f"expected a name that ends in .html, found {html.name!r}", "--html")
        if html.resolve() == model.resolve():
            raise UsageError("expected another file than the model", "--html")
        check_writable(html)
    try:
        page = explorer_page(open_model(model), model.name).encode()
    except SizeError as error:
        raise placed(error, model) from None
    path = html or Path(mkdtemp(prefix="learnac-")) / f"{model.stem}.html"
    with replacing(path) as file:
        file.write(page)
    is_opened = html is None and webbrowser.open(path.resolve().as_uri())
    if as_json:
        print_json({"html": str(path), "bytes": len(page), "opened": bool(is_opened)})
    elif html is not None:
        print(f"wrote {path}: open it in a browser")
    else:
        print(f"{'opened' if is_opened else 'no browser could be opened: open'} {path}")
