"""From Bayesian networks that were not learned here to circuits."""

from learnac.compile.compiler import compile_network

__all__ = ["compile_network"]
