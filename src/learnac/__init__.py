"""Learn arithmetic circuits from tables, and query them exactly (Lowd & Domingos, UAI 2008).

The names below are imported when first used, so that a command does not wait for what it does not need.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from learnac.version import __version__

if TYPE_CHECKING:
    from learnac.circuit import Circuit
    from learnac.compiling import compile  # noqa: A004
    from learnac.data import Dataset, Schema
    from learnac.drawing import Drawing
    from learnac.errors import (
        DataError,
        ImpossibleEvidenceError,
        LearnacError,
        ModelFileError,
        QueryError,
        SettingError,
        SizeError,
    )
    from learnac.estimator import LearnAC, load
    from learnac.network import BayesNet, TreeCPD
    from learnac.refitting import refit

__all__ = [
    "BayesNet",
    "Circuit",
    "DataError",
    "Dataset",
    "Drawing",
    "ImpossibleEvidenceError",
    "LearnAC",
    "LearnacError",
    "ModelFileError",
    "QueryError",
    "Schema",
    "SettingError",
    "SizeError",
    "TreeCPD",
    "__version__",
    "compile",
    "load",
    "refit",
]

_MODULE_OF = {
    "BayesNet": "network",
    "Circuit": "circuit",
    "DataError": "errors",
    "Dataset": "data",
    "Drawing": "drawing",
    "ImpossibleEvidenceError": "errors",
    "LearnAC": "estimator",
    "LearnacError": "errors",
    "ModelFileError": "errors",
    "QueryError": "errors",
    "Schema": "data",
    "SettingError": "errors",
    "SizeError": "errors",
    "TreeCPD": "network",
    "compile": "compiling",
    "load": "estimator",
    "refit": "refitting",
}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = found  # Asked for once.
    return found


def __dir__() -> list[str]:
    return [*globals(), *__all__]
