"""The variable that a classifier predicts: training tables made of X and y, and rows to predict without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isnan
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from learnac.data import Dataset, Evidence, Schema, Soft, as_evidence
from learnac.data.documents import are_documents
from learnac.data.frame_columns import is_missing
from learnac.data.incomplete import (
    TrainingRows,
    as_rows,
    as_training_rows,
    of_partial_codes,
    partial_codes,
    with_later_categories,
)
from learnac.data.schema import UNKNOWN
from learnac.errors import DataError, listed
from learnac.types import PartialCodes


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The target of a schema, and its labels: in sorted order, as scikit-learn's metrics expect the classes."""

    schema: Schema
    features: Schema  # without the target
    name: str
    position: int
    classes: NDArray[Any]
    codes: NDArray[np.intp]  # of the classes, in their order

    @classmethod
    def of(cls, schema: Schema, name: str, like: NDArray[Any] | None = None) -> Self:
        """The target called `name`, with labels of the type of those in `like`."""
        position = schema.index(name)
        features = schema.some([i for i in range(schema.n_variables) if i != position])
        categories = schema.categories[position]
        codes = sorted(range(len(categories)), key=lambda code: categories[code])
        classes = _as_labels([categories[code] for code in codes], like)
        return cls(schema, features, name, position, classes, np.array(codes, dtype=np.intp))

    def evidence(self, X: object, soft: Soft | None = None) -> Evidence:
        """What is known of rows whose target is not: whatever X says of it has no say."""
        if isinstance(X, Evidence):
            known = as_evidence(self.schema, X)
            codes = known.codes.copy()
            codes[self.position] = UNKNOWN
            numbers = {variable: found for variable, found in known.numbers.items() if variable != self.position}
            return replace(X, codes=codes, numbers=numbers).with_soft(soft)
        return self._lifted(as_evidence(self.features, self.without(X))).with_soft(soft)

    def evidence_if_there(self, X: object) -> Evidence:
        """What is known of rows that have all columns, or all but the target."""
        if isinstance(X, Evidence) or self._has_target(X):
            return as_evidence(self.schema, X, may_lack_columns=False)
        return self._lifted(as_evidence(self.features, X, may_lack_columns=False))

    def labels_in(self, X: object) -> NDArray[Any]:
        """The labels that the rows of X have."""
        if not self._has_target(X):
            raise _no_target(self.name, self.features.names)
        frame = _frame(X)
        if frame is None:
            codes = as_evidence(self.schema, X).codes[self.position]
        else:
            column = frame.get_column(_label_in(frame, self.name))
            if self.schema.bins[self.position] is None:
                return np.asarray(column.to_numpy())
            codes = as_evidence(self.schema.some([self.position]), column.to_frame().to_native()).codes[0]
        if (codes < 0).any():
            row = int(np.argmax(codes < 0))
            raise DataError(f"row {row}: expected a label of {self.name!r}, found none", column=self.name, row=row)
        by_code = np.empty_like(self.classes)
        by_code[self.codes] = self.classes
        return by_code[codes]

    def table(self, X: object, y: object) -> TrainingRows:
        """X and y as one table of this schema."""
        labels, _ = read_labels(self.name, y)
        column = recoded(self.schema.some([self.position]), labels)
        features = as_rows(self.features, self.without(X))
        _check_as_many(features.n_rows, column.shape[1])
        codes = np.insert(partial_codes(features).astype(self.schema.evidence_dtype), self.position, column, axis=0)
        return of_partial_codes(self.schema, codes, self._shifted(features.numbers))

    def without(self, X: object) -> object:
        """X without the target, if it has it."""
        if isinstance(X, Mapping):
            return {name: value for name, value in X.items() if str(name) != self.name}
        if are_documents(X):
            return [self.without(row) for row in X]
        if not self._has_target(X):
            return X
        frame = _frame(X)
        if frame is not None:
            return frame.drop(_label_in(frame, self.name)).to_native()
        if isinstance(X, Dataset):
            return _without_column(X, self.name)
        table = X if isinstance(X, np.ndarray) else np.asarray(X)
        return table[:, [i for i in range(table.shape[1]) if i != self.position]]

    def _has_target(self, X: object) -> bool:
        """Whether a table has a column for the target: of an array, whether it has as many as the schema."""
        if isinstance(X, Dataset):
            return self.name in X.names
        if isinstance(X, Mapping) or are_documents(X):
            return True
        frame = _frame(X)
        if frame is not None:
            return self.name in [str(label) for label in frame.columns]
        return len(_shape(X)) == 2 and _shape(X)[1] == self.schema.n_variables

    def _lifted(self, evidence: Evidence) -> Evidence:
        """Evidence on the features, as evidence on all variables."""
        codes: PartialCodes = np.insert(
            evidence.codes.astype(self.schema.evidence_dtype), self.position, UNKNOWN, axis=0
        )
        variables = evidence.soft_variables + (evidence.soft_variables >= self.position).astype(np.uint32)
        return replace(
            evidence,
            schema=self.schema,
            codes=codes,
            soft_variables=variables,
            numbers=self._shifted(evidence.numbers),
            ranges=self._shifted(evidence.ranges),
        )

    def _shifted(self, by_variable: Mapping[int, NDArray[np.float64]]) -> dict[int, NDArray[np.float64]]:
        """What is by variables among the features, by variables among all."""
        return {variable + (variable >= self.position): found for variable, found in by_variable.items()}


