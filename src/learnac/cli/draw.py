"""The command `learnac draw`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from learnac.cli import query_options as options

EXAMPLE = "learnac draw model.learnac network.svg --around diagnosis"


def draw(
    model: options.ModelFile,
    picture: Annotated[Path, typer.Argument(metavar="PICTURE", help="A file: .svg, .png, .pdf or .dot.")],
    *,
    what: Annotated[
        Literal["network", "circuit"], typer.Option(help="The network, or the circuit if it is small.")
    ] = "network",
    tree: Annotated[
        str | None, typer.Option(metavar="NAME", help="The decision tree of this variable, instead.")
    ] = None,
    around: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Only these variables, their parents and children.")
    ] = None,
    max_depth: Annotated[int, typer.Option(metavar="N", min=0, help="Levels of the tree.")] = 3,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Draw what was learned. Pictures need the program `dot` of Graphviz; .dot files do not."""
    from learnac.cli.output import print_json
    from learnac.errors import QueryError
    from learnac.files import check_writable
    from learnac.io import read_model

    check_writable(picture)
    stored = read_model(model)
    if what == "circuit" and tree is None:
        drawing = stored.circuit.draw()
    elif stored.network is None:
        raise QueryError(f"{model}: expected a model with a network, found a circuit alone; say --what circuit")
    elif tree is not None:
        drawing = stored.network.draw_tree(tree, max_depth=max_depth)
    else:
        names = None if around is None else [name.strip() for name in around.split(",")]
        drawing = stored.network.draw(names)
    drawing.save(picture)
    if as_json:
        print_json({"out": str(picture)})
