"""What memory allows: how many categories a circuit can have, and how many candidates a search keeps."""

from __future__ import annotations

import numpy as np

from learnac.data import Schema
from learnac.errors import DataError

# The first circuit has a set of indicators for each indicator, and knows which variables each set has.
MOST_FIRST_BYTES = 2 << 30
# Candidates of all first leaves together, of 16 bytes each for AC-Quick and 40 for AC-Greedy. Of 5,000 binary columns
# there are 25 million.
MOST_FIRST_CANDIDATES = 32_000_000
_LEAST_CANDIDATES_OF_A_LEAF = 1000


def require_room(schema: Schema) -> None:
    """Refuses a table whose first circuit, before any split, would take too much memory."""
    n_indicators = int(schema.arities.sum())
    n_bytes = n_indicators * (n_indicators / 8 + schema.n_variables / 4)
    if n_bytes <= MOST_FIRST_BYTES:
        return
    most = int(np.argmax(schema.arities))
    name, n_values = schema.names[most], int(schema.arities[most])
    raise DataError(
        f"the columns have {n_indicators:,} categories in all: a circuit of them takes {n_bytes / 2**30:.1f} GB before "
        f"any split, expected at most {MOST_FIRST_BYTES / 2**30:.1f} GB; leave columns out or merge categories "
        f"({name!r} has most, {n_values:,})",
        column=name,
        expected=f"at most {MOST_FIRST_BYTES / 2**30:.1f} GB",
        found=n_indicators,
    )


def most_candidates(n_variables: int) -> int:
    """How many splits of a leaf are kept, the best ones; all of them unless there are thousands of columns."""
    return max(_LEAST_CANDIDATES_OF_A_LEAF, MOST_FIRST_CANDIDATES // n_variables)
