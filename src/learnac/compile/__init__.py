"""From Bayesian networks that were not learned here to circuits."""

from learnac.compile.compiler import compile_model, compile_network

__all__ = ["compile_model", "compile_network"]
