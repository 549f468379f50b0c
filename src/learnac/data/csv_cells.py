"""The cells of CSV as they are written: lines and cells found as pyarrow finds them, without reading their values."""

from __future__ import annotations

import codecs
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.csv as pa_csv

from learnac.data.streams import open_stream

_BLOCK = 1 << 20
_LINE_ENDS = b"\r\n"
# What pyarrow takes for no value, unless it is quoted.
_NO_VALUE = frozenset(pa_csv.ConvertOptions().null_values)


@dataclass(frozen=True, slots=True)
class CellSyntax:
    """How cells are divided. Quotes count at the beginning of a cell only, as for pyarrow."""

    delimiter: bytes
    _cell: re.Pattern[bytes] = field(init=False, repr=False)
    _line: re.Pattern[bytes] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        mark = re.escape(self.delimiter)
        plain = rb"[^" + mark + rb"\r\n]*+"
        cell = rb'(?>"(?>(?:[^"]+|"")*+)"' + plain + rb'|(?!")' + plain + rb")"
        end = rb"(?>\r\n|\n|\r(?!\Z))"
        object.__setattr__(self, "_cell", re.compile(cell))
        object.__setattr__(self, "_line", re.compile(cell + rb"(?:" + mark + cell + rb")*+" + end))

    def lines(self, path: Path) -> Iterator[bytes]:
        """The lines of a file, with their ends; the last may have none. A line feed in quotes ends no line."""
        with open_stream(path) as stream:
            rest = stream.read(_BLOCK)
            if rest.startswith(codecs.BOM_UTF8):
                yield codecs.BOM_UTF8
                rest = rest[len(codecs.BOM_UTF8) :]
            while block := stream.read(max(_BLOCK, len(rest))):
                rest = yield from self._whole_lines(rest + block)
            rest = yield from self._whole_lines(rest)
            # A carriage return at the very end is an end, not the half of one.
            if rest:
                yield rest

    def _whole_lines(self, text: bytes) -> Generator[bytes, None, bytes]:
        """The lines that have an end, and what is left."""
        start = 0
        for found in self._line.finditer(text):
            if found.start() != start:
                break
            yield found[0]
            start = found.end()
        return text[start:]

    def cells(self, line: bytes) -> tuple[list[bytes], bytes]:
        """The cells of a line as they are written, and its end."""
        body = line.rstrip(_LINE_ENDS) if b'"' not in line else None
        if body is not None:
            return body.split(self.delimiter), line[len(body) :]
        cells, place = [], 0
        while (found := self._cell.match(line, place)) is not None:
            cells.append(found[0])
            place = found.end() + len(self.delimiter)
            if line[found.end() : place] != self.delimiter:
                return cells, line[found.end() :]
        return [*cells, line[place:]], b""  # A quote that the file does not close.

    def quoted(self, text: str) -> bytes:
        """A text as a cell, in quotes if it needs them."""
        if text in _NO_VALUE or any(sign in text for sign in ('"', "\r", "\n", self.delimiter.decode())):
            text = '"' + text.replace('"', '""') + '"'
        return text.encode()

    def copied(self, cell: bytes) -> bytes:
        """A cell that other signs divided, with quotes if it needs them here."""
        if self.delimiter in cell and not cell.startswith(b'"'):
            return b'"' + cell.replace(b'"', b'""') + b'"'
        return cell


def is_blank(line: bytes) -> bool:
    """Whether a line has no cells: pyarrow passes over it."""
    return line == codecs.BOM_UTF8 or line[:1] in (b"\r", b"\n")


def rows_of(syntax: CellSyntax, path: Path, has_header: bool) -> Iterator[tuple[bytes, int | None]]:
    """All lines of a file, with the number of their row; None for the header and what is no row."""
    row = -1 if has_header else 0
    for line in syntax.lines(path):
        if is_blank(line):
            yield line, None
            continue
        yield line, row if row >= 0 else None
        row += 1
