"""The command `learnac draw`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from learnac.cli import query_options as options
from learnac.cli.command import Argument, Completes, Option

if TYPE_CHECKING:
    from learnac.drawing import Drawing
    from learnac.network import BayesNet

EXAMPLE = "learnac draw model.learnac network.svg --around diagnosis"


def draw(
    model: options.ModelFile,
    picture: Annotated[
        Path,
        Argument(
            metavar="PICTURE",
            about="The file to write: .svg, .png, .pdf or .dot.",
            completes=Completes.PICTURE,
        ),
    ],
    *,
    what: Annotated[
        Literal["network", "circuit"], Option(about="What to draw: the network, or the circuit if it is small.")
    ] = "network",
    tree: Annotated[
        str | None,
        Option(
            metavar="NAME",
            about="Draw the decision tree of this variable instead.",
            completes=Completes.VARIABLES,
        ),
    ] = None,
    around: Annotated[
        str | None,
        Option(
            metavar="NAME,...",
            about="Draw only these variables with their parents and children.",
            completes=Completes.VARIABLES,
        ),
    ] = None,
    max_arcs: Annotated[
        int,
        Option(metavar="N", least=0, about="Draw at most this many arcs: the ones that gain the most log-likelihood."),
    ] = 300,
    max_depth: Annotated[
        int, Option(metavar="N", least=0, about="With --tree: how many levels of the tree to draw.")
    ] = 3,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Draw a model. Pictures need the program `dot` of Graphviz; .dot files do not."""
    from learnac.cli.output import print_json
    from learnac.drawing import PICTURE_SUFFIXES, TEXT_SUFFIXES
    from learnac.errors import LearnacError, QueryError
    from learnac.files import check_writable
    from learnac.io.convert import compiled, read_any

    if picture.suffix.lower() not in (*TEXT_SUFFIXES, *PICTURE_SUFFIXES):
        known = ", ".join((*PICTURE_SUFFIXES, *TEXT_SUFFIXES))
        raise QueryError(f"{picture}: expected a name that ends in one of {known}")
    check_writable(picture)
    stored = read_any(model)
    network = stored.structure
    if network is None and (what == "network" or tree is not None):
        raise QueryError(f"{model}: expected a model with a network, found only a circuit; use --what circuit")
    try:
        if network is None or (what == "circuit" and tree is None):
            drawing = compiled(stored, model).require_circuit().draw()
        else:
            drawing = _network_drawing(network, tree, around, max_arcs, max_depth)
        drawing.save(picture)
    except LearnacError:
        raise
    except (ValueError, RuntimeError) as error:  # An unknown name, too large to draw, or no `dot`.
        raise QueryError(str(error)) from error
    if as_json:
        print_json({"out": str(picture)})


def _network_drawing(network: BayesNet, tree: str | None, around: str | None, arcs: int, depth: int) -> Drawing:
    if tree is not None:
        return network.draw_tree(tree, max_depth=depth)
    return network.draw(None if around is None else [name.strip() for name in around.split(",")], max_arcs=arcs)
