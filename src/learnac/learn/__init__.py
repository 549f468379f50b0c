"""Learning circuits from data: statistics of a leaf, scores of its splits, schedules, and the loop of Table 1."""

from learnac._core import SparseCells
from learnac.learn.counts import BranchedSplit, CountProvider, LeafCounts, TableCounts
from learnac.learn.gaps.learn import learn_incomplete
from learnac.learn.gaps.mixture import learn_incomplete_mixture
from learnac.learn.loop import Fold, learn, learn_network
from learnac.learn.mixture.learn import learn_mixture
from learnac.learn.mixture.settings import MixtureSettings
from learnac.learn.mixture.state import EntrantState, MixtureState
from learnac.learn.model import Gaps, Learned, Mixing, RoundInfo, StepInfo, Stop
from learnac.learn.parents import ParentRules
from learnac.learn.passes import PassCounts, RowSource
from learnac.learn.paths import LeafPath, PathCounter, PathStep
from learnac.learn.settings import LearnSettings
from learnac.learn.smoothing import Smoothing
from learnac.learn.splits import Split, SplitKind, SplitSpace
from learnac.learn.state import Checkpoints, SearchState
from learnac.learn.tables import Rows, learn_table, learn_table_network

__all__ = [
    "BranchedSplit",
    "Checkpoints",
    "CountProvider",
    "EntrantState",
    "Fold",
    "Gaps",
    "LeafCounts",
    "LeafPath",
    "LearnSettings",
    "Learned",
    "Mixing",
    "MixtureSettings",
    "MixtureState",
    "ParentRules",
    "PassCounts",
    "PathCounter",
    "PathStep",
    "RoundInfo",
    "RowSource",
    "Rows",
    "SearchState",
    "Smoothing",
    "SparseCells",
    "Split",
    "SplitKind",
    "SplitSpace",
    "StepInfo",
    "Stop",
    "TableCounts",
    "learn",
    "learn_incomplete",
    "learn_incomplete_mixture",
    "learn_mixture",
    "learn_network",
    "learn_table",
    "learn_table_network",
]
