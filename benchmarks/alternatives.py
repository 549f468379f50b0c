"""All posteriors by our circuit, and by pyAgrum's exact inference on the network it learns by hill climbing.

    pip install --group bench
    python benchmarks/alternatives.py [--only NAME ...] [--out FILE]

Each model is learned and queried in a process of its own, so that its memory can be measured; the queries are the same.
Times are CPU seconds of one thread. Needs LEARNAC_DATA.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from learning import machine
from numpy.typing import NDArray
from sets import QUICK, load

SETS = ("accidents", "plants")
LEVELS = (0.0, 0.1, 0.3, 0.5)
N_QUERIES = 50
SECONDS_PER_LEVEL = 120.0  # No new query after this.


def queries(rows: NDArray[np.uint8], share: float) -> list[dict[int, int]]:
    """From a variable to its value in some test row, for a random choice of variables."""
    rng = np.random.default_rng(round(1000 * share))
    n_variables = rows.shape[1]
    chosen = [rng.permutation(n_variables)[: round(share * n_variables)] for _ in range(N_QUERIES)]
    return [{int(v): int(row[v]) for v in variables} for row, variables in zip(rows, chosen, strict=False)]


def time_queries(rows: NDArray[np.uint8], answer: Callable[[dict[int, int]], Any]) -> list[dict[str, float]]:
    results = []
    for share in LEVELS:
        times: list[float] = []
        for evidence in queries(rows, share):
            if not times:
                check_posteriors(answer(evidence), evidence)
            started = time.process_time()
            answer(evidence)
            times.append(time.process_time() - started)
            if sum(times) > SECONDS_PER_LEVEL:
                break
        mean, worst = 1000 * float(np.mean(times)), 1000 * max(times)
        results.append({"evidence": share, "queries": len(times), "mean_ms": mean, "worst_ms": worst})
    return results


def check_posteriors(posteriors: list[NDArray[np.float64]], evidence: dict[int, int]) -> None:
    for posterior in posteriors:
        np.testing.assert_allclose(posterior.sum(), 1, rtol=1e-9)
    for variable, code in evidence.items():
        np.testing.assert_allclose(posteriors[variable][code], 1, rtol=1e-9)


def peak_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_ours(name: str) -> dict[str, Any]:
    from learnac import LearnAC

    run = next(run for run in QUICK if run.name == name)
    train, test = load(name, run.parts), load(name, ("test",))
    started = time.process_time()
    model = LearnAC(run.edge_penalty, run.parameter_penalty).fit(train)
    learning = time.process_time() - started
    rows = test.codes.T

    def answer(evidence: dict[int, int]) -> list[NDArray[np.float64]]:
        return list(model.marginals({f"x{v}": code for v, code in evidence.items()}).values())

    found = time_queries(rows, answer)
    return {
        "model": f"learnac, {run.edge_penalty} / {run.parameter_penalty}",
        "log_likelihood": model.score(test),
        "learning_seconds": learning,
        "size": f"{model.circuit_.n_edges:,} edges",
        "queries": found,
        "memory_mb": peak_memory(),
    }


def measure_pyagrum(name: str, score: str) -> dict[str, Any]:
    import pandas as pd
    import pyagrum as gum

    train, test = load(name, ("train",)), load(name, ("test",))
    gum.setNumberOfThreads(1)
    frame = pd.DataFrame(train.codes.T, columns=train.names)
    # Both values of every variable, seen or not.
    template = gum.BayesNet()
    for variable in train.names:
        template.add(gum.RangeVariable(variable, variable, 0, 1))
    started = time.process_time()
    learner = gum.BNLearner(frame, template)
    learner.useGreedyHillClimbing()
    learner.useSmoothingPrior(1)
    (learner.useScoreBIC if score == "BIC" else learner.useScoreAIC)()
    network = learner.learnBN()
    learning = time.process_time() - started
    rows = test.codes.T

    def answer(evidence: dict[int, int]) -> list[Any]:
        inference = gum.LazyPropagation(network)
        inference.setNumberOfThreads(1)
        inference.setEvidence({f"x{v}": code for v, code in evidence.items()})
        inference.makeInference()
        return [inference.posterior(f"x{v}").toarray() for v in range(network.size())]

    return {
        "model": f"pyAgrum, hill climbing, {score}",
        "log_likelihood": float(log_likelihood(network, rows).mean()),
        "learning_seconds": learning,
        "size": f"{network.sizeArcs()} arcs",
        "queries": time_queries(rows, answer),
        "memory_mb": peak_memory(),
    }


def log_likelihood(network: Any, rows: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Log P of each row under a pyAgrum network over x0, x1, ..."""
    total = np.zeros(len(rows))
    for node in network.nodes():
        table = network.cpt(node)
        # The names are those of the array's axes, the last one first.
        axes = tuple(rows[:, int(name[1:])] for name in reversed(table.names))
        total += np.log(table.toarray()[axes])
    return total


def show(name: str, result: dict[str, Any]) -> None:
    print(
        "{0}: {model}: test log-likelihood {log_likelihood:.3f}, learned in {learning_seconds:.1f} s, {size}, "
        "{memory_mb:.0f} MB".format(name, **result)
    )
    for level in result["queries"]:
        print("  {evidence:4.0%} evidence: mean {mean_ms:.2f} ms, worst {worst_ms:.2f} ms".format(**level), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=SETS)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/alternatives.json"))
    arguments = parser.parse_args()
    results = []
    for name in arguments.only:
        for measure, settings in ((measure_ours, ()), (measure_pyagrum, ("BIC",)), (measure_pyagrum, ("AIC",))):
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                result = pool.apply(measure, (name, *settings))
            results.append({"set": name, **result})
            show(name, result)
            arguments.out.parent.mkdir(parents=True, exist_ok=True)
            arguments.out.write_text(json.dumps({"machine": machine(), "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
