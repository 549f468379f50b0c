"""Bayesian networks with decision-tree CPDs."""

from learnac.network.bayes_net import BayesNet
from learnac.network.tree import TreeCPD

__all__ = ["BayesNet", "TreeCPD"]
