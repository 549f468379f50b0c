"""Tables of discrete data: a `Schema` says what the columns may hold, a `Dataset` holds them as codes.

`Evidence` is what is known of rows that a model is asked about.
"""

from learnac.data.binning import Binning
from learnac.data.bins import Bins
from learnac.data.dataset import Dataset, as_dataset
from learnac.data.evidence import Evidence, as_evidence
from learnac.data.likelihoods import Soft
from learnac.data.schema import Schema

__all__ = ["Binning", "Bins", "Dataset", "Evidence", "Schema", "Soft", "as_dataset", "as_evidence"]
