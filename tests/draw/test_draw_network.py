"""A network's picture has the arcs of its trees; a tree's picture has its questions, answers and distributions."""

from __future__ import annotations

import math
import re
import shutil

import numpy as np
import pytest
from trees import tree_of

from learnac.data import Schema
from learnac.drawing import render
from learnac.network import BayesNet, TreeCPD
from learnac.network.strength import arc_strengths

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


def gain(node: list[float], *branches: list[float]) -> float:
    """What a split is worth in nats, from the counts of a node and of its branches."""

    def worth(counts: list[float]) -> float:
        return sum(n * math.log(n / sum(counts)) for n in counts)

    return sum(map(worth, branches)) - worth(node)


def test_the_strength_of_an_arc_is_what_its_splits_gain() -> None:
    (found,) = arc_strengths(NETWORK.trees[1]).items()
    assert found == (0, pytest.approx(gain([30, 30, 40], [10, 20, 20], [20, 10, 20])))
    found_of_two = arc_strengths(NETWORK.trees[2])
    assert found_of_two[1] == pytest.approx(gain([40, 60], [30, 40], [10, 20]))
    assert found_of_two[0] == pytest.approx(gain([30, 40], [5, 15], [25, 25]))
    assert arc_strengths(NETWORK.trees[4]) == {}


def test_without_counts_all_states_of_the_parents_weigh_the_same() -> None:
    shares = [[0.9, 0.1], [0.2, 0.8], [0.2, 0.8]]
    mean = np.mean(shares, axis=0)
    rows = [[n / 3 for n in row] for row in shares]
    nodes = [mean, shares[0], shares[1]]
    tree_of_three = tree_of(0, [1, -1, -1], [[1, 2, 2]], nodes)
    assert arc_strengths(tree_of_three) == {1: pytest.approx(gain(mean.tolist(), *rows))}


@pytest.mark.parametrize("max_arcs", [0, 1, 2, 3, 4])
def test_of_more_arcs_the_strongest_are_drawn_with_their_variables(max_arcs: int) -> None:
    strengths = {(str(p), str(c)): s for c, t in enumerate(NETWORK.trees) for p, s in arc_strengths(t).items()}
    strongest = set(sorted(strengths, key=lambda arc: -strengths[arc])[:max_arcs])
    source = NETWORK.draw(max_arcs=max_arcs).source
    assert arcs(source) == strongest
    if max_arcs < 4:
        assert variables(source) == {variable for arc in strongest for variable in arc}
        assert f"the {max_arcs} strongest of 4 arcs, between {len(variables(source))} of 5 variables" in source
    else:
        assert variables(source) == set("01234")
        assert "strongest" not in source


def test_centres_are_drawn_whatever_is_left_out() -> None:
    source = NETWORK.draw(["b", "alone"], max_arcs=1).source
    assert len(arcs(source)) == 1
    assert {"1", "4"} <= variables(source)
    assert "the 1 strongest of 3 arcs" in source


def test_a_number_of_arcs_below_zero_is_an_error() -> None:
    with pytest.raises(ValueError, match="max_arcs: expected a number from 0, or None for all arcs; found -1"):
        NETWORK.draw(max_arcs=-1)


def star(n_children: int) -> BayesNet:
    """Children that tell the less of their parent, the higher their number."""
    schema = Schema(tuple(f"variable {v}" for v in range(n_children + 1)), ((0, 1),) * (n_children + 1))
    rows = [n_children - v for v in range(n_children)]
    trees = [
        tree(v + 1, [0, -1, -1], [[1, 2]], [[50, 50], [25 + n / 9, 25 - n / 9], [25 - n / 9, 25 + n / 9]])
        for v, n in enumerate(rows)
    ]
    return BayesNet(schema, (leaf_only(0, [50, 50]), *trees))


def test_a_large_graph_is_a_map_where_strong_arcs_are_thick() -> None:
    assert "sfdp" not in star(30).draw().source
    source = star(200).draw().source
    assert 'layout="sfdp"' in source
    assert 'overlap="false"' in source
    widths = [float(width) for width in re.findall(r"v0 -> v\d+ \[penwidth=([\d.]+)\]", source)]
    assert len(widths) == 200
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == 3


@pytest.mark.skipif(shutil.which("dot") is None, reason="the program `dot` of Graphviz is not there")
def test_the_picture_of_200_variables_is_no_strip() -> None:
    picture = render(star(200).draw().source, "svg").decode()
    found = re.search(r'<svg width="(\d+)pt" height="(\d+)pt"', picture)
    assert found is not None
    width, height = map(int, found.groups())
    assert 1 / 3 < width / height < 3
    assert picture.count('class="edge"') == 200


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
