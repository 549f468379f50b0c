"""Tables that are not in memory: packed blocks of rows in a file without a name, gone with the process.

A block has bit columns, one for each value of a variable but the first, or codes where values are many or rows have
weights. What was written is read back block by block, by as many readers as there are, in threads too.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnac._core import PackedTable
from learnac.data.schema import Schema
from learnac.data.scratch import InMemory, ScratchFile

Floats = NDArray[np.float64]

# Bits of a block stay in the processor's cache while leaves are counted.
_MOST_BLOCK_BYTES = 1 << 22
_MOST_BLOCK_ROWS = 1 << 18


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a block is in the file."""

    offset: int
    n_rows: int
    first_row: int


class BlockTable:
    """A table in packed blocks, which may be larger than memory. Made by `BlockWriter`."""

    def __init__(
        self,
        schema: Schema,
        file: ScratchFile | InMemory,
        places: list[_Place],
        codec: _Codec,
        fingerprint: str,
        has_weights: bool,
        log_density: float,
    ) -> None:
        self.schema = schema
        self.fingerprint = fingerprint
        self.has_weights = has_weights
        self.log_density = log_density  # of all numbers within their intervals, which blocks do not have
        self._file, self._places, self._codec = file, places, codec
        self.n_rows = sum(place.n_rows for place in places)
        self.n_bytes_read = 0

    @property
    def n_bytes(self) -> int:
        """In the file."""
        return sum(self._codec.n_bytes(place.n_rows) for place in self._places)

    @property
    def n_blocks(self) -> int:
        return len(self._places)

    def rows_of(self, block: int) -> range:
        """The numbers of the rows of a block."""
        place = self._places[block]
        return range(place.first_row, place.first_row + place.n_rows)

    def packed(self, block: int, total_weight: float | None = None) -> PackedTable:
        """A block, ready to be counted; `total_weight` is that of all rows that are counted with it."""
        place = self._places[block]
        content = self._read(place.offset, self._codec.n_bytes(place.n_rows))
        return self._codec.unpack(content, place.n_rows, total_weight)

    def codes(self, block: int) -> NDArray[np.unsignedinteger[Any]]:
        """The codes of a block, (variables x rows)."""
        place = self._places[block]
        return self._codec.codes(self._read(place.offset, self._codec.n_bytes(place.n_rows)), place.n_rows)

    def weights(self, block: int) -> Floats | None:
        """Of the rows of a block, if rows have weights."""
        if not self.has_weights:
            return None
        place = self._places[block]
        return np.frombuffer(self._read(place.offset, place.n_rows * 8), np.float64)

    def _read(self, offset: int, n_bytes: int) -> bytearray | bytes:
        self.n_bytes_read += n_bytes
        return self._file.read(offset, n_bytes)

    def __repr__(self) -> str:
        return f"BlockTable({self.n_rows:,} rows in {self.n_blocks:,} blocks, {self.schema.describe()})"


