"""`Interval`: what is known of a number that is not known itself, such as `age=30..40`, `age<30`, `age=[30, 40)`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from learnac.data.bins import Bins

_RANGE = re.compile(r"(?P<low>.*?)\s*\.\.\s*(?P<high>.*)")
_BRACKETS = re.compile(r"(?P<first>[\[(])\s*(?P<low>[^,]*?)\s*,\s*(?P<high>[^,]*?)\s*(?P<last>[\])])")
_COMPARED = re.compile(r"(?P<sign><=|>=|<|>)\s*(?P<end>.+)")


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from `low` to `high`, with both ends unless stated; an end that is None is open.

    The ends of an interval of dates are dates, or their texts.
    """

    low: object = None
    high: object = None
    with_low: bool = True
    with_high: bool = True

    def limits(self, bins: Bins) -> tuple[float, float] | None:
        """From where, and up to and without where, numbers of a column lie in it; None if an end is no number of it."""
        low = -math.inf if self.low is None else bins.number(self.low)
        high = math.inf if self.high is None else bins.number(self.high)
        if low is None or high is None or low > high:
            return None
        if not self.with_low:
            low = bins.limits(0.0, low, with_high=True)[1]
        return bins.limits(low, high, with_high=self.with_high)


def interval_of(text: str) -> Interval | None:
    """The interval that a text states: 30..40, <30, >=65, ..18, [30, 40); None if it is none."""
    text = text.strip()
    if (found := _BRACKETS.fullmatch(text)) and (found["low"] or found["high"]):
        with_low, with_high = found["first"] == "[", found["last"] == "]"
        return Interval(found["low"] or None, found["high"] or None, with_low, with_high)
    if found := _COMPARED.fullmatch(text):
        sign, end = found["sign"], found["end"]
        return Interval(high=end, with_high=sign == "<=") if sign[0] == "<" else Interval(end, with_low=sign == ">=")
    if (found := _RANGE.fullmatch(text)) and (found["low"] or found["high"]):
        return Interval(found["low"] or None, found["high"] or None)
    return None
