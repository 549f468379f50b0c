"""Some of the rows of a `Dataset`, as NumPy and scikit-learn ask for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, cross_val_score, train_test_split

from learnac import DataError, Dataset, LearnAC

CODES = np.random.default_rng(0).integers(3, size=(60, 4))
# The value 3 is in no row: the schema of some rows has it nevertheless.
TABLE = Dataset.from_array(CODES, arities=4)
FRAME = Dataset.from_frame(pd.DataFrame({"size": ["s", "m", "s", "l"], "sold": [True, False, False, True]}))


@pytest.mark.parametrize(
    "rows",
    [
        slice(10, 20),
        slice(None, None, -7),
        [3, 1, 3],
        (5, 4),
        np.array([-1, 0]),
        np.array([7], dtype=np.uint8),
        CODES[:, 0] == 1,
        (CODES[:, 1] == 2).tolist(),
        pd.Series(CODES[:, 1] == 0),
    ],
)
def test_rows_are_those_of_numpy_under_the_same_schema(rows: Any) -> None:
    some = TABLE[rows]
    expected = CODES[
        list(rows) if isinstance(rows, tuple) else np.asarray(rows) if not isinstance(rows, slice) else rows
    ]
    np.testing.assert_array_equal(some.codes_by_row(), expected)
    assert some.schema is TABLE.schema
    assert not some.codes.flags.writeable
    assert some.codes.flags.c_contiguous
    assert some.shape == (len(some), 4) == expected.shape


def test_one_row_is_a_dict() -> None:
    assert FRAME[3] == FRAME[np.int64(-1)] == {"size": "l", "sold": True}
    assert list(FRAME)[:2] == [{"size": "s", "sold": True}, {"size": "m", "sold": False}]


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (60, IndexError, "expected a row from 0 to 59, found 60"),
        ([1, -61], IndexError, "expected a row from 0 to 59, found -61"),
        ([True, False], IndexError, "expected a mask of 60 rows, found one of 2"),
        ("x0", TypeError, "expected rows as a number, a slice, a mask or a list of numbers; found 'x0'"),
        ([0.5], TypeError, r"expected rows as a number, a slice, a mask or a list of numbers; found \[0.5\]"),
        ((slice(None), 1), TypeError, "expected rows as a number"),
        (slice(5, 5), DataError, "the table has no rows"),
        ([], DataError, "the table has no rows"),
    ],
)
def test_rows_that_are_not_there(rows: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        TABLE[rows]


def test_scikit_learn_splits_it() -> None:
    train, test = train_test_split(TABLE, test_size=0.25, random_state=0)
    codes_train, codes_test = train_test_split(CODES, test_size=0.25, random_state=0)
    np.testing.assert_array_equal(train.codes_by_row(), codes_train)
    np.testing.assert_array_equal(test.codes_by_row(), codes_test)
    assert sum(len(TABLE[rows]) for _, rows in KFold(4).split(TABLE)) == 60


def test_cross_validation_knows_categories_that_a_fold_lacks() -> None:
    codes = CODES.copy()
    codes[0, 0] = 3  # One row alone has it, so that some fold learns without.
    scores = cross_val_score(LearnAC(), Dataset.from_array(codes), cv=3)
    assert np.isfinite(scores).all()
