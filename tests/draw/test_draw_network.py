"""A network's picture has the arcs of its trees; a tree's picture has its questions, answers and distributions."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest
from trees import tree_of

from learnac.data import Schema
from learnac.network import BayesNet, TreeCPD

LETTERS = tuple("abcdefgh")


def leaf_only(child: int, counts: list[float]) -> TreeCPD:
    return tree(child, [-1], [], [counts])


def tree(child: int, variables: list[int], routes: list[list[int]], counts: list[list[float]]) -> TreeCPD:
    """A tree whose parameters are the shares of its counts."""
    table = np.array(counts, dtype=float)
    return tree_of(child, variables, routes, table / table.sum(axis=1, keepdims=True), table)


# a -> b, a -> c, b -> c, c -> d; "alone" has no arcs. The tree of c asks b for 1 against the rest, then a.
NETWORK = BayesNet(
    Schema(("a", "b", "c <&> d", "d", "alone"), ((0, 1), (0, 1, 2), ("no", "yes"), LETTERS, ("x", "y"))),
    (
        leaf_only(0, [50, 50]),
        tree(1, [0, -1, -1], [[1, 2]], [[30, 30, 40], [10, 20, 20], [20, 10, 20]]),
        tree(2, [1, 0, -1, -1, -1], [[1, 2, 1], [3, 4]], [[40, 60], [30, 40], [10, 20], [5, 15], [25, 25]]),
        tree(
            3, [2, -1, -1], [[1, 2]], [[1, 2, 3, 4, 5, 6, 7, 8], [1, 1, 1, 1, 1, 1, 1, 5], [0, 1, 2, 3, 4, 5, 6, 3.5]]
        ),
        leaf_only(4, [1, 3]),
    ),
)
ARCS = {("0", "1"), ("0", "2"), ("1", "2"), ("2", "3")}


def arcs(source: str) -> set[tuple[str, str]]:
    return set(re.findall(r"[vn](\d+) -> [vn](\d+)", source))


def variables(source: str) -> set[str]:
    return set(re.findall(r"^  v(\d+) \[label", source, flags=re.MULTILINE))


def edge_labels(source: str) -> dict[tuple[str, str], str]:
    return {(a, b): text for a, b, text in re.findall(r'n(\d+) -> n(\d+) \[label=" (.*) "\]', source)}


def line_of(source: str, name: str) -> str:
    [line] = [line for line in source.splitlines() if line.startswith(f"  {name} [")]
    return line


def words(line: str) -> list[str]:
    """What stands in a node of markup, cell by cell."""
    markup = line[line.index("<") + 1 : line.rindex(">")]
    return [text for text in re.split(r"<[^>]*>", markup) if text]


def test_every_variable_and_arc_is_there() -> None:
    source = NETWORK.draw().source
    assert variables(source) == set("01234")
    assert arcs(source) == ARCS
    assert 'label="c <&amp;> d"' in line_of(source, "v2")


@pytest.mark.parametrize(
    ("around", "near", "joined"),
    [
        (["d"], {"2", "3"}, {("2", "3")}),
        ("alone", {"4"}, set()),
        (["b"], {"0", "1", "2"}, {("0", "1"), ("0", "2"), ("1", "2")}),
        (["alone", "d"], {"2", "3", "4"}, {("2", "3")}),
        ([], set(), set()),
    ],
)
def test_around_keeps_parents_and_children(
    around: str | list[str], near: set[str], joined: set[tuple[str, str]]
) -> None:
    source = NETWORK.draw(around).source
    assert variables(source) == near
    assert arcs(source) == joined


def test_an_arc_between_two_neighbours_is_dashed() -> None:
    source = NETWORK.draw(around=["b"]).source
    assert re.findall(r"v(\d) -> v(\d) \[style=dashed", source) == [("0", "2")]
    assert "dashed" not in NETWORK.draw().source


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(ValueError, match="no variable is called 'e'"):
        NETWORK.draw(around=["e"])
    with pytest.raises(ValueError, match="no variable is called 'e'"):
        NETWORK.draw_tree("e")


def test_too_many_arcs_are_an_error_with_a_way_out() -> None:
    with pytest.raises(ValueError, match=r"the network has 4 arcs, too many to draw: max_arcs is 3\. .*around="):
        NETWORK.draw(max_arcs=3)
    with pytest.raises(ValueError, match=r"this part has 3 arcs, .* max_arcs is 2\. Name fewer variables"):
        NETWORK.draw("b", max_arcs=2)
    NETWORK.draw("d", max_arcs=1)


def test_a_tree_shows_questions_answers_and_distributions() -> None:
    source = NETWORK.draw_tree("c <&> d").source
    assert words(line_of(source, "n0")) == ["b", "n = 100"]
    assert words(line_of(source, "n1")) == ["a", "n = 70"]
    assert words(line_of(source, "n3")) == ["no", "0.250", "yes", "0.750", "n = 20"]
    assert edge_labels(source) == {("0", "2"): "1", ("0", "1"): "not 1", ("1", "3"): "0", ("1", "4"): "1"}
    assert 'label="P(c <&amp;> d | a, b)\\n "' in source


def test_bars_are_as_long_as_their_probabilities() -> None:
    leaf = line_of(NETWORK.draw_tree("c <&> d").source, "n3")
    assert re.findall(r'WIDTH="(\d+)"', leaf) == ["15", "45", "45", "15"]


def test_a_cut_node_shows_its_own_distribution_and_what_is_below() -> None:
    source = NETWORK.draw_tree("c <&> d", max_depth=1).source
    assert words(line_of(source, "n1")) == ["no", "0.429", "yes", "0.571", "n = 70", "… 2 leaves below"]
    assert "dashed" in line_of(source, "n1")
    assert "dashed" not in line_of(source, "n2")
    assert arcs(source) == {("0", "1"), ("0", "2")}
    assert words(line_of(NETWORK.draw_tree("c <&> d", max_depth=0).source, "n0"))[-1] == "… 3 leaves below"


def test_of_many_values_the_most_probable_are_shown_and_the_rest_in_one_line() -> None:
    source = NETWORK.draw_tree("d").source
    assert words(line_of(source, "n1"))[:2] == ["h", "0.417"]
    # 24.5 rows by their weights; a, b and c have 3 of them.
    shown_words = words(line_of(source, "n2"))
    assert shown_words[0::2] == ["g", "f", "e", "h", "d", "… 3 more", "n = 24.5"]
    assert shown_words[-2] == "0.122"


def test_a_tree_without_questions_is_one_leaf() -> None:
    source = NETWORK.draw_tree("alone").source
    assert words(line_of(source, "n0")) == ["x", "0.250", "y", "0.750", "n = 4"]
    assert 'label="P(alone)' in source


def test_an_edge_lists_the_first_of_many_categories() -> None:
    question = tree(1, [0, -1, -1], [[1, 1, 2, 2, 2, 2, 2, 1]], [[1, 1], [1, 0], [0, 1]])
    network = BayesNet(Schema(("q", "z"), (LETTERS, (0, 1))), (leaf_only(0, [1] * 8), question))
    assert edge_labels(network.draw_tree("z").source) == {("0", "1"): "a, b, h", ("0", "2"): "c, d, e, … (5)"}


def test_limits_of_a_tree_are_checked() -> None:
    with pytest.raises(
        ValueError, match=r"to depth 3 has 5 nodes, too many to draw: max_nodes is 4\. Choose a smaller"
    ):
        NETWORK.draw_tree("c <&> d", max_nodes=4)
    with pytest.raises(ValueError, match=r"max_depth: expected a number from 0, or None .* found -1"):
        NETWORK.draw_tree("a", max_depth=-1)
    assert NETWORK.draw_tree("c <&> d", max_depth=None) == NETWORK.draw_tree("c <&> d")


@pytest.mark.skipif(shutil.which("dot") is None, reason="the program `dot` of Graphviz is not installed")
def test_dot_accepts_the_pictures() -> None:
    for drawing in (NETWORK.draw("b"), NETWORK.draw_tree("c <&> d"), NETWORK.draw_tree("d", max_depth=0)):
        assert "<svg" in drawing._repr_mimebundle_()["image/svg+xml"]


def test_a_notebook_shows_a_summary() -> None:
    cells = re.findall(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", NETWORK._repr_html_())
    assert cells[0] == "BayesNet"
    assert dict(zip(cells[1::2], cells[2::2], strict=True)) == {
        "variables": "5",
        "arcs": "4",
        "leaves": "9",
        "parameters": str(2 + 6 + 6 + 16 + 2),
        "most parents": "2 (c &lt;&amp;&gt; d)",
    }
