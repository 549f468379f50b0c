"""Learning circuits from data: statistics of a leaf, scores of its splits, schedules, and the loop of Table 1."""

from learnac.learn.loop import learn, learn_network
from learnac.learn.model import Learned, StepInfo, Stop
from learnac.learn.scores import BayesianDirichlet, Likelihood, Score
from learnac.learn.settings import LearnSettings
from learnac.learn.splits import Split, SplitKind, SplitSpace
from learnac.learn.state import Checkpoints, SearchState

__all__ = [
    "BayesianDirichlet",
    "Checkpoints",
    "LearnSettings",
    "Learned",
    "Likelihood",
    "Score",
    "SearchState",
    "Split",
    "SplitKind",
    "SplitSpace",
    "StepInfo",
    "Stop",
    "learn",
    "learn_network",
]
