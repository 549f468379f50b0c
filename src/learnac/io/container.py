"""The container of our own files (docs/formats/learnac.md): a header of JSON, arrays, and a checksum over all.

Safe to open from strangers: nothing is executed, no more than a small multiple of the file is allocated, and whoever
reads the header asks for each entry by its type.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac.errors import ModelFileError
from learnac.files import replace_file

MAGIC = b"\x89LEARNAC"
VERSION = 1
_PREFIX = struct.Struct("<8sII32s")  # magic, version, length of the header, checksum
_ALIGNMENT = 8
_DTYPES = ("|u1", "<u2", "<u4", "<u8", "|i1", "<i2", "<i4", "<i8", "<f4", "<f8")


@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """What such a file holds."""

    header: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]

    def entry(self, name: str, kind: type | tuple[type, ...]) -> Any:
        """An entry of the header, if it has the right type."""
        found = self.header.get(name)
        if not isinstance(found, kind):
            raise ModelFileError(f"the header's {name!r} is not what it should be")
        return found

    def array(self, name: str, kinds: str, n_dimensions: int = 1) -> NDArray[Any]:
        """An array, if its dtype is of one of the kinds ("u", "i", "f")."""
        found = self.arrays.get(name)
        if found is None or found.dtype.kind not in kinds or found.ndim != n_dimensions:
            raise ModelFileError(f"the array {name!r} is missing, or not what it should be")
        return found


def write_container(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes a file, all of it or nothing."""
    stored = {name: _as_stored(array) for name, array in arrays.items()}
    listing = [{"name": n, "dtype": a.dtype.str, "shape": list(a.shape)} for n, a in stored.items()]
    text = json.dumps({**header, "arrays": listing}, ensure_ascii=False, allow_nan=False).encode()
    text += b" " * (-(_PREFIX.size + len(text)) % _ALIGNMENT)
    blocks = [text]
    for array in stored.values():
        content = array.tobytes()
        blocks += [content, b"\0" * (-len(content) % _ALIGNMENT)]
    body = b"".join(blocks)
    checksum = _checksum(VERSION, len(text), body)
    replace_file(path, _PREFIX.pack(MAGIC, VERSION, len(text), checksum) + body)


def read_container(path: str | Path) -> Container:
    """The file's content, its checksum verified; ModelFileError for anything else than such a file."""
    content = Path(path).read_bytes()
    if not content.startswith(MAGIC[: len(content)]) or not content:
        raise ModelFileError("not a file of learnac")
    if len(content) < _PREFIX.size:
        raise ModelFileError("the file is cut short")
    _, version, n_header, checksum = _PREFIX.unpack_from(content)
    if version > VERSION:
        raise ModelFileError(f"written by a newer learnac: its format is {version}, and this one reads up to {VERSION}")
    body = memoryview(content)[_PREFIX.size :]
    if _checksum(version, n_header, body) != checksum:
        raise ModelFileError("the file is damaged or cut short: its checksum does not fit")
    header = _parse(bytes(body[:n_header]))
    return Container(header, _arrays(header.get("arrays"), body[n_header:]))


def _checksum(version: int, n_header: int, body: bytes | memoryview) -> bytes:
    digest = hashlib.blake2b(struct.pack("<II", version, n_header), digest_size=32)
    digest.update(body)
    return digest.digest()


def _as_stored(array: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers in the smallest dtype that holds them; everything little-endian."""
    if array.dtype.kind in "iu" and array.size > 0:
        smallest, largest = int(array.min()), int(array.max())
        names = _DTYPES[:4] if smallest >= 0 else _DTYPES[4:8]
        limits = [np.iinfo(np.dtype(name)) for name in names]
        name = next(n for n, i in zip(names, limits, strict=True) if i.min <= smallest and largest <= i.max)
        return np.ascontiguousarray(array, dtype=np.dtype(name))
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def _parse(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise ModelFileError("the header is not JSON") from None
    if not isinstance(header, dict):
        raise ModelFileError("the header is not a JSON object")
    return header


def _arrays(listing: object, body: memoryview) -> dict[str, NDArray[Any]]:
    if not isinstance(listing, list):
        raise ModelFileError("the header lists no arrays")
    arrays: dict[str, NDArray[Any]] = {}
    start = 0
    for item in listing:
        name, dtype, shape = _described(item)
        size = dtype.itemsize
        for length in shape:
            size *= length
        if size > len(body) - start:
            raise ModelFileError(f"the array {name!r} is longer than the file")
        arrays[name] = np.frombuffer(body[start : start + size], dtype=dtype).reshape(shape)
        start += size + -size % _ALIGNMENT
    return arrays


def _described(item: object) -> tuple[str, np.dtype[Any], tuple[int, ...]]:
    if isinstance(item, dict):
        name, dtype, shape = item.get("name"), item.get("dtype"), item.get("shape")
        is_shape = isinstance(shape, list) and all(type(length) is int and 0 <= length < 2**40 for length in shape)
        if isinstance(name, str) and dtype in _DTYPES and is_shape and isinstance(shape, list) and len(shape) <= 2:
            return name, np.dtype(dtype), tuple(shape)
    raise ModelFileError("the header describes an impossible array")
