"""From one format to another, by the names of the files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from learnac.circuit import Circuit
from learnac.compile import compile_network
from learnac.data import Schema
from learnac.errors import ModelFileError
from learnac.io.bif_reader import read_bif
from learnac.io.bif_writer import write_bif
from learnac.io.libra_ac_reader import read_ac
from learnac.io.libra_ac_writer import write_ac
from learnac.io.libra_bn_reader import read_bn
from learnac.io.libra_bn_writer import write_bn
from learnac.io.model_file import StoredModel, read_model, write_model
from learnac.network import BayesNet

READ = (".learnac", ".bif", ".bn", ".ac")
WRITTEN = (*READ, ".dot")


@dataclass(frozen=True, slots=True, eq=False)
class AnyModel:
    """A circuit, a network, or both, of one distribution."""

    circuit: Circuit | None
    network: BayesNet | None
    settings: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def schema(self) -> Schema:
        known = self.circuit or self.network
        assert known is not None
        return known.schema

    def with_circuit(self, max_edges: int) -> StoredModel:
        """The model with a circuit, compiled from the network if there is none yet."""
        circuit = self.circuit
        if circuit is None:
            assert self.network is not None
            try:
                circuit = compile_network(self.network, max_edges)
            except ValueError as error:
                raise ModelFileError(str(error)) from None
        return StoredModel(circuit, self.network, self.settings, self.provenance)


def read_any(path: Path) -> AnyModel:
    """The model in a file of any format that is read."""
    match _suffix(path, READ):
        case ".bif":
            return AnyModel(None, read_bif(path), {}, {"source": path.name})
        case ".bn":
            return AnyModel(None, read_bn(path), {}, {"source": path.name})
        case ".ac":
            return AnyModel(read_ac(path), None, {}, {"source": path.name})
        case _:
            stored = read_model(path)
            return AnyModel(stored.circuit, stored.network, stored.settings, stored.provenance)


def write_any(model: AnyModel, path: Path, max_edges: int = 1_000_000) -> None:
    """Writes a file of the format that its name asks for, all of it or nothing."""
    match _suffix(path, WRITTEN):
        case ".bif":
            write_bif(_network(model, path), path)
        case ".bn":
            write_bn(_network(model, path), path)
        case ".ac":
            write_ac(model.with_circuit(max_edges).circuit, path)
        case ".dot":
            (model.network or model.with_circuit(max_edges).circuit).draw().save(path)
        case _:
            write_model(model.with_circuit(max_edges), path)


def check_target(path: Path) -> None:
    """Complains about a name that says no format, before the work is done."""
    _suffix(path, WRITTEN)


def _network(model: AnyModel, path: Path) -> BayesNet:
    if model.network is None:
        raise ModelFileError(f"{path}: this format holds a network, and the model is a circuit alone")
    return model.network


def _suffix(path: Path, known: tuple[str, ...]) -> str:
    name = path.name.lower()
    suffix = Path(name.removesuffix(".gz")).suffix if known is READ else Path(name).suffix
    if suffix not in known:
        raise ModelFileError(f"{path}: expected a name that ends in {', '.join(known)}")
    return suffix
