"""`Kind`: what the values of a column are."""

from enum import StrEnum


class Kind(StrEnum):
    """What the values of a column are."""

    BOOLEAN = "boolean"
    CATEGORICAL = "categorical"
    ORDERED = "ordered"
    NUMBER = "number"
    DATE = "date"
