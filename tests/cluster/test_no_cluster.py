"""What is said where a table of Dask has no cluster to be counted on."""

from __future__ import annotations

import pandas as pd
import pytest

from learnac import LearnAC

pytest.importorskip("distributed", reason="the extra learnac[dask] is not installed")


def test_without_a_cluster_there_is_one_message() -> None:
    import dask.dataframe as dd

    table = dd.from_pandas(pd.DataFrame({"a": [0, 1] * 50}), npartitions=2, sort=False)
    with pytest.raises(ValueError, match="expected a client of a Dask cluster, found none"):
        LearnAC().fit(table)
