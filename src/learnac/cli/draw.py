"""The command `learnac draw`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from learnac.cli import query_options as options
from learnac.cli.command import Argument, Option

if TYPE_CHECKING:
    from learnac.circuit import Circuit
    from learnac.drawing import Drawing
    from learnac.model import Model

EXAMPLE = "learnac draw model.learnac network.svg --around diagnosis"


def draw(
    model: options.ModelFile,
    picture: Annotated[Path, Argument(metavar="PICTURE", about="A file: .svg, .png, .pdf or .dot.")],
    *,
    what: Annotated[
        Literal["network", "circuit"], Option(about="The network, or the circuit if it is small.")
    ] = "network",
    tree: Annotated[str | None, Option(metavar="NAME", about="The decision tree of this variable, instead.")] = None,
    around: Annotated[
        str | None, Option(metavar="NAME,...", about="Only these variables, their parents and children.")
    ] = None,
    max_depth: Annotated[int, Option(metavar="N", least=0, about="Levels of the tree.")] = 3,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Draw what was learned. Pictures need the program `dot` of Graphviz; .dot files do not."""
    from learnac.cli.output import print_json
    from learnac.drawing import PICTURE_SUFFIXES, TEXT_SUFFIXES
    from learnac.errors import LearnacError, QueryError
    from learnac.files import check_writable
    from learnac.io.convert import read_any

    if picture.suffix.lower() not in (*TEXT_SUFFIXES, *PICTURE_SUFFIXES):
        known = ", ".join((*PICTURE_SUFFIXES, *TEXT_SUFFIXES))
        raise QueryError(f"{picture}: expected a name that ends in one of {known}")
    check_writable(picture)
    stored = read_any(model)
    if stored.network is None and (what == "network" or tree is not None):
        raise QueryError(f"{model}: expected a model with a network, found a circuit alone; say --what circuit")
    try:
        _drawn(stored, model, what, tree, around, max_depth).save(picture)
    except LearnacError:
        raise
    except (ValueError, RuntimeError) as error:  # An unknown name, too large to draw, or no `dot`.
        raise QueryError(str(error)) from error
    if as_json:
        print_json({"out": str(picture)})


def _with_circuit(stored: Model, path: Path) -> Circuit:
    from learnac.io.convert import compiled

    return compiled(stored, path).require_circuit()


def _drawn(stored: Model, path: Path, what: str, tree: str | None, around: str | None, max_depth: int) -> Drawing:
    if stored.network is None or (what == "circuit" and tree is None):
        return _with_circuit(stored, path).draw()
    if tree is not None:
        return stored.network.draw_tree(tree, max_depth=max_depth)
    return stored.network.draw(None if around is None else [name.strip() for name in around.split(",")])
