"""A frame's column with its gaps filled: it keeps its type, and every value that was known."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from narwhals import Series
from numpy.typing import NDArray

from learnac.data.number_text import number_text


def filled(given: Series[Any], plain: Series[Any], filler: Series[Any], is_gap: NDArray[np.bool_]) -> Series[Any]:
    """The column `given` with the values of `filler` in its gaps; `plain` is the same with plain categories.

    A column whose type cannot hold the filler becomes one of wider numbers, or of strings.
    """
    if is_gap.all() and filler.dtype != given.dtype:
        return filler
    if filler.dtype != given.dtype and filler.dtype.is_integer() and given.dtype.is_numeric():
        wide = nw.Int64 if given.dtype.is_integer() else nw.Float64
        given, filler = given.cast(wide), filler.cast(wide)
    if filler.dtype != given.dtype and filler.dtype not in (nw.String, nw.Object):
        filler = _cast_like(filler, given)
    if given.implementation.is_pandas():
        return _filled_by_pandas(given, plain, filler, is_gap)
    if filler.dtype != given.dtype and not _are_one_type(filler, given):
        return _as_texts(plain, filler, is_gap)
    if isinstance(native := given.to_native(), pa.ChunkedArray):
        return nw.from_native(_filled_by_pyarrow(native, filler.to_native(), is_gap), series_only=True)
    mask = nw.new_series("mask", is_gap.tolist(), nw.Boolean, backend=given.implementation)
    return filler.zip_with(mask, given)


def _cast_like(filler: Series[Any], given: Series[Any]) -> Series[Any]:
    """Numbers or points in time in a type that narwhals has no word for; as they are if that cannot hold them."""
    native: Any = given.to_native()
    if not isinstance(native, pa.ChunkedArray) or pa.types.is_string(native.type):
        return filler
    with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return nw.from_native(filler.to_native().cast(native.type, safe=False), series_only=True)
    return filler


def _filled_by_pandas(
    given: Series[Any], plain: Series[Any], filler: Series[Any], is_gap: NDArray[np.bool_]
) -> Series[Any]:
    """In a copy, in place: pandas then keeps the type, and what is no more than an object to it."""
    native, rows = given.to_native(), np.flatnonzero(is_gap)
    if str(native.dtype) == "category":
        return nw.from_native(_with_categories(native, filler, rows), series_only=True)
    values = filler.to_native()
    if given.dtype == nw.Object and plain.dtype != nw.Object:
        values = _as_objects(native, values, is_gap)
    are_times = given.dtype in (nw.Date, nw.Datetime) and filler.dtype in (nw.Date, nw.Datetime)
    if are_times or (given.dtype.is_numeric() and filler.dtype.is_numeric()):
        values = values.astype(native.dtype)  # Numbers of pandas and those of NumPy are two types of one name.
    if values.dtype != native.dtype or _are_numbers_and_labels(native, values, is_gap):
        return _as_texts(plain, filler, is_gap)
    native = native.copy()
    native.iloc[rows] = values.iloc[rows].array
    return nw.from_native(native, series_only=True)


def _are_one_type(filler: Series[Any], given: Series[Any]) -> bool:
    native: Any = given.to_native()
    return isinstance(native, pa.ChunkedArray) and native.type == filler.to_native().type


def _filled_by_pyarrow(native: Any, values: Any, is_gap: NDArray[np.bool_]) -> Any:
    both = pa.concat_arrays([*native.chunks, *values.chunks])
    places = np.where(is_gap, len(native) + np.arange(len(native)), np.arange(len(native)))
    return pa.chunked_array([both.take(pa.array(places))])


def _as_objects(native: Any, values: Any, is_gap: NDArray[np.bool_]) -> Any:
    """Values as the objects of a column are: dates, points in time, decimals."""
    kinds = {type(value) for value in native[~is_gap]}
    if kinds == {Decimal}:
        made = [Decimal(number_text(value)) for value in values.tolist()]
    else:
        made = [value.date() if kinds == {date} else value.to_pydatetime() for value in values]
    return type(native)(made, index=values.index, dtype=object)


def _are_numbers_and_labels(native: Any, values: Any, is_gap: NDArray[np.bool_]) -> bool:
    """Whether objects would be numbers in some rows and labels of their intervals in others."""
    if native.dtype != object or not isinstance(values.iloc[0], str):
        return False
    return any(isinstance(value, Real) for value in native[~is_gap])


def _with_categories(native: Any, filler: Series[Any], rows: NDArray[np.intp]) -> Any:
    """A categorical column; categories that it does not declare are added. Intervals go by the names they print as."""
    wanted = filler.to_native().iloc[rows].tolist()
    kinds = native.cat.categories
    is_interval = str(kinds.dtype).startswith("interval")
    known = {str(kind) if is_interval else kind: kind for kind in kinds}
    if missing := [value for value in dict.fromkeys(wanted) if value not in known]:
        if is_interval:
            native, known = native.cat.rename_categories(str), {name: name for name in known}
        native = native.cat.add_categories(missing)
        known.update({value: value for value in missing})
    places = native.cat.categories.get_indexer([known[value] for value in wanted])
    codes = native.cat.codes.to_numpy().copy()
    codes[rows] = places
    made = type(native.array).from_codes(codes, dtype=native.dtype)
    return type(native)(made, index=native.index, name=native.name)


def _as_texts(known: Series[Any], filler: Series[Any], is_gap: NDArray[np.bool_]) -> Series[Any]:
    pairs = zip(known.to_list(), filler.to_list(), is_gap.tolist(), strict=True)
    texts = [str(new) if gap else _text(value) for value, new, gap in pairs]
    return nw.new_series(known.name, texts, backend=known.implementation)


def _text(value: object) -> str:
    return number_text(value) if isinstance(value, float) else str(value)
