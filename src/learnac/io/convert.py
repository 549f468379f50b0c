"""Models in files of any format, told by the names of the files; from one format to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from learnac.circuit import Mixture, as_circuit
from learnac.compiler import compile_model
from learnac.compiler.budget import MAX_EDGES
from learnac.drawing import Drawing
from learnac.errors import LearnacError, ModelFileError, placed
from learnac.io.bif_reader import read_bif
from learnac.io.bif_writer import write_bif
from learnac.io.container import MAGIC
from learnac.io.libra_ac_reader import read_ac
from learnac.io.libra_ac_writer import write_ac
from learnac.io.libra_bn_reader import read_bn
from learnac.io.libra_bn_writer import write_bn
from learnac.io.model_file import read_model, write_model
from learnac.io.uai import read_uai, write_uai
from learnac.io.xmlbif_reader import read_xmlbif
from learnac.model import Model
from learnac.network import BayesNet

READ = (".learnac", ".bif", ".xmlbif", ".uai", ".bn", ".ac")
WRITTEN = (".learnac", ".bif", ".uai", ".bn", ".ac", ".dot")


_NETWORK_READERS: dict[str, Callable[[Path], BayesNet]] = {
    ".bif": read_bif,
    ".xmlbif": read_xmlbif,
    ".bifxml": read_xmlbif,
    ".uai": read_uai,
    ".bn": read_bn,
}


def read_any(path: Path) -> Model:
    """The model in a file of any format that is read. One of our own may have any name."""
    suffix = _suffix(path, compressed=True)
    source = {"source": path.name}
    if suffix in _NETWORK_READERS:
        return Model(network=_NETWORK_READERS[suffix](path), provenance=source)
    if suffix == ".ac":
        return Model(circuit=read_ac(path), provenance=source)
    if suffix == ".learnac" or _is_ours(path):
        return read_model(path)
    raise _no_format(path, READ)


def compiled(model: Model, path: Path, max_edges: int = MAX_EDGES) -> Model:
    """The model with a circuit. SizeError, with the file's name, if it would need more than `max_edges` edges."""
    with _naming(path):
        return compile_model(model, max_edges)


def write_any(model: Model, path: Path, max_edges: int = MAX_EDGES) -> None:
    """Writes a file of the format that its name asks for, all of it or nothing."""
    check_target(path)
    with _naming(path):
        _write(model, path, max_edges)


def _write(model: Model, path: Path, max_edges: int) -> None:
    match _suffix(path):
        case ".bif":
            write_bif(_network(model), path)
        case ".uai":
            write_uai(_network(model), path)
        case ".bn":
            write_bn(_network(model), path)
        case ".ac":
            write_ac(as_circuit(compile_model(model, max_edges).require_circuit()), path)
        case ".dot":
            _drawing(model).save(path)
        case _:
            write_model(compile_model(model, max_edges), path)


def _drawing(model: Model) -> Drawing:
    """With all arcs, for this is a format for programs too."""
    return model.require_circuit().draw() if model.structure is None else model.structure.draw(max_arcs=None)


def check_target(path: Path) -> None:
    """Complains about a name that says no format, before the work is done."""
    if _suffix(path) not in WRITTEN:
        raise _no_format(path, WRITTEN)


def _network(model: Model) -> BayesNet:
    if model.network is None:
        found = "a mixture, which no network equals" if isinstance(model.circuit, Mixture) else "only a circuit"
        raise ModelFileError(f"this format holds a network, but the model is {found}")
    return model.network


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _suffix(path: Path, *, compressed: bool = False) -> str:
    name = path.name.lower()
    return Path(name.removesuffix(".gz") if compressed else name).suffix


def _no_format(path: Path, known: tuple[str, ...]) -> ModelFileError:
    return ModelFileError(f"{path}: expected a name that ends in {', '.join(known)}")


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Puts the file's name before a complaint about the model that is made for it."""
    try:
        yield
    except LearnacError as error:
        raise placed(error, path, source=str(path)) from None
    except ValueError as error:
        raise ModelFileError(f"{path}: {error}", source=str(path)) from None
