"""Learn arithmetic circuits from discrete data, and query them exactly (Lowd & Domingos, UAI 2008)."""

from learnac.circuit import Circuit
from learnac.data import Dataset, Schema
from learnac.errors import DataError, LearnacError, ModelFileError, QueryError
from learnac.estimator import LearnAC
from learnac.network import BayesNet, TreeCPD

__all__ = [
    "BayesNet",
    "Circuit",
    "DataError",
    "Dataset",
    "LearnAC",
    "LearnacError",
    "ModelFileError",
    "QueryError",
    "Schema",
    "TreeCPD",
]