def training_table(
    X: object, y: object, name: str, read: Callable[[Any], TrainingRows], classes: object = None
) -> tuple[TrainingRows, Target]:
    """X and y as one table, in which y is called `name`; or X alone, if it has a column of that name.

    `read` makes rows of a table. If there are both, y and the column, they must be the same. `classes` are labels that
    y may lack.
    """
    rows = read(X)
    if y is None:
        if name not in rows.schema.names:
            raise _no_target(name, rows.schema.names)
        joined, like = rows, _labels_of_column(X, name)
    else:
        labels, like = read_labels(name, y)
        if classes is not None:
            labels = with_later_categories(labels, pa.table({name: np.asarray(classes).tolist()}))
        _check_as_many(rows.n_rows, labels.n_rows)
        joined = _joined(rows, labels, name)
    if joined.schema.n_variables == 1:
        raise DataError(f"expected columns beside the target {name!r}, found none", column=name)
    return joined, Target.of(joined.schema, name, like)


def read_labels(name: str, y: Any) -> tuple[TrainingRows, NDArray[Any]]:
    """The labels of rows as a table of one column, with gaps where there is none; and as NumPy has the known ones."""
    series = nw.from_native(y, allow_series=True, pass_through=True)
    if isinstance(series, nw.Series):
        array = np.asarray(series.to_numpy())
        missing = is_missing(series)
    else:
        array, series = column_or_1d(y, warn=True), None
        missing = np.array([value is None or (isinstance(value, float) and isnan(value)) for value in array.tolist()])
    if len(missing) > 0 and missing.all():
        raise DataError("y: expected a label for some rows, found none")
    known = array[~missing] if missing.any() else array
    if missing.any() and known.dtype == object:
        known = np.array(known.tolist())  # Labels beside None are objects to NumPy, whatever they are.
    check_classification_targets(known)
    if series is not None:
        return as_training_rows(series.alias(name).to_frame().to_native(), as_category=[name]), known
    values, found = np.unique(known, return_inverse=True)
    schema = Schema((name,), (tuple(values.tolist()),))
    codes = np.full((1, len(array)), UNKNOWN, dtype=schema.evidence_dtype)
    codes[0, ~missing] = found.ravel()
    return of_partial_codes(schema, codes), known


def recoded(schema: Schema, labels: TrainingRows) -> PartialCodes:
    """Labels under the one column of another schema."""
    known = labels.codes[0] >= 0
    result = np.full((1, labels.n_rows), UNKNOWN, dtype=schema.evidence_dtype)
    if known.any():
        code_dtype = labels.schema.code_dtype
        result[0, known] = schema.encode(Dataset(labels.schema, labels.codes[:, known].astype(code_dtype)))
    return result


def _joined(rows: TrainingRows, labels: TrainingRows, name: str) -> TrainingRows:
    if name in rows.schema.names:
        _check_equal(rows, labels, name)
        return rows
    a, b = rows.schema, labels.schema
    schema = Schema(a.names + b.names, a.categories + b.categories, a.bins + b.bins, a.ordered + b.ordered, a.ignored)
    codes = np.concatenate([partial_codes(part).astype(schema.evidence_dtype) for part in (rows, labels)])
    return of_partial_codes(schema, codes, rows.numbers, rows.reports)


def _check_equal(rows: TrainingRows, labels: TrainingRows, name: str) -> None:
    column = rows.schema.index(name)
    # The last is for a code of -1: no label.
    found = np.array([*rows.schema.categories[column], None], dtype=object)[rows.codes[column]]
    stated = np.array([*labels.schema.categories[0], None], dtype=object)[labels.codes[0]]
    if (differs := found != stated).any():
        row = int(np.argmax(differs))
        raise DataError(
            f"row {row}: expected y to be the column {name!r} of the table, or the table to have no such column; "
            f"found {found[row]!r} in the column and {stated[row]!r} in y",
            column=name,
            row=row,
            expected=found[row],
            found=stated[row],
        )


def _check_as_many(n_rows: int, n_labels: int) -> None:
    if n_rows != n_labels:
        raise DataError(
            f"y: expected {n_rows} labels, one for each row of X, found {n_labels}", expected=n_rows, found=n_labels
        )


def _no_target(name: str, names: tuple[str, ...]) -> DataError:
    return DataError(
        f"LearnAC(target={name!r}) requires y to be passed, but the target y is None, and no column of X is called "
        f"{name!r}; there are {listed(names)}",
        column=name,
        expected=f"y, or a column {name!r}",
        found=names,
    )


def _labels_of_column(X: object, name: str) -> NDArray[Any] | None:
    frame = _frame(X)
    if frame is None:
        return None
    return np.asarray(frame.get_column(_label_in(frame, name)).head(1).to_numpy())


def _as_labels(categories: list[Any], like: NDArray[Any] | None) -> NDArray[Any]:
    kind = "" if like is None else like.dtype.kind
    if like is not None and kind in "biuf" and not any(isinstance(category, str) for category in categories):
        return np.array(categories, dtype=like.dtype)
    is_mixed = len({type(category) for category in categories}) > 1
    return np.array(categories, dtype=object if kind == "O" or is_mixed else None)


def _without_column(dataset: Dataset, name: str) -> Dataset:
    kept = [i for i, other in enumerate(dataset.names) if other != name]
    schema = dataset.schema.some(kept)
    numbers = {place: dataset.numbers[i] for place, i in enumerate(kept) if i in dataset.numbers}
    return Dataset(schema, dataset.codes[kept].astype(schema.code_dtype), numbers)


def _frame(X: object) -> Any:
    """X as narwhals has it, if it is a frame."""
    frame = nw.from_native(X, pass_through=True) if not isinstance(X, np.ndarray | list | tuple | Dataset) else None
    return frame if isinstance(frame, nw.DataFrame) else None


def _label_in(frame: Any, name: str) -> Any:
    return next(label for label in frame.columns if str(label) == name)


def _shape(X: Any) -> tuple[int, ...]:
    try:
        return np.shape(X)
    except ValueError:
        return ()  # Rows of different lengths: reported later.
