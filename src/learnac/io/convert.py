"""From one format to another, by the names of the files."""

from __future__ import annotations

from pathlib import Path

from learnac.compile import compile_model
from learnac.compile.compiler import MAX_EDGES
from learnac.errors import ModelFileError
from learnac.io.bif_reader import read_bif
from learnac.io.bif_writer import write_bif
from learnac.io.libra_ac_reader import read_ac
from learnac.io.libra_ac_writer import write_ac
from learnac.io.libra_bn_reader import read_bn
from learnac.io.libra_bn_writer import write_bn
from learnac.io.model_file import read_model, write_model
from learnac.model import Model
from learnac.network import BayesNet

READ = (".learnac", ".bif", ".bn", ".ac")
WRITTEN = (*READ, ".dot")


def read_any(path: Path) -> Model:
    """The model in a file of any format that is read."""
    source = {"source": path.name}
    match _suffix(path, READ):
        case ".bif":
            return Model(network=read_bif(path), provenance=source)
        case ".bn":
            return Model(network=read_bn(path), provenance=source)
        case ".ac":
            return Model(circuit=read_ac(path), provenance=source)
        case _:
            return read_model(path)


def write_any(model: Model, path: Path, max_edges: int = MAX_EDGES) -> None:
    """Writes a file of the format that its name asks for, all of it or nothing."""
    match _suffix(path, WRITTEN):
        case ".bif":
            write_bif(_network(model, path), path)
        case ".bn":
            write_bn(_network(model, path), path)
        case ".ac":
            write_ac(_compiled(model, max_edges).require_circuit(), path)
        case ".dot":
            (model.network or model.require_circuit()).draw().save(path)
        case _:
            write_model(_compiled(model, max_edges), path)


def check_target(path: Path) -> None:
    """Complains about a name that says no format, before the work is done."""
    _suffix(path, WRITTEN)


def _network(model: Model, path: Path) -> BayesNet:
    if model.network is None:
        raise ModelFileError(f"{path}: this format holds a network, and the model is a circuit alone")
    return model.network


def _compiled(model: Model, max_edges: int) -> Model:
    try:
        return compile_model(model, max_edges)
    except ValueError as error:
        raise ModelFileError(str(error)) from None


def _suffix(path: Path, known: tuple[str, ...]) -> str:
    name = path.name.lower()
    suffix = Path(name.removesuffix(".gz")).suffix if known is READ else Path(name).suffix
    if suffix not in known:
        raise ModelFileError(f"{path}: expected a name that ends in {', '.join(known)}")
    return suffix
