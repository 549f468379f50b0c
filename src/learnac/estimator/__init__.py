"""The scikit-learn estimator."""

from learnac.estimator.learn_ac import LearnAC
from learnac.estimator.loading import load

__all__ = ["LearnAC", "load"]
