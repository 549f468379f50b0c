"""What a command is spared when it starts: work that libraries would do, and that no command needs."""

from __future__ import annotations

import os
import sys


def spare_work() -> None:
    """To be called before NumPy is imported, in a process that is nothing but the command."""
    # Its threads would spin for 0.06 s of processor time, and multiply no matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.meta_path.insert(0, _NoPandas())


class _NoPandas:
    """Lets pyarrow think that there is no pandas. To see whether an array is one of its, it would import it: 0.2 s."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(f"{name} is of no use to a command", name=name)
