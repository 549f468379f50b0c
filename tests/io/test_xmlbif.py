"""XMLBIF: the order of its numbers, what other tools write, and malformed files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from random_networks import random_network

from learnac import LearnacError, infer
from learnac.compiler import compile_network
from learnac.io import read_xmlbif, write_bif

EXAMPLE = """<?xml version="1.0" encoding="US-ASCII"?>
<!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> ]>
<BIF VERSION="0.3">
<NETWORK>
<NAME>Dogs</NAME>
<VARIABLE TYPE="nature"><NAME>out</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>bowel</NAME><OUTCOME>ill</OUTCOME><OUTCOME>well</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>dog</NAME><OUTCOME>a</OUTCOME><OUTCOME>b</OUTCOME><OUTCOME>c</OUTCOME></VARIABLE>
<DEFINITION><FOR>out</FOR><TABLE>0.15 0.85</TABLE></DEFINITION>
<DEFINITION><FOR>bowel</FOR><TABLE>0.01 0.99</TABLE></DEFINITION>
<DEFINITION><FOR>dog</FOR><GIVEN>bowel</GIVEN><GIVEN>out</GIVEN>
  <TABLE>0.9 0.1 0.0  0.8 0.1 0.1 <!-- a comment --> 0.2 0.3 0.5  1 0 0</TABLE></DEFINITION>
</NETWORK>
</BIF>
"""


def test_the_child_changes_fastest_and_the_first_parent_slowest() -> None:
    circuit = compile_network(read_xmlbif(EXAMPLE))
    np.testing.assert_allclose(infer.marginals(circuit, {"bowel": "ill", "out": "no"})["dog"], [0.8, 0.1, 0.1])
    np.testing.assert_allclose(infer.marginals(circuit, {"bowel": "well", "out": "yes"})["dog"], [0.2, 0.3, 0.5])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(5))
def test_what_pyagrum_writes_is_read(seed: int, tmp_path: Path) -> None:
    gum = pytest.importorskip("pyagrum")
    network = random_network(seed, (2, 3, 4, 2), zeros=0.1)
    write_bif(network, tmp_path / "a.bif")
    gum.saveBN(gum.loadBN(str(tmp_path / "a.bif")), str(tmp_path / "a.bifxml"))
    found = read_xmlbif(tmp_path / "a.bifxml")
    expected = infer.marginals(compile_network(network), {"x1": 1})
    for name, table in infer.marginals(compile_network(found), {"x1": "1"}).items():
        np.testing.assert_allclose(table, expected[name], atol=1e-6)


def changed(old: str, new: str) -> str:
    assert EXAMPLE.count(old) >= 1
    return EXAMPLE.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (changed("</BIF>", "</BOF>"), "expected XML: mismatched tag"),
        ("<a>\n</a>", "expected <BIF> with a <NETWORK>, found <a>"),
        ("<BIF>\n<NETWORK/></BIF>", "expected at least one <VARIABLE>, found none"),
        (changed("<NAME>out</NAME>", ""), "expected one <NAME> in each <VARIABLE>, found"),
        (changed("<NAME>out</NAME>", "<NAME>dog</NAME>"), "variable 'dog' is defined twice"),
        (changed('TYPE="nature"', 'TYPE="utility"'), "variable 'out': expected a variable of TYPE nature"),
        (changed("<OUTCOME>no</OUTCOME>", "<OUTCOME>yes</OUTCOME>"), "variable 'out': expected different <OUTCOME>s"),
        (changed("<FOR>out</FOR>", "<FOR>cat</FOR>"), "no variable is called 'cat'"),
        (changed("<FOR>out</FOR>", "<FOR>bowel</FOR>"), "the probabilities of 'bowel' are given twice"),
        (changed("<DEFINITION><FOR>out</FOR><TABLE>0.15 0.85</TABLE></DEFINITION>", ""), "variable 'out' has no"),
        (changed("<GIVEN>bowel</GIVEN>", "<GIVEN>dog</GIVEN>"), "expected different parents of 'dog', none of them"),
        (changed("0.15 0.85", "0.15"), "variable 'out': expected 2 probabilities, found 1"),
        (changed("0.15 0.85", "0.15 x"), "variable 'out': expected probabilities from 0 to 1"),
        (changed("0.15 0.85", "0.15 0.95"), "variable 'out': expected probabilities from 0 to 1, whose rows"),
        (
            changed("<FOR>out</FOR><TABLE>0.15 0.85", "<FOR>out</FOR><GIVEN>dog</GIVEN><TABLE>1 0 0 1 1 0"),
            "the network has a cycle",
        ),
    ],
)
def test_malformed_files_get_one_clear_message(text: str, message: str) -> None:
    with pytest.raises(LearnacError, match=f"^text: {message}"):
        read_xmlbif(text)
