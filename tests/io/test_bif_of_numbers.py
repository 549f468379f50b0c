"""A BIF file has no densities: of numbers and dates it has the intervals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from learnac import LearnAC
from learnac.compiler import compile_network
from learnac.infer import marginals
from learnac.io import read_bif, write_bif


def test_intervals_are_as_probable_as_before(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    age = rng.normal(40, 12, 1000).round(1)
    frame = pd.DataFrame(
        {
            "age": age,
            "job": np.where(age + rng.normal(0, 5, 1000) > 45, "senior", "junior"),
            "since": pd.date_range("2020-01-01", periods=1000, freq="h"),
        }
    )
    model = LearnAC(max_edges=3000).fit(frame)
    assert model.network_ is not None
    write_bif(model.network_, tmp_path / "m.bif")
    again = compile_network(read_bif(tmp_path / "m.bif"))
    assert again.schema.categories == model.schema_.categories
    for given in ({}, {"job": "senior"}, {"age": model.schema_.categories[0][3]}):
        found, expected = marginals(again, given), model.marginals(given)
        for name in frame:
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-9, atol=1e-12)
