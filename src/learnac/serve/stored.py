"""The models that are served: files, or all files of a folder, read again when they change."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from threading import Lock

from learnac.errors import LearnacError
from learnac.io.convert import compiled, read_any
from learnac.model import Model

# Of several files with the same name, the one whose ending comes first is served.
SUFFIXES = (".learnac", ".bif", ".xmlbif", ".uai", ".bn", ".ac")
# How long a look at the disk is good for.
_FRESH_SECONDS = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Served:
    """A model as it was read, and the checksum of its file, which every answer names."""

    name: str
    file_name: str
    model: Model
    checksum: str
    stamp: tuple[int, int]  # size and time of the file


@dataclass(slots=True)
class ModelStore:
    """Models by name. Changes in place: a file that changes is read again; if it is broken then, the old one stays."""

    path: Path
    _models: Mapping[str, Served] = field(default_factory=dict)
    _problems: dict[str, str] = field(default_factory=dict)
    _looked_at: float = float("-inf")
    _lock: Lock = field(default_factory=Lock)

    def fresh(self) -> Mapping[str, Served] | None:
        """All of them at once, if the last look at the disk is not long ago."""
        return self._models if time.monotonic() - self._looked_at < _FRESH_SECONDS else None

    def models(self) -> Mapping[str, Served]:
        """All of them, after a look at the disk if the last one is a while ago."""
        with self._lock:
            if (found := self.fresh()) is None:
                self._look()
                self._looked_at = time.monotonic()
                found = self._models
            return found

    @property
    def problems(self) -> dict[str, str]:
        """By model, why its file could not be read, or read again."""
        return dict(self._problems)

    def _look(self) -> None:
        """Makes both dicts anew: whoever has the old ones reads on in them."""
        found, problems = {}, {}
        for name, path in self._paths().items():
            was = self._models.get(name)
            if was is not None:
                found[name] = was
            try:
                status = path.stat()
                stamp = (status.st_size, status.st_mtime_ns)
                if was is None or was.stamp != stamp:
                    found[name] = _read(name, path, stamp)
            except (LearnacError, OSError, ValueError, MemoryError) as error:
                problems[name] = " ".join(str(error).split())
        self._models, self._problems = found, problems

    def _paths(self) -> dict[str, Path]:
        if not self.path.is_dir():
            return {self.path.stem: self.path}
        files = [file for file in self.path.iterdir() if file.suffix.lower() in SUFFIXES and file.is_file()]
        files.sort(key=lambda file: (-SUFFIXES.index(file.suffix.lower()), file.name))
        return {file.stem: file for file in files}


def _read(name: str, path: Path, stamp: tuple[int, int]) -> Served:
    checksum = blake2b(path.read_bytes(), digest_size=16).hexdigest()
    model = read_any(path)
    if model.circuit is None:
        model = compiled(model, path)
    return Served(name, path.name, model, checksum, stamp)
