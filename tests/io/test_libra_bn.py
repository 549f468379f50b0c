"""Libra's networks: what goes out comes in, hand-written files mean what they say, and all else is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from learning import with_ordered
from trees import leaf_of, tree_of
from worlds import probabilities

from learnac import Dataset, LearnAC
from learnac.data import Schema
from learnac.errors import ModelFileError, SizeError
from learnac.io import libra_bn_writer, read_bn, write_bn
from learnac.network import BayesNet, TreeCPD

ARITIES = (2, 3, 1, 5, 2, 4)


def log(p: float) -> str:
    return repr(float(np.log(p))) if p else "-inf"


# P(x0), P(x1 | x0), P(x2 | x1): x1 has three values, and x2 asks for one of them, then for another.
EXAMPLE = f"""2,3,2
BN {{
v0 {{
tree {{
(v0_0 {log(0.25)} {log(0.75)})
}}
}}
v1 {{
tree {{
(v0_1
 (v1_0 {log(0.5)} (v1_1 {log(0.5)} -inf))
 (v1_0 {log(0.1)} (v1_1 {log(0.2)} {log(0.7)})))
}}
}}
v2 {{
tree {{
(v1_2 (v2_0 -inf 0) (v1_0 (v2_0 {log(0.3)} {log(0.7)}) (v2_0 {log(0.6)} {log(0.4)})))
}}
}}
}}
"""
P1 = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]])
P2 = np.array([[0.3, 0.7], [0.6, 0.4], [0.0, 1.0]])
EXAMPLE_WORLDS = (np.array([0.25, 0.75])[:, None, None] * P1[:, :, None] * P2[None]).ravel()

SMALL = f"2\nBN {{\nv0 {{\ntree {{\n(v0_0 {log(0.5)} {log(0.5)})\n}}\n}}\n}}\n"


def learned(splits: str, alpha: float = 1.0, ordered: tuple[int, ...] = ()) -> BayesNet:
    rng = np.random.default_rng(4)
    prototypes = rng.integers(ARITIES, size=(5, len(ARITIES)))
    noise = rng.integers(ARITIES, size=(200, len(ARITIES)))
    rows = np.where(rng.random(noise.shape) < 0.7, prototypes[rng.integers(5, size=200)], noise)
    model = LearnAC(edge_penalty=0.01, parameter_penalty=0.05, splits=splits, alpha=alpha, shrinkage=0)
    return model.fit(with_ordered(Dataset.from_array(rows, arities=ARITIES), ordered)).network_


def walk(tree: TreeCPD) -> list[Any]:
    """Variables, routes and the leaves' parameters, depth first, whatever the nodes' numbers are."""
    found: list[Any] = []
    pending = [0]
    while pending:
        node = pending.pop()
        variable = int(tree.variables[node])
        if variable < 0:
            found.append(tuple(round(p, 13) for p in tree.parameters[node].tolist()))
            continue
        start = int(tree.route_starts[node])
        routes = tree.routes[start : start + ARITIES[variable]].tolist()
        branches = sorted(set(routes), key=lambda branch: (routes.count(branch), routes.index(branch)))
        found.append((variable, tuple(branches.index(branch) for branch in routes)))
        pending += branches[::-1]
    return found


def counts_by_leaf(tree: TreeCPD) -> list[tuple[list[float], list[float]]]:
    return sorted((np.round(tree.parameters[leaf], 13).tolist(), tree.counts[leaf].tolist()) for leaf in tree.leaves)


class TestRoundTrip:
    @pytest.mark.parametrize(("splits", "ordered"), [("complete", ()), ("binary", ()), ("binary", (1, 3, 5))])
    @pytest.mark.parametrize("alpha", [1.0, 0.0])
    def test_every_world_keeps_its_probability(
        self, tmp_path: Path, splits: str, ordered: tuple[int, ...], alpha: float
    ) -> None:
        network = learned(splits, alpha, ordered)
        assert network.n_leaves > 30
        write_bn(network, tmp_path / "a.bn")
        found = read_bn(tmp_path / "a.bn")
        np.testing.assert_allclose(probabilities(found), probabilities(network), rtol=1e-12, atol=0)
        assert found.schema.names[5] == "x5"
        assert found.schema.categories[5] == (0, 1, 2, 3)
        assert found.parents == network.parents
        found.check()

    def test_trees_of_one_value_against_the_rest_come_back_as_they_were(self, tmp_path: Path) -> None:
        network = learned("binary")
        write_bn(network, tmp_path / "a.bn")
        for tree, found in zip(network.trees, read_bn(tmp_path / "a.bn").trees, strict=True):
            assert walk(found) == walk(tree)
            assert counts_by_leaf(found) == counts_by_leaf(tree)
            np.testing.assert_array_equal(found.counts[0], tree.counts[0])

    def test_counts_can_be_left_out(self, tmp_path: Path) -> None:
        write_bn(learned("binary"), tmp_path / "a.bn", counts=False)
        assert not read_bn(tmp_path / "a.bn").has_counts
        assert (tmp_path / "a.bn").read_text().endswith("\n}\n}\n}\n")

    def test_counts_follow_the_end_of_the_network(self, tmp_path: Path) -> None:
        """A reader that knows nothing of them, and stops where the network ends, reads the same text."""
        write_bn(learned("complete"), tmp_path / "a.bn")
        write_bn(learned("complete"), tmp_path / "b.bn", counts=False)
        with_counts, without = ((tmp_path / name).read_text() for name in ("a.bn", "b.bn"))
        assert with_counts.startswith(without + "counts {\nv0 { ")

    @pytest.mark.parametrize(("splits", "ordered"), [("complete", ()), ("binary", (1, 3, 5))])
    def test_whatever_is_asked_value_by_value_counts_no_row_twice(
        self, tmp_path: Path, splits: str, ordered: tuple[int, ...]
    ) -> None:
        network = learned(splits, ordered=ordered)
        write_bn(network, tmp_path / "a.bn")
        for tree, found in zip(network.trees, read_bn(tmp_path / "a.bn").trees, strict=True):
            np.testing.assert_allclose(found.counts[0], tree.counts[0], rtol=1e-12)
            np.testing.assert_allclose(found.counts[found.leaves].sum(axis=0), tree.counts[0], rtol=1e-12)

    def test_weights_keep_all_their_digits(self, tmp_path: Path) -> None:
        leaf = replace(leaf_of(0, [0.25, 0.75]), counts=np.array([[1 / 3, 1e-300]]))
        write_bn(BayesNet(Schema(("a",), ((0, 1),)), (leaf,)), tmp_path / "a.bn")
        assert read_bn(tmp_path / "a.bn").trees[0].counts.tolist() == [[1 / 3, 1e-300]]

    def test_a_second_time_changes_nothing(self, tmp_path: Path) -> None:
        write_bn(learned("complete"), tmp_path / "a.bn")
        write_bn(read_bn(tmp_path / "a.bn"), tmp_path / "b.bn")
        first, second = (read_bn(tmp_path / name) for name in ("a.bn", "b.bn"))
        for tree, found in zip(first.trees, second.trees, strict=True):
            np.testing.assert_array_equal(found.routes, tree.routes)
            np.testing.assert_allclose(found.parameters, tree.parameters, rtol=1e-12)

    def test_the_text_is_what_libra_reads(self, tmp_path: Path) -> None:
        write_bn(read_bn(SMALL), tmp_path / "a.bn")
        assert (tmp_path / "a.bn").read_text() == SMALL
        write_bn(learned("complete"), tmp_path / "a.bn")
        lines = (tmp_path / "a.bn").read_text().split("\n")
        assert lines[:2] == ["2,3,1,5,2,4", "BN {"]
        assert not any(line.lstrip().startswith(")") for line in lines)

    def test_a_question_with_several_values_on_both_sides_is_asked_value_by_value(self, tmp_path: Path) -> None:
        halves = tree_of(0, [1, -1, -1], [[1, 1, 2, 2]], [[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]])
        network = BayesNet(Schema(("a", "b"), ((0, 1), (0, 1, 2, 3))), (halves, leaf_of(1, [0.25] * 4)))
        write_bn(network, tmp_path / "a.bn")
        found = read_bn(tmp_path / "a.bn")
        np.testing.assert_allclose(probabilities(found), probabilities(network), rtol=1e-12)
        assert found.trees[0].n_leaves == 3

    def test_a_tree_that_would_be_too_large_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(libra_bn_writer, "MAX_NUMBERS", 7)
        groups = tree_of(0, [1, -1, -1], [[1, 1, 1, 2, 2, 2]], [[0.5, 0.5]] * 3)
        network = BayesNet(Schema(("a", "b"), ((0, 1), tuple(range(6)))), (groups, leaf_of(1, [1 / 6] * 6)))
        with pytest.raises(SizeError, match=r"the tree of 'a': the format asks one value at a time, .* more than 7"):
            write_bn(network, tmp_path / "a.bn")
        assert not (tmp_path / "a.bn").exists()


class TestHandWritten:
    def test_every_world_has_its_probability(self) -> None:
        network = read_bn(EXAMPLE)
        np.testing.assert_allclose(probabilities(network), EXAMPLE_WORLDS, rtol=1e-14)
        assert network.parents == ((), (0,), (1,))
        assert [tree.n_leaves for tree in network.trees] == [1, 2, 3]

    def test_a_second_question_about_a_variable_refines_the_first(self) -> None:
        tree = read_bn(EXAMPLE).trees[2]
        assert tree.variables.tolist() == [1, -1, 1, -1, -1]
        assert tree.routes.tolist() == [2, 2, 1, 3, 4, 4]

    def test_inner_nodes_have_the_mean_of_what_is_below(self) -> None:
        np.testing.assert_allclose(read_bn(EXAMPLE).trees[2].parameters[2], P2[:2].mean(axis=0))
        np.testing.assert_allclose(read_bn(EXAMPLE).trees[2].parameters[0], P2.mean(axis=0))

    def test_questions_that_are_settled_are_left_out(self) -> None:
        yes = EXAMPLE.replace("(v1_2 (v2_0 -inf 0)", "(v1_2 (v1_2 (v2_0 -inf 0) (v1_0 -5 -5))")
        no = EXAMPLE.replace("(v1_0 (v2_0", "(v1_0 (v1_2 -7 (v2_0").replace(
            f" {log(0.7)}) (v2_0", f" {log(0.7)})) (v2_0"
        )
        for text in (yes, no):
            assert text != EXAMPLE
            assert read_bn(text).trees[2].variables.tolist() == [1, -1, 1, -1, -1]
            np.testing.assert_allclose(probabilities(read_bn(text)), EXAMPLE_WORLDS, rtol=1e-14)

    def test_logs_of_six_digits_are_made_to_sum_to_one(self) -> None:
        tree = read_bn(SMALL.replace(log(0.5), "-0.693147")).trees[0]
        np.testing.assert_allclose(tree.parameters, [[0.5, 0.5]], rtol=1e-15)

    def test_one_number_is_for_all_values(self) -> None:
        text = f"1,4\nBN {{\nv0 {{ tree {{ 0 }} }}\nv1 {{ tree {{ {log(0.25)} }} }}\n}}\n"
        np.testing.assert_allclose(read_bn(text).trees[1].parameters, [[0.25] * 4])

    def test_line_breaks_and_capitals_do_not_matter(self) -> None:
        network = read_bn(EXAMPLE.replace("\n", "\r\n\r\n").replace("tree", "TREE").replace("BN {", "bn\n{"))
        np.testing.assert_allclose(probabilities(network), EXAMPLE_WORLDS, rtol=1e-14)

    def test_tables_have_a_row_for_each_state(self) -> None:
        rows = [f"{log(P1[x, y])} +v0_{x} +v1_{y}" for x in (1, 0) for y in range(3)]
        rows[0] = rows[0].replace("+v0_1", "-v0_0")
        rows[1] = f"17 {rows[1]}"
        text = f"2,3\nBN {{\nv0 {{\ntable {{\n{log(0.5)} +v0_0\n{log(0.5)} +v0_1\n}}\n}}\n"
        network = read_bn(text + "v1 {\ntable {\n" + "\n".join(rows) + "\n}\n}\n}\n")
        np.testing.assert_allclose(probabilities(network), P1.ravel() / 2, rtol=1e-14)
        assert network.trees[1].variables.tolist() == [0, -1, -1]

    def test_deep_trees_need_no_recursion(self, tmp_path: Path) -> None:
        arity = 3000
        leaf = f"(v0_0 {log(0.5)} {log(0.5)})"
        tree = "".join(f"(v1_{value} {leaf} " for value in range(arity - 1)) + leaf + ")" * (arity - 1)
        network = read_bn(f"2,{arity}\nBN {{\nv0 {{ tree {{ {tree} }} }}\nv1 {{ tree {{ {log(1 / arity)} }} }}\n}}\n")
        assert network.trees[0].n_leaves == arity
        write_bn(network, tmp_path / "a.bn")
        assert read_bn(tmp_path / "a.bn").trees[0].n_leaves == arity


def replaced(old: str, new: str, text: str = EXAMPLE) -> str:
    assert old in text
    return text.replace(old, new, 1)


REFUSED = {
    "no arities": (replaced("2,3,2", "x"), r"text:1: expected the numbers of values, as in 2,2,3; found 'x'"),
    "a value too few": (replaced("2,3,2", "2,0,2"), r"text:1: expected numbers of values from 1"),
    "dependency network": (replaced("BN", "DN"), r"text:2: expected `BN`, a Bayesian network; found 'dn'"),
    "features": (replaced("tree {", "features {"), r"text:4: expected `tree` or `table`, found 'features': other"),
    "no such variable": (replaced("v0 {", "v3 {"), r"text:3: expected a variable from v0 to v2, found 'v3'"),
    "a variable twice": (replaced("v1 {", "v0 {"), r"text:8: variable v0 is defined twice"),
    "a variable lacking": (SMALL.replace("2\n", "2,2\n", 1), r"the file ends without the distributions of 'v1'"),
    "no such value": (replaced("v1_2", "v1_3"), r"no such value of a variable: 'v1_3'"),
    "no test": (replaced("(v0_1", "(w0_1"), r"text:10: expected a test of a value, such as v0_1; found 'w0_1'"),
    "no log": (replaced("-inf))", "x))"), r"text:11: expected the log of a probability, found 'x'"),
    "a log of more than 1": (replaced("-inf))", "1.5))"), r"expected the log of a probability, found '1.5'"),
    "not a distribution": (replaced("-inf))", "-0.1))"), r"expected logs of probabilities that add up to 1"),
    "three branches": (replaced("-inf))", "-inf -inf))"), r"text:11: expected '\)', found '-inf'"),
    "two trees": (replaced("}\n}\nv1", "}\ntree { 0 }\n}\nv1"), r"text:7: expected '}', found 'tree'"),
    "parent below child": (
        replaced("(v1_1 -0.69", "(v0_1 -0.69"),
        r"in the tree of v1, its own tests must come last; found a test of v0",
    ),
    "a cycle": (
        "2,2\nBN {\n"
        + "".join(f"v{a} {{ tree {{ (v{b}_0 (v{a}_0 0 -inf) (v{a}_0 -inf 0)) }} }}\n" for a, b in ((0, 1), (1, 0)))
        + "}\n",
        r"text: the network has a cycle",
    ),
    "counts of nothing": (
        SMALL + "counts {\nv1 { 1 2 }\n}\n",
        r"text:10: expected a variable from v0 to v0, found 'v1'",
    ),
    "counts lacking": (SMALL + "counts {\nv0 { 1 }\n}\n", r"expected 1 x 2 counts of v0, for .* its values; found 1"),
    "counts twice": (SMALL + "counts {\nv0 { 1 2 }\nv0 { 1 2 }\n}\n", r"text:11: the counts of v0 are given twice"),
    "a count below 0": (SMALL + "counts {\nv0 { 1 -2 }\n}\n", r"expected a count of rows, found '-2'"),
    "counts that do not end": (SMALL + "counts {\nv0 { 1 2", r"expected a count of rows, found ''"),
    "rows lacking": ("2\nBN {\nv0 { table {\n0 +v0_0\n} }\n}\n", r"expected 2 rows, found 1"),
    "a row twice": ("2\nBN {\nv0 { table {\n0 +v0_0\n0 +v0_0\n} }\n}\n", r"values \(0,\) are given twice"),
    "no child": ("2,2\nBN {\nv0 { table {\n0 +v1_0\n} }\n}\n", r"expected values of v0 and the same parents"),
    "two values": ("2\nBN {\nv0 { table {\n0 +v0_0 +v0_1\n} }\n}\n", r"v0 has two values in one row"),
    "negated": (
        "3\nBN {\nv0 { table {\n0 -v0_0\n} }\n}\n",
        r"expected the value of v0, which has more than two; found only what it is not, '-v0_0'",
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_network_is_refused(text: str, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        read_bn(text)


class TestDamage:
    def read(self, path: Path, content: bytes, *, by_file: bool) -> BayesNet | None:
        # A text is quicker to read than a file, and the same from there on.
        source: str | Path = content.decode(errors="replace")
        if by_file or "\n" not in str(source):
            path.write_bytes(content)
            source = path
        try:
            network = read_bn(source)
        except ModelFileError as error:
            message = str(error)
        else:
            return self.checked(network)
        assert message.startswith(("text:", str(path)))
        return None

    def checked(self, network: BayesNet) -> BayesNet:
        network.check()
        for tree in network.trees:
            np.testing.assert_allclose(tree.parameters.sum(axis=1), 1, rtol=1e-9)
        return network

    def test_no_shorter_file_is_read(self, tmp_path: Path) -> None:
        content = EXAMPLE.encode()
        for length in range(len(content) - 2):
            assert self.read(tmp_path / "a.bn", content[:length], by_file=True) is None
        assert self.read(tmp_path / "a.bn", content, by_file=True) is not None

    def test_changed_bytes_give_a_network_or_an_error(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(0)
        n_read = 0
        for trial in range(3000):
            content = bytearray(EXAMPLE.encode())
            for place in rng.integers(len(content), size=1 + trial % 3):
                likely = list(b"0123456789 \nv_(){}-.einftablre,")
                content[place] = rng.choice(likely) if trial % 2 else rng.integers(256)
            n_read += self.read(tmp_path / "a.bn", bytes(content), by_file=trial % 10 == 0) is not None
        assert 50 < n_read < 2900
