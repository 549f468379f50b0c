"""Bayesian networks with decision-tree CPDs."""

from learnac.network.bayes_net import BayesNet
from learnac.network.tree import TreeCPD
from learnac.network.treewidth import treewidth_bound

__all__ = ["BayesNet", "TreeCPD", "treewidth_bound"]
