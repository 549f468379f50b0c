"""All marginals of well-known networks under random evidence, against the lazy propagation of pyAgrum."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from learnac import infer
from learnac.compiler import compile_network
from learnac.io import read_bif, write_bif

DATA = os.environ.get("LEARNAC_DATA")
NETWORKS = (*("alarm", "andes", "asia", "cancer", "child", "hailfinder", "insurance", "sachs", "survey", "win95pts"),)


@pytest.mark.skipif(DATA is None, reason="LEARNAC_DATA is not set: the networks of other people are not here")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NETWORKS)
def test_all_marginals_agree(name: str, tmp_path: Path) -> None:
    gum = pytest.importorskip("pyagrum")
    from compiling import fill

    network = read_bif(Path(str(DATA)) / "bif" / f"{name}.bif.gz")
    write_bif(network, tmp_path / "a.bif")
    model = gum.loadBN(str(tmp_path / "a.bif"))
    # The files spell some names differently; they stand in the same order.
    names = [model.variable(node).name() for node in sorted(model.nodes())]
    fill(model, read_bif(tmp_path / "a.bif"))
    circuit = compile_network(network)
    engine = gum.LazyPropagation(model)
    rows = infer.sample(circuit, 6, random_state=3).codes.T.astype(np.int64)
    rng = np.random.default_rng(0)
    for share, row in zip((0, 0.1, 0.2, 0.4, 0.6, 0.8), rows, strict=True):
        known = np.where(rng.random(len(row)) < share, row, -1)
        engine.eraseAllEvidence()
        engine.setEvidence({names[v]: int(known[v]) for v in np.flatnonzero(known >= 0)})
        engine.makeInference()
        found = infer.marginals(circuit, known[None])
        for variable, ours in enumerate(network.schema.names):
            np.testing.assert_allclose(found[ours][0], engine.posterior(names[variable]).toarray(), rtol=0, atol=1e-9)
