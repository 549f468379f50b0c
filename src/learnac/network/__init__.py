"""Bayesian networks with decision-tree CPDs."""

from learnac.network.bayes_net import BayesNet
from learnac.network.tree import TreeCPD, TreeNode
from learnac.network.treewidth import treewidth_bound

__all__ = ["BayesNet", "TreeCPD", "TreeNode", "treewidth_bound"]