class BlockWriter:
    """Takes codes batch by batch, and packs them into blocks. Changes in place."""

    def __init__(
        self,
        schema: Schema,
        folder: Path | None = None,
        *,
        has_weights: bool = False,
        file: ScratchFile | InMemory | None = None,
    ) -> None:
        self._schema = schema
        self._codec = _Codec(schema.arities.astype(np.uint32), schema.code_dtype, has_weights)
        self._file = ScratchFile(folder) if file is None else file
        self._places: list[_Place] = []
        self._digest = hashlib.blake2b(digest_size=16)
        self._waiting: list[tuple[NDArray[Any], Floats | None]] = []
        self._n_waiting = self._n_rows = 0
        self._log_density = 0.0

    def add(
        self, codes: NDArray[np.unsignedinteger[Any]], weights: Floats | None = None, log_density: float = 0.0
    ) -> None:
        """More rows: codes are (variables x rows); `log_density` is that of their numbers within their intervals."""
        self._log_density += log_density
        self._digest.update(np.ascontiguousarray(codes.T).tobytes())
        if weights is not None:
            self._digest.update(b"weights" + np.ascontiguousarray(weights).tobytes())
        self._waiting.append((codes, weights))
        self._n_waiting += codes.shape[1]
        if self._n_waiting >= self._codec.block_rows:
            self._write(self._n_waiting // self._codec.block_rows * self._codec.block_rows)

    def table(self) -> BlockTable:
        """The table of all rows. Nothing can be added to it."""
        if self._n_waiting > 0:
            self._write(self._n_waiting)
        self._file.flush()
        digest = self._digest.hexdigest()
        return BlockTable(
            self._schema,
            self._file,
            self._places,
            self._codec,
            digest,
            self._codec.has_weights,
            self._log_density,
        )

    def _write(self, n_rows: int) -> None:
        codes = np.concatenate([codes for codes, _ in self._waiting], axis=1)
        given = [weights for _, weights in self._waiting if weights is not None]
        weights = np.concatenate(given) if given else None
        for start in range(0, n_rows, self._codec.block_rows):
            rows = slice(start, min(start + self._codec.block_rows, n_rows))
            self._write_block(codes[:, rows], None if weights is None else weights[rows])
        self._n_waiting -= n_rows
        rest = codes[:, n_rows:].copy(), None if weights is None else weights[n_rows:].copy()
        self._waiting = [rest] if self._n_waiting else []

    def _write_block(self, codes: NDArray[Any], weights: Floats | None) -> None:
        offset = self._file.write(self._codec.pack(codes, weights))
        self._places.append(_Place(offset, codes.shape[1], self._n_rows))
        self._n_rows += codes.shape[1]


class _Codec:
    """How blocks of a table are written: weights first, then bits or codes."""

    def __init__(self, arities: NDArray[np.uint32], dtype: np.dtype[Any], has_weights: bool) -> None:
        self._arities = arities
        self._dtype = dtype
        self.has_weights = has_weights
        self._has_bits = not has_weights and PackedTable.wants_bits(arities)
        # Weights are counted row by row, from codes.
        row_bytes = int(arities.sum()) / 8 if self._has_bits else len(arities) * 8
        fitting = int(_MOST_BLOCK_BYTES / row_bytes) // 64 * 64
        self.block_rows = max(64, min(_MOST_BLOCK_ROWS, fitting))

    def n_bytes(self, n_rows: int) -> int:
        weights = n_rows * 8 if self.has_weights else 0
        if self._has_bits:
            return weights + int((self._arities - 1).sum()) * _n_words(n_rows) * 8
        return weights + len(self._arities) * n_rows * self._dtype.itemsize

    def pack(self, codes: NDArray[Any], weights: Floats | None) -> bytes:
        if not self._has_bits:
            return (b"" if weights is None else weights.tobytes()) + np.ascontiguousarray(codes).tobytes()
        n_columns, n_rows = int((self._arities - 1).sum()), codes.shape[1]
        packed = np.zeros((n_columns, _n_words(n_rows) * 8), np.uint8)
        column = 0
        for row, arity in zip(codes, self._arities, strict=True):
            for value in range(1, int(arity)):
                packed[column, : (n_rows + 7) // 8] = np.packbits(row == value, bitorder="little")
                column += 1
        return packed.tobytes()

    def unpack(self, content: bytearray | bytes, n_rows: int, total_weight: float | None) -> PackedTable:
        if self._has_bits:
            return PackedTable.from_bits(np.frombuffer(content, np.uint64), n_rows, self._arities)
        weights = np.frombuffer(content, np.float64, n_rows) if self.has_weights else np.empty(0)
        return PackedTable(self.codes(content, n_rows), self._arities, weights, total_weight)

    def codes(self, content: bytearray | bytes, n_rows: int) -> NDArray[Any]:
        if not self._has_bits:
            offset = n_rows * 8 if self.has_weights else 0
            return np.frombuffer(content, self._dtype, offset=offset).reshape(len(self._arities), n_rows)
        bits = np.frombuffer(content, np.uint8).reshape(-1, _n_words(n_rows) * 8)
        is_set = np.unpackbits(bits, axis=1, count=n_rows, bitorder="little")
        codes, column = np.zeros((len(self._arities), n_rows), self._dtype), 0
        for row, arity in zip(codes, self._arities, strict=True):
            for value in range(1, int(arity)):
                row[is_set[column] == 1] = value
                column += 1
        return codes


def _n_words(n_rows: int) -> int:
    return (n_rows + 63) // 64
