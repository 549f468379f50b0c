"""Exact queries on frozen circuits. Every function takes rows of evidence as an array, a frame or one dict."""

from learnac.infer.compare import compare
from learnac.infer.components import components, joint_mpe
from learnac.infer.conflict import conflict
from learnac.infer.do import do, do_network
from learnac.infer.explain import explain
from learnac.infer.impute import impute
from learnac.infer.information import entropy, kl_divergence, mutual_information
from learnac.infer.likelihood import log_likelihood, log_probability
from learnac.infer.marginals import expectation, iter_marginals, marginals
from learnac.infer.mpe import mpe
from learnac.infer.next_question import next_question
from learnac.infer.numbers import distribution
from learnac.infer.predict import predict, predict_proba
from learnac.infer.sample import sample
from learnac.infer.sensitivity import sensitivity

__all__ = [
    "compare",
    "components",
    "conflict",
    "distribution",
    "do",
    "do_network",
    "entropy",
    "expectation",
    "explain",
    "impute",
    "iter_marginals",
    "joint_mpe",
    "kl_divergence",
    "log_likelihood",
    "log_probability",
    "marginals",
    "mpe",
    "mutual_information",
    "next_question",
    "predict",
    "predict_proba",
    "sample",
    "sensitivity",
]
