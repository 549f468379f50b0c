"""CSV with its gaps filled: every other byte is as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from learnac.data.arrow_forms import FileRows, category_text
from learnac.data.csv_cells import CellSyntax, rows_of
from learnac.data.csv_files import CsvDialect
from learnac.data.evidence import Evidence
from learnac.data.forms import NumbersOf
from learnac.types import PartialCodes

_Spelling: TypeAlias = dict[tuple[int, int], bytes]  # by variable and code


@dataclass(frozen=True, slots=True, eq=False)
class CsvFilling:
    """The file that some evidence was read from, to be written again with `delimiter` between its cells."""

    path: Path
    dialect: CsvDialect
    evidence: Evidence
    delimiter: str

    def lines(self, blocks: Iterable[tuple[PartialCodes, NumbersOf]]) -> Iterator[bytes]:
        """The lines of the file. `blocks` are the completed codes (variables x rows) of some rows after the others, and
        the numbers of variables that are numbers.

        A gap is filled by the cell that the file itself has for the category, if it has one.
        """
        known, new = CellSyntax(self.dialect.delimiter.encode()), CellSyntax(self.delimiter.encode())
        places, spelling = self._places(), self._spelling(known)
        is_copied = known.delimiter == new.delimiter
        gaps = (self.evidence.codes < 0).T
        has_gap: NDArray[np.bool_] = np.asarray(gaps.any(axis=1))
        completed = (
            (row, {variable: column[place] for variable, column in numbers.items()})
            for block, numbers in blocks
            for place, row in enumerate(block.T)
        )
        for line, row in rows_of(known, self.path, self.dialect.has_header):
            codes, numbers = (None, {}) if row is None else next(completed)
            if is_copied and (row is None or not has_gap[row]):
                yield line
                continue
            cells, end = known.cells(line)
            if not is_copied:
                cells = [new.copied(cell) for cell in cells]
            if codes is not None and row is not None:
                for variable in np.flatnonzero(gaps[row]).tolist():
                    cell = spelling.get((variable, code := int(codes[variable])))
                    text = self._text(variable, code, numbers.get(variable))
                    cells[places[variable]] = new.quoted(text) if cell is None else new.copied(cell)
            yield new.delimiter.join(cells) + end

    def _text(self, variable: int, code: int, number: float | None) -> str:
        bins, categories = self.evidence.schema.bins[variable], self.evidence.schema.categories[variable]
        return category_text(categories[code]) if bins is None or number is None else bins.text(number)

    def _places(self) -> list[int]:
        form = self.evidence.form
        assert isinstance(form, FileRows)
        names = form.stored.schema.names
        return [names.index(name) for name in self.evidence.schema.names]

    def _spelling(self, syntax: CellSyntax) -> _Spelling:
        """How the file writes the categories that fill its gaps: by the first row that has each."""
        wanted: dict[int, list[tuple[int, int]]] = {}
        for variable, bins in enumerate(self.evidence.schema.bins):
            codes = self.evidence.codes[variable]
            if bins is None and codes.min() < 0:
                for code, row in _first_rows(codes):
                    wanted.setdefault(row, []).append((variable, code))
        found: _Spelling = {}
        if not wanted:
            return found
        places, last = self._places(), max(wanted)
        for line, number in rows_of(syntax, self.path, self.dialect.has_header):
            if number in wanted:
                cells, _ = syntax.cells(line)
                found.update({(variable, code): cells[places[variable]] for variable, code in wanted[number]})
            if number == last:
                break
        return found


def _first_rows(codes: NDArray[np.signedinteger]) -> list[tuple[int, int]]:
    """Each known code of a column, with the first row that has it."""
    values, rows = np.unique(codes, return_index=True)
    return [(code, row) for code, row in zip(values.tolist(), rows.tolist(), strict=True) if code >= 0]
