"""From Bayesian networks that were not learned here to circuits."""

from learnac.compiler.budget import Budget
from learnac.compiler.compiler import Attempt, compile_model, compile_network

__all__ = ["Attempt", "Budget", "compile_model", "compile_network"]
