"""A cycle that a file states is refused, even if no number depends on it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from learnac.errors import ModelFileError
from learnac.io import read_bif, read_uai, read_xmlbif
from learnac.network import BayesNet

BIF = """
variable a { type discrete [ 2 ] { x, y }; }
variable b { type discrete [ 2 ] { x, y }; }
probability ( a | b ) { (x) 0.5, 0.5; (y) 0.5, 0.5; }
probability ( b | a ) { (x) 0.5, 0.5; (y) 0.5, 0.5; }
"""
UAI = "BAYES\n2\n2 2\n2\n2 0 1\n2 1 0\n4\n.5 .5 .5 .5\n4\n.5 .5 .5 .5\n"
VARIABLE = "<VARIABLE><NAME>{}</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>"
DEFINITION = "<DEFINITION><FOR>{}</FOR><GIVEN>{}</GIVEN><TABLE>.5 .5 .5 .5</TABLE></DEFINITION>"
PARTS = (VARIABLE.format("a"), VARIABLE.format("b"), DEFINITION.format("a", "b"), DEFINITION.format("b", "a"))
XMLBIF = f"<BIF><NETWORK>\n{''.join(PARTS)}</NETWORK></BIF>"


@pytest.mark.parametrize(("read", "text"), [(read_bif, BIF), (read_uai, UAI), (read_xmlbif, XMLBIF)])
def test_a_stated_cycle_is_refused(read: Callable[[str], BayesNet], text: str) -> None:
    with pytest.raises(ModelFileError, match=r"text: the network has a cycle: (\w+) <- \w+ <- \1"):
        read(text)
