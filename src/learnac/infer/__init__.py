"""Exact queries on frozen circuits. Every function takes rows of evidence as an array, a frame or one dict."""

from learnac.infer.components import components, joint_mpe
from learnac.infer.impute import impute
from learnac.infer.information import entropy, kl_divergence, mutual_information
from learnac.infer.likelihood import log_likelihood, log_probability
from learnac.infer.marginals import expectation, iter_marginals, marginals
from learnac.infer.mpe import mpe
from learnac.infer.predict import predict, predict_proba
from learnac.infer.sample import sample

__all__ = [
    "components",
    "entropy",
    "expectation",
    "impute",
    "iter_marginals",
    "joint_mpe",
    "kl_divergence",
    "log_likelihood",
    "log_probability",
    "marginals",
    "mpe",
    "mutual_information",
    "predict",
    "predict_proba",
    "sample",
]
