"""BIF: what goes out comes in, other tools read it, their files are read, and all else is refused."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from worlds import probabilities

from learnac import Dataset, LearnAC, infer
from learnac.compiler import compile_network
from learnac.data import Schema
from learnac.errors import ModelFileError, SizeError
from learnac.io import read_bif, write_bif
from learnac.network import BayesNet, TreeCPD

DATA = os.environ.get("LEARNAC_DATA")

SCHEMA = Schema(
    ("plain", "with space", "a", "A", 'ünï "q" \\;{}\n', "table"),
    (
        ("no", "yes"),
        ("10", 10, "a b", "a_b", "5-12"),
        ("only",),
        (-1, 0, 1),
        ("", "\N{SNOWMAN}", "\U0001f600/*x*/", "//\ud800"),
        (False, True),
    ),
)

EXAMPLE = """// Two causes of one effect.
network "sprinklers" { property version 1.1; }
variable rain { type discrete [ 2 ] { no, yes }; property position = (1, 2) ; }
variable season { /* as a gardener sees it */
  type discrete [ 3 ] { dry, wet, in-between };
}
variable grass {
  type discrete [ 2 ] { dry, wet };
}
probability ( season ) { table 0.5, 0.25, 0.25; }
probability ( rain | season ) {
  (wet) 0.25, 0.75;
  default 0.75, 0.25;
}
probability ( grass | rain, season ) {
  (no, dry) 1, 0;
  (no, wet) 0.5, 0.5;
  (no, in-between) 1.0, 0.0;
  (yes, in-between) 0, 1;
  (yes, wet) 0, 1;
  (yes, dry) 0, 1;
}
"""
RAIN = np.array([[0.75, 0.25], [0.25, 0.75], [0.75, 0.25]])  # by season
GRASS = np.array([[[1, 0], [0.5, 0.5], [1, 0]], [[0, 1], [0, 1], [0, 1]]])  # by rain, season
SEASON = np.array([0.5, 0.25, 0.25])
EXAMPLE_WORLDS = np.einsum("s,sr,rsg->rsg", SEASON, RAIN, GRASS).ravel()


def learned(splits: str = "complete", alpha: float = 1.0, schema: Schema = SCHEMA) -> BayesNet:
    rng = np.random.default_rng(4)
    arities = schema.arities
    prototypes = rng.integers(arities, size=(5, len(arities)))
    noise = rng.integers(arities, size=(300, len(arities)))
    rows = np.where(rng.random(noise.shape) < 0.7, prototypes[rng.integers(5, size=300)], noise)
    model = LearnAC(edge_penalty=0.01, parameter_penalty=0.05, splits=splits, alpha=alpha, shrinkage=0)
    return model.fit(Dataset(schema, np.ascontiguousarray(rows.T.astype(np.uint8)))).network_


class TestRoundTrip:
    @pytest.mark.parametrize("splits", ["complete", "binary"])
    @pytest.mark.parametrize("alpha", [1.0, 0.0])
    def test_every_world_keeps_its_probability(self, tmp_path: Path, splits: str, alpha: float) -> None:
        network = learned(splits, alpha)
        assert network.n_leaves > 30
        write_bif(network, tmp_path / "a.bif")
        found = read_bif(tmp_path / "a.bif")
        np.testing.assert_allclose(probabilities(found), probabilities(network), rtol=1e-12, atol=0)
        assert found.parents == network.parents
        found.check()

    def test_names_and_categories_come_back_with_their_types(self, tmp_path: Path) -> None:
        write_bif(learned(), tmp_path / "a.bif")
        found = read_bif(tmp_path / "a.bif").schema
        assert found == SCHEMA
        types = [[type(category) for category in column] for column in found.categories]
        assert types == [[type(category) for category in column] for column in SCHEMA.categories]

    def test_the_file_has_plain_words_only(self, tmp_path: Path) -> None:
        write_bif(learned(), tmp_path / "a.bif")
        lines = (tmp_path / "a.bif").read_text(encoding="ascii").split("\n")
        words = [line.split()[1] for line in lines if line.startswith("variable")]
        assert words == ["plain", "_with_space", "a", "A_2", "_n_q", "_table"]
        assert "  type discrete [ 5 ] { _10, 10, _a_b, a_b, _5_12 };" in lines
        assert '  property learnac_name = "with space";' in lines
        assert "  property learnac_categories = [-1, 0, 1];" in lines

    def test_what_is_a_word_needs_no_property(self, tmp_path: Path) -> None:
        write_bif(read_bif(EXAMPLE.replace("in-between", "between")), tmp_path / "a.bif")
        text = (tmp_path / "a.bif").read_text()
        assert "property" not in text
        assert "probability ( grass | rain, season ) {\n  (no, dry) 1.0, 0.0;\n" in text

    def test_every_digit_is_kept(self, tmp_path: Path) -> None:
        network = learned()
        write_bif(network, tmp_path / "a.bif")
        found = read_bif(tmp_path / "a.bif")
        for tree, other in zip(network.trees, found.trees, strict=True):
            known = {row.tobytes() for row in tree.parameters[tree.leaves]}
            assert {row.tobytes() for row in other.parameters[other.leaves]} <= known

    def test_a_tree_that_asks_in_one_order_comes_back_as_it_was(self, tmp_path: Path) -> None:
        network = read_bif(EXAMPLE)
        write_bif(network, tmp_path / "a.bif")
        for tree, other in zip(network.trees, read_bif(tmp_path / "a.bif").trees, strict=True):
            for name in ("variables", "route_starts", "routes", "counts", "parameters"):
                np.testing.assert_array_equal(getattr(other, name), getattr(tree, name), err_msg=name)

    def test_a_table_too_large_is_refused_with_its_parents(self, tmp_path: Path) -> None:
        network = read_bif(EXAMPLE)
        said = r"table of 'grass' given 'rain', 'season' would have 12 entries, more than 11 \(max_table\)"
        with pytest.raises(SizeError, match=said) as raised:
            write_bif(network, tmp_path / "a.bif", max_table=11)
        assert (raised.value.column, raised.value.found, raised.value.expected) == ("grass", 12, 11)
        assert not (tmp_path / "a.bif").exists()
        write_bif(network, tmp_path / "a.bif", max_table=12)


class TestHandWritten:
    def test_every_world_has_its_probability(self) -> None:
        network = read_bif(EXAMPLE)
        np.testing.assert_allclose(probabilities(network), EXAMPLE_WORLDS, rtol=1e-15)
        assert network.schema.names == ("rain", "season", "grass")
        assert network.schema.categories[1] == ("dry", "wet", "in-between")

    def test_a_tree_asks_what_makes_a_difference(self) -> None:
        grass = read_bif(EXAMPLE).trees[2]
        # Where it rains, the season does not matter.
        assert grass.variables.tolist() == [0, 1, -1, -1, -1, -1]
        assert grass.routes.tolist() == [1, 2, 3, 4, 5]
        np.testing.assert_allclose(grass.parameters[1], GRASS[0].mean(axis=0))
        np.testing.assert_allclose(grass.parameters[0], GRASS.reshape(6, 2).mean(axis=0))
        assert grass.counts.shape == (6, 2)
        assert not grass.counts.any()

    def test_a_parent_without_effect_is_not_asked(self) -> None:
        swapped = EXAMPLE.replace("grass | rain, season", "grass | season, rain")
        for old in ("no, dry", "no, wet", "no, in-between", "yes, dry", "yes, wet", "yes, in-between"):
            swapped = swapped.replace(f"({old})", f"({', '.join(old.split(', ')[::-1])})")
        same = swapped.replace("0.5, 0.5;\n  (in", "1, 0;\n  (in")
        np.testing.assert_allclose(probabilities(read_bif(swapped)), EXAMPLE_WORLDS, rtol=1e-15)
        assert same != swapped
        assert read_bif(same).parents[2] == (0,)

    def test_a_table_has_the_values_of_the_child_slowest(self) -> None:
        rows = EXAMPLE[EXAMPLE.index("  (no, dry)") : -2]
        table = "  table 1, 0.5, 1, 0, 0, 0,  0, 0.5, 0, 1, 1, 1;\n"
        np.testing.assert_allclose(probabilities(read_bif(EXAMPLE.replace(rows, table))), EXAMPLE_WORLDS, rtol=1e-15)

    def test_early_files_have_quotes_and_no_commas_or_bars(self) -> None:
        text = EXAMPLE.replace("grass | rain, season", '"grass" rain season').replace("no, yes", '"no" "yes"')
        text = text.replace("(no, wet) 0.5, 0.5", '("no" "wet") 0.5 0.5').replace("[ 2 ]", "[2]")
        np.testing.assert_allclose(probabilities(read_bif(text)), EXAMPLE_WORLDS, rtol=1e-15)

    def test_blocks_come_in_any_order(self) -> None:
        start = EXAMPLE.index("probability ( season")
        network = read_bif(EXAMPLE[start:] + EXAMPLE[:start])
        np.testing.assert_allclose(probabilities(network), EXAMPLE_WORLDS, rtol=1e-15)

    def test_compressed_files_are_read(self, tmp_path: Path) -> None:
        (tmp_path / "a.bif.gz").write_bytes(gzip.compress(EXAMPLE.encode()))
        np.testing.assert_allclose(probabilities(read_bif(tmp_path / "a.bif.gz")), EXAMPLE_WORLDS, rtol=1e-15)

    def test_rounded_rows_are_made_to_sum_to_one(self) -> None:
        network = read_bif(EXAMPLE.replace("0.5, 0.25, 0.25", "0.3333, 0.3333, 0.3333"))
        np.testing.assert_allclose(network.trees[1].parameters, [[1 / 3] * 3], rtol=1e-15)


def replaced(old: str, new: str) -> str:
    assert old in EXAMPLE
    return EXAMPLE.replace(old, new, 1)


MANY = "".join(f"variable v{i} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for i in range(40))
REFUSED = {
    "empty": ("\n", r"text: expected a network of at least one variable, found none"),
    "nothing in it": ("network x { }\n", r"text: expected a network of at least one variable, found none"),
    "another format": ("2,2\nBN {\n}\n", r"text:1: expected `variable` or `probability`, found '2'"),
    "an open comment": (replaced("*/", ""), r"text:4: expected a word, found '/\* as a ga'"),
    "an open string": (replaced('sprinklers"', "sprinklers"), r"text:2: expected a word"),
    "an open property": ("network a { property\n", r"text:1: expected a property that ends with ';'"),
    "an open block": (EXAMPLE[:-2], r"expected `table`, `default`, '\(' or '}', found ''"),
    "a variable twice": (replaced("variable rain", "variable grass"), r"text:7: variable 'grass' is defined twice"),
    "no values": (replaced("type discrete [ 2 ] { no, yes };", ""), r"text:3: variable 'rain' has no values"),
    "not discrete": (replaced("discrete", "continuous"), r"text:3: expected 'discrete', found 'continuous'"),
    "too few values": (
        replaced("[ 3 ]", "[ 4 ]"),
        r"text:5: variable 'season': expected 4 different values, found 'dry'",
    ),
    "a value twice": (replaced("{ no, yes }", "{ no, no }"), r"expected 2 different values, found 'no', 'no'"),
    "probabilities twice": (
        replaced("( rain |", "( season |"),
        r"text:11: the probabilities of 'season' are given twice",
    ),
    "no probabilities": (
        replaced("probability ( season ) { table 0.5, 0.25, 0.25; }", ""),
        r"text:4: .*'season' has no",
    ),
    "unknown child": (replaced("( season )", "( reason )"), r"text:10: no variable is called 'reason'"),
    "unknown parent": (replaced("| season", "| reason"), r"text:11: no variable is called 'reason'"),
    "own parent": (replaced("rain | season", "rain | rain"), r"text:11: expected different parents of 'rain'"),
    "parent twice": (replaced("| rain, season", "| rain, rain"), r"text:15: expected different parents of 'grass'"),
    "unknown value": (replaced("(no, dry)", "(no, red)"), r"text:16: expected a value of 'season', 'dry'.*found 'red'"),
    "a value too few": (replaced("(no, dry)", "(no)"), r"text:16: expected 2 values of parents, found 1"),
    "a row twice": (replaced("(no, dry)", "(no, wet)"), r"text:17: the row of \(no, wet\) is given twice"),
    "a row lacking": (replaced("  (no, dry) 1, 0;\n", ""), r"text:15: expected 6 rows or a default, found 5 rows"),
    "a number lacking": (replaced("(no, dry) 1, 0", "(no, dry) 1"), r"text:16: expected 2 probabilities, found 1"),
    "ragged table": (replaced("0.5, 0.25, 0.25", "0.5, 0.5"), r"text:10: expected 3 probabilities, found 2"),
    "no number": (replaced("(no, dry) 1, 0", "(no, dry) 1, x"), r"text:16: expected a probability, found 'x'"),
    "negative": (
        replaced("(no, dry) 1, 0", "(no, dry) 1.5, -0.5"),
        r"text:16: expected probabilities from 0 to 1 that",
    ),
    "not a number": (replaced("(no, dry) 1, 0", "(no, dry) 1, nan"), r"text:16: expected probabilities"),
    "wrong sum": (replaced("(no, dry) 1, 0", "(no, dry) 1, 0.1"), r"text:16: expected probabilities"),
    "table and rows": (
        replaced("(wet) 0.25", "table 1, 0, 1, 0, 1, 0; (wet) 0.25"),
        r"text:11: expected a table or single",
    ),
    "a cycle": (
        replaced("( season ) {", "( season | rain ) { default 1, 0, 0; (no)").replace("table 0.5", "0.5"),
        r"cycle",
    ),
    "a huge default": (
        MANY + f"probability ( v0 | {', '.join(f'v{i}' for i in range(1, 40))} ) {{ default 1, 0; }}\n",
        r"text:41: the table of 'v0' has 1,099,511,627,776 entries, more than the 4,194,304",
    ),
    "a broken name": (replaced("property position", "property learnac_name"), r"property learnac_name: expected JSON"),
    "no name": (replaced("position = (1, 2)", "learnac_name = 1"), r"text: expected names that are strings, found 1"),
    "no list": (
        replaced("position = (1, 2)", "learnac_categories = 1"),
        r"text:3: variable 'rain': expected a list of 2",
    ),
    "nested": (replaced("position = (1, 2)", f"learnac_name = {'[' * 99999}"), r"expected JSON"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_network_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        read_bif(text)


def test_errors_name_the_file(tmp_path: Path) -> None:
    packed = gzip.compress(EXAMPLE.encode())
    for content in (b"\xff\xfe", packed[:40], packed[:-1], b"\x1f\x8bxyz", EXAMPLE[:50].encode()):
        (tmp_path / "a.bif").write_bytes(content)
        with pytest.raises(ModelFileError, match=r"a\.bif"):
            read_bif(tmp_path / "a.bif")


class TestDamage:
    def read(self, text: str) -> BayesNet | None:
        try:
            network = read_bif(text)
        except ModelFileError as error:
            message = str(error)
        else:
            return self.checked(network)
        assert message.startswith("text:")
        return None

    def checked(self, network: BayesNet) -> BayesNet:
        network.check()
        for tree in network.trees:
            np.testing.assert_allclose(tree.parameters.sum(axis=1), 1, rtol=1e-9)
        return network

    def test_no_shorter_text_is_read(self) -> None:
        first = EXAMPLE.index("\n") + 1
        for length in range(first, len(EXAMPLE) - 1):
            assert self.read(EXAMPLE[:length]) is None
        assert self.read(EXAMPLE) is not None

    def test_changed_characters_give_a_network_or_an_error(self) -> None:
        rng = np.random.default_rng(0)
        n_read = 0
        for trial in range(4000):
            text = list(EXAMPLE)
            for place in rng.integers(1, len(text), size=1 + trial % 3):
                likely = '0123456789 \n(){}[]|,;"/*.-ntablepropertydefault'
                text[place] = likely[rng.integers(len(likely))] if trial % 2 else chr(rng.integers(0x300))
            n_read += self.read("".join(text) + "\n") is not None
        assert 100 < n_read < 3900


@pytest.mark.filterwarnings("ignore")
class TestOtherTools:
    def posterior(self, model: Any, name: str, evidence: dict[str, Any]) -> NDArray[np.float64]:
        from pgmpy.inference import VariableElimination

        found = VariableElimination(model).query([name], evidence=evidence, show_progress=False)
        return np.asarray(found.values)

    @pytest.mark.parametrize("splits", ["complete", "binary"])
    def test_pgmpy_reads_what_is_written(self, tmp_path: Path, splits: str) -> None:
        readwrite = pytest.importorskip("pgmpy.readwrite")
        network = learned(splits)
        write_bif(network, tmp_path / "a.bif")
        model = readwrite.BIFReader(path=str(tmp_path / "a.bif")).get_model()
        circuit = compile_network(network)
        words = ["plain", "_with_space", "a", "A_2", "_n_q", "_table"]
        assert sorted(model.nodes) == sorted(words)
        for given, evidence in (({}, {}), ({"A": 1, "table": True}, {"A_2": "1", "_table": "True"})):
            expected = infer.marginals(circuit, given)
            for name, word in zip(network.schema.names, words, strict=True):
                if word not in evidence:
                    np.testing.assert_allclose(self.posterior(model, word, evidence), expected[name], rtol=1e-9)

    def test_what_pgmpy_writes_is_read(self, tmp_path: Path) -> None:
        readwrite = pytest.importorskip("pgmpy.readwrite")
        write_bif(read_bif(EXAMPLE), tmp_path / "a.bif")
        readwrite.BIFWriter(readwrite.BIFReader(path=str(tmp_path / "a.bif")).get_model()).write(
            str(tmp_path / "b.bif")
        )
        found = read_bif(tmp_path / "b.bif")
        for name, table in infer.marginals(compile_network(found)).items():
            expected = infer.marginals(compile_network(read_bif(EXAMPLE)))[name]
            places = [found.schema.categories[found.schema.index(name)].index(c) for c in words_of(name)]
            np.testing.assert_allclose(table[places], expected, rtol=1e-12)


def words_of(name: str) -> list[str]:
    return {"rain": ["no", "yes"], "season": ["dry", "wet", "_in_between"], "grass": ["dry", "wet"]}[name]


@pytest.mark.skipif(DATA is None, reason="LEARNAC_DATA is not set: the networks of other people are not here")
class TestRealFiles:
    SIZES = {  # noqa: RUF012
        "alarm": (37, 46),
        "andes": (223, 338),
        "asia": (8, 8),
        "cancer": (5, 4),
        "child": (20, 25),
        "hailfinder": (56, 66),
        "insurance": (27, 52),
        "sachs": (11, 17),
        "survey": (6, 6),
        "win95pts": (76, 112),
    }

    @pytest.mark.parametrize("name", SIZES)
    def test_they_are_read_and_written_and_read(self, name: str, tmp_path: Path) -> None:
        network = read_bif(Path(str(DATA)) / "bif" / f"{name}.bif.gz")
        n_variables, n_arcs = self.SIZES[name]
        assert len(network.trees) == n_variables
        # The tables of insurance ask two parents that change nothing.
        assert sum(map(len, network.parents)) == n_arcs - 2 * (name == "insurance")
        write_bif(network, tmp_path / "a.bif")
        found = read_bif(tmp_path / "a.bif")
        assert found.schema == network.schema
        codes = np.random.default_rng(0).integers(network.schema.arities[:, None], size=(n_variables, 500))
        for tree, other in zip(network.trees, found.trees, strict=True):
            assert isinstance(other, TreeCPD)
            expected = tree.parameters[tree.leaf_of(codes.astype(np.uint8))]
            np.testing.assert_allclose(other.parameters[other.leaf_of(codes.astype(np.uint8))], expected, rtol=1e-12)

    def test_all_that_are_there_are_known(self) -> None:
        names = {path.name.removesuffix(".bif.gz") for path in (Path(str(DATA)) / "bif").glob("*.bif.gz")}
        assert names == set(self.SIZES)


def test_text_that_gzip_compressed_in_pieces(tmp_path: Path) -> None:
    import gzip

    halves = ["variable a { type discrete [ 2 ] { n, y }; }\n", "probability ( a ) { table 0.25, 0.75; }\n"]
    (tmp_path / "n.bif.gz").write_bytes(b"".join(gzip.compress(half.encode()) for half in halves))
    assert read_bif(tmp_path / "n.bif.gz").trees[0].parameters.tolist() == [[0.25, 0.75]]


def test_an_empty_word_is_no_end() -> None:
    text = 'variable a { type discrete [ 2 ] { n, y }; }\nprobability ( a ) { table 0.25, 0.75; }\n"" garbage\n'
    with pytest.raises(ModelFileError, match="expected a word"):
        read_bif(text)


def test_a_property_without_an_end_is_refused_quickly() -> None:
    with pytest.raises(ModelFileError):
        read_bif("network x {\n property" + " " * 100_000)
