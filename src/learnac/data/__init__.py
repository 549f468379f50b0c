"""Tables of discrete data: a `Schema` says what the columns may hold, a `Dataset` holds them as codes."""

from learnac.data.bins import Binning, Bins
from learnac.data.dataset import Dataset, as_dataset
from learnac.data.schema import Schema

__all__ = ["Binning", "Bins", "Dataset", "Schema", "as_dataset"]
