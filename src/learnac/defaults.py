"""What settings are if nobody says: the one place, which the estimator, the commands and the search read."""

from typing import Final

PARAMETER_PENALTY: Final = 0.5
SCHEDULE: Final = "quick"
CRITERION: Final = "likelihood"
EQUIVALENT_SAMPLE_SIZE: Final = 1.0
SPLITS: Final = "binary"
CHECKPOINT_SECONDS: Final = 30.0

# Without an edge penalty, it starts high and is halved until the budget is used. docs/learning.md says why.
FIRST_EDGE_PENALTY: Final = 10.0
MAX_EDGES: Final = 200_000
# Of a mixture: edges x components.
MAX_MIXTURE_EDGES: Final = 1_000_000

# Splits are chosen, and the steps of a search judged, as if each leaf had seen this many rows more, spread evenly over
# its values; and with this much shrinkage. How much smoothing the model has is then chosen from a grid.
SEARCH_PRIOR: Final = 2.0
SEARCH_SHRINKAGE: Final = 10.0
ALPHAS: Final = (0.01, 0.05, 0.2, 0.5, 1.0, 2.0)
SHRINKAGES: Final = (0.0, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
# Where no rows say: a table too small to hold some out, or a search that was cut short.
ALPHA: Final = 0.5
SHRINKAGE: Final = 10.0

# Of fewer rows none are held out: they say too little about how much to smooth.
LEAST_ROWS_TO_HOLD_OUT: Final = 50
# If a tenth is fewer rows than this, several tenths are held out, one after the other.
ENOUGH_HELD_OUT: Final = 500
# Of more rows, which are held out is drawn row by row: to shuffle their numbers would take too much memory.
MOST_ROWS_SHUFFLED: Final = 10_000_000
# For the counts of a search over a table that is not in memory.
MEMORY: Final = "1GB"
