"""Bayesian networks with decision-tree CPDs."""

from learnac.network.bayes_net import BayesNet, parents_first
from learnac.network.tree import TreeCPD, TreeNode
from learnac.network.treewidth import treewidth_bound

__all__ = ["BayesNet", "TreeCPD", "TreeNode", "parents_first", "treewidth_bound"]
