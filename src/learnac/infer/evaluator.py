"""The contract of evaluators: a frozen circuit and a batch of evidence in, values and what follows from them out.

`tests/conformance/test_evaluators.py` holds every implementation to it.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.signedinteger[Any]]
Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.uint32]


class Evaluator(Protocol):
    """Answers for one circuit, whether or not it is deterministic and its values sum to 1.

    Each row has evidence of its own: `codes` are (variables x rows), negative where nothing is known; `likelihoods`,
    from 0 to 1, are (rows x values of the `soft_variables`), one variable's values after the other's. These arrays fit
    the circuit's schema, and are only read.

    A row's answer does not depend on the rows beside it or on `n_threads`, to the last bit. A row whose evidence is
    impossible has the log-value minus infinity.
    """

    def log_values(self, codes: Codes, soft_variables: Numbers, likelihoods: Floats, n_threads: int) -> Floats:
        """The log of the circuit's value for each row: the probability of its evidence, what is unknown summed out."""

    def marginals(
        self, codes: Codes, soft_variables: Numbers, likelihoods: Floats, variables: Numbers, n_threads: int
    ) -> tuple[Floats, Floats]:
        """Log-values, and posteriors of some variables, (rows x all values of these): NaN for impossible rows."""

    def most_probable(
        self, codes: Codes, soft_variables: Numbers, likelihoods: Floats, worlds: Codes, n_threads: int
    ) -> Floats:
        """Puts the world of each row's largest term into `worlds`, (variables x rows), and returns the term's log.

        Of a deterministic circuit a world has one term, so this is the most probable world. What `worlds` has for an
        impossible row stays as it was.
        """

    def sample(
        self,
        codes: Codes,
        soft_variables: Numbers,
        likelihoods: Floats,
        n_samples: int,
        seed: int,
        worlds: Codes,
        n_threads: int,
    ) -> Floats:
        """Puts samples of each row into `worlds`, (variables x rows * n_samples), a row's side by side; log-values.

        A sample depends on its row's evidence, the seed and its place alone. Of an impossible row there is none.
        """

    def mean_logs(
        self, codes: Codes, soft_variables: Numbers, likelihoods: Floats, n_threads: int
    ) -> tuple[Floats, Floats]:
        """Log-values, and the mean over worlds of the log of their term's parameters: NaN for impossible rows.

        Of a deterministic circuit that sums to 1, without evidence, this is minus the entropy.
        """
