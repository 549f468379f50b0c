"""The paper's Tables 1 and 2 in plain, slow Python: fast code must agree with it."""

from learnac.reference.circuit import Split as Split
from learnac.reference.circuit import binary_branches as binary_branches
from learnac.reference.circuit import complete_branches as complete_branches
from learnac.reference.circuit import evaluate as evaluate
from learnac.reference.circuit import initial_circuit as initial_circuit
from learnac.reference.circuit import is_decomposable as is_decomposable
from learnac.reference.circuit import is_deterministic as is_deterministic
from learnac.reference.circuit import is_smooth as is_smooth
from learnac.reference.circuit import n_edges as n_edges
from learnac.reference.circuit import split_circuit as split_circuit
from learnac.reference.circuit import threshold_branches as threshold_branches
from learnac.reference.learn import BayesianDirichlet as BayesianDirichlet
from learnac.reference.learn import Likelihood as Likelihood
from learnac.reference.learn import Model as Model
from learnac.reference.learn import apply_split as apply_split
from learnac.reference.learn import initial_network as initial_network
from learnac.reference.learn import learn_ac as learn_ac
from learnac.reference.learn import valid_splits as valid_splits
