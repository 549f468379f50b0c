"""Compiled networks: size with and without local structure, and queries against pyAgrum and pgmpy, in one run.

    python benchmarks/compiling.py [--only NAME ...] [--out FILE]

For every network of LEARNAC_DATA/bif: CPU seconds to compile, edges and operations; the same for a network with the
same arcs whose parameters are all different, which has no local structure. Then all posteriors given a fifth of the
variables, for 1, 100 and 10,000 rows: CPU milliseconds a row. A single query is a dict that is there already, for us
and for pyAgrum (lazy propagation), which answers as many as it can in a few seconds. pgmpy (variable elimination)
answers for one variable at a time: its time for a row is that of one variable, the mean over some, times the unknown
ones. Answers are compared before times are printed. Needs `pip install --group paper --group test`.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import records

from learnac import infer
from learnac.circuit import Circuit, n_operations
from learnac.compiler import compile_network
from learnac.errors import SizeError
from learnac.io import read_bif, write_bif
from learnac.io.expanded import parents_of, table_of
from learnac.io.foreign import tree_of_table
from learnac.network import BayesNet

BATCHES = (1, 100, 10_000)
KNOWN = 0.2
SECONDS = 5.0  # for each of the other tools
# The most CPU seconds to compile, and how many times faster a single query has to be than pyAgrum's.
MOST_SECONDS, LEAST_FACTOR = 60.0, 10.0


def without_local_structure(network: BayesNet) -> BayesNet:
    """The same arcs, with tables in which no two numbers are equal."""
    rng = np.random.default_rng(0)
    trees = []
    for tree in network.trees:
        parents = parents_of(tree)
        shape = [len(network.schema.categories[variable]) for variable in (*parents, tree.child)]
        rows = rng.uniform(0.1, 1, size=table_of(network.schema, tree, 10**7).shape)
        trees.append(tree_of_table(tree.child, parents, (rows / rows.sum(axis=1, keepdims=True)).reshape(shape)))
    return BayesNet(network.schema, tuple(trees))


def fill(model: Any, network: BayesNet) -> None:
    """Gives pyAgrum our numbers: it reads them from files in single precision."""
    names = network.schema.names
    for tree in network.trees:
        own = [names[variable] for variable in (*parents_of(tree), tree.child)]
        shape = [len(network.schema.categories[network.schema.names.index(name)]) for name in own]
        table = table_of(network.schema, tree, 10**7).reshape(shape)
        potential = model.cpt(own[-1])
        wanted = [potential.variable(place).name() for place in range(potential.nbrDim())][::-1]
        potential.fillWith(table.transpose([own.index(name) for name in wanted]).ravel().tolist())


def timed(work: Any) -> tuple[float, Any]:
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def evidence_for(circuit: Circuit, n_rows: int) -> np.ndarray:
    """Codes of (rows x variables): rows of the distribution, most of whose values are unknown."""
    rows = infer.sample(circuit, n_rows, random_state=1).codes.T.astype(np.int64)
    return np.where(np.random.default_rng(2).random(rows.shape) < KNOWN, rows, -1)


class PyAgrum:
    def __init__(self, model: Any, names: list[str]) -> None:
        import pyagrum

        self.engine, self.names = pyagrum.LazyPropagation(model), names

    def posteriors(self, codes: dict[str, int]) -> list[np.ndarray]:
        self.engine.eraseAllEvidence()
        self.engine.setEvidence(codes)
        self.engine.makeInference()
        return [self.engine.posterior(name).toarray() for name in self.names]


class Pgmpy:
    def __init__(self, path: Path, names: list[str]) -> None:
        from pgmpy.inference import VariableElimination
        from pgmpy.readwrite import BIFReader

        self.model, self.names = BIFReader(path=str(path)).get_model(), names
        self.engine = VariableElimination(self.model)

    def posterior(self, row: np.ndarray, variable: int) -> np.ndarray:
        states = {v: self.model.get_cpds(self.names[v]).state_names[self.names[v]] for v in np.flatnonzero(row >= 0)}
        given = {self.names[v]: states[v][row[v]] for v in states}
        return self.engine.query([self.names[variable]], evidence=given, show_progress=False).values


def known_codes(names: list[str], rows: np.ndarray) -> list[dict[str, int]]:
    return [{names[v]: int(row[v]) for v in np.flatnonzero(row >= 0)} for row in rows]


def known_categories(network: BayesNet, rows: np.ndarray) -> list[dict[str, Any]]:
    names, categories = network.schema.names, network.schema.categories
    return [{names[v]: categories[v][row[v]] for v in np.flatnonzero(row >= 0)} for row in rows]


def repeated(work: Any, rows: Sequence[Any]) -> float:
    """Mean CPU milliseconds of a row, over as many rows as fit into the time."""
    started, n_done = time.process_time(), 0
    while n_done < len(rows) and (n_done == 0 or time.process_time() - started < SECONDS):
        work(rows[n_done])
        n_done += 1
    return 1000 * (time.process_time() - started) / n_done


def measured(path: Path) -> dict[str, Any]:
    import pyagrum

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "network.bif"
        write_bif(read_bif(path), copy)
        model = pyagrum.loadBN(str(copy))
        network = read_bif(copy)
        fill(model, network)
        names = list(network.schema.names)
        seconds, circuit = timed(lambda: compile_network(network))
        result = {"network": path.name.partition(".")[0], "variables": len(names), "compile_seconds": seconds}
        result |= {"edges": circuit.n_edges, "operations": n_operations(circuit)}
        try:
            plain = compile_network(without_local_structure(network), 20_000_000)
            result |= {"plain_edges": plain.n_edges, "plain_operations": n_operations(plain)}
        except SizeError as error:
            result |= {"plain_edges": None, "plain_operations": None, "plain_problem": str(error)}
        rows = evidence_for(circuit, max(BATCHES))
        theirs = PyAgrum(model, names)
        codes, categories = known_codes(names, rows[:1000]), known_categories(network, rows[:1000])
        for given, coded in zip(categories[:10], codes[:10], strict=True):
            found = infer.marginals(circuit, given)
            for name, table in zip(names, theirs.posteriors(coded), strict=True):
                np.testing.assert_allclose(found[name], table, atol=1e-9)
        single = repeated(lambda given: infer.marginals(circuit, given), categories)
        for n_rows in BATCHES[1:]:
            seconds, _ = timed(lambda n_rows=n_rows: infer.marginals(circuit, rows[:n_rows]))
            result[f"ms_of_{n_rows}"] = 1000 * seconds / n_rows
        result |= {"ms_of_1": single, "pyagrum_ms": repeated(theirs.posteriors, codes)}
        pgmpy = Pgmpy(copy, names)
        rng = np.random.default_rng(3)
        unknown = [int(rng.choice(np.flatnonzero(row < 0))) for row in rows[:100]]
        expected = pgmpy.posterior(rows[0], unknown[0])
        np.testing.assert_allclose(infer.marginals(circuit, rows[:1])[names[unknown[0]]][0], expected, atol=1e-9)
        places = iter(unknown)
        of_one = repeated(lambda row: pgmpy.posterior(row, next(places)), rows[:100])
        result["pgmpy_ms"] = of_one * float((rows < 0).sum(axis=1).mean())
    result["times_pyagrum"] = result["pyagrum_ms"] / result["ms_of_1"]
    result["times_pgmpy_in_batches"] = result["pgmpy_ms"] / result["ms_of_10000"]
    return result


def complaints(result: dict[str, Any]) -> list[str]:
    """What is not as required."""
    found = []
    if result["compile_seconds"] > MOST_SECONDS:
        found.append(f"compiled in {result['compile_seconds']:.0f} s, expected at most {MOST_SECONDS:g}")
    if result["times_pyagrum"] < LEAST_FACTOR:
        times = f"{result['times_pyagrum']:.1f} times as fast as pyAgrum's"
        found.append(f"one query {times}, expected {LEAST_FACTOR:g}")
    return [f"{result['network']}: {complaint}" for complaint in found]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    # The smallest first.
    files = sorted((Path(os.environ["LEARNAC_DATA"]) / "bif").glob("*.bif.gz"), key=lambda path: path.stat().st_size)
    paths = {path.name.partition(".")[0]: path for path in files}
    records.run(
        __doc__, list(paths), "compiling.json", lambda name: [measured(paths[name])], records.show_rounded, complaints
    )
