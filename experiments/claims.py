"""What the report claims, on top of it: each claim in a paragraph, with the section that has its table.

Every count is made from the result files, so a claim changes when the results do.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable
from itertools import product

from compared import BEST, MODELS, best_circuits, free_networks, tallies, told_of, within
from elsewhere import better_elsewhere
from mixed import ahead_of_all
from reproduced import against_paper, cell
from table5 import LEVELS, SCENARIOS
from tables import Studies
from verdicts import Verdict, verdict
from weak import not_dominated


def claims(studies: Studies) -> str:
    """A numbered list in Markdown, of the claims there are results for."""
    found = [text for make in CLAIMS if (text := make(studies))]
    return "".join(f"{_wrapped(number, text)}\n" for number, text in enumerate(found, 1))


def the_paper(studies: Studies) -> str:
    rows = against_paper(studies)
    if not rows:
        return ""
    as_likely = sum(row.is_as_likely for row in rows)
    learning = [row.learning for row in rows]
    asking = [row.asking for row in rows if row.asking is not None]
    also = f", and answer {min(asking):,.0f} to {max(asking):,.0f} times faster" if asking else ""
    return (
        f"**{as_likely} of {len(rows)} circuits of the paper's Table 4 have at least its log-likelihood.** They learn "
        f"{min(learning):,.0f} to {max(learning):,.0f} times faster{also}; the authors' times are of 2008, on another "
        "machine (Table 4, Table 5)."
    )


def sampling(studies: Studies) -> str:
    counts = Counter(
        verdict(found)
        for name, method, level in product(studies.values("table5", "set"), SCENARIOS, LEVELS)
        if (found := cell(studies, name, method, *level))
    )
    if not counts:
        return ""
    return (
        f"**In {counts[Verdict.CIRCUIT]} of {counts.total()} comparisons, AC-Quick is clearly more accurate than Gibbs "
        f"sampling; in {counts[Verdict.SAMPLER]}, it is the other way round.** {counts[Verdict.UNCLEAR]} are unclear, "
        f"{counts[Verdict.TOO_FEW]} have too few queries (Figure 1). {not_dominated(studies)}"
    ).strip()


def one_circuit(studies: Studies) -> str:
    circuits, networks = best_circuits(studies), free_networks(studies)
    if not circuits:
        return ""
    near = within(circuits, networks)
    return (
        "**A single circuit of at most a million edges is at most 1 % behind the network that may have any size on "
        f"{len(near)} of {len(circuits)} sets.** It is ahead of "
        f"{told_of((model for model in MODELS if model != BEST), tallies(circuits))} "
        "(The density-estimation collection)."
    )


def mixtures(studies: Studies) -> str:
    ahead, compared = ahead_of_all(studies)
    if not compared:
        return ""
    return (
        f"**Four mixtures averaged are ahead of every published tractable model on {len(ahead)} of {len(compared)} "
        f"sets**: {', '.join(ahead) or 'none'}. Most of the published figures are recalled, not checked (Mixtures over "
        "one structure)."
    )


def other_networks(studies: Studies) -> str:
    compared, better, unanswered, not_compiled = better_elsewhere(studies)
    if not compared:
        return ""
    return (
        f"**pyAgrum's networks fit better than our single circuit on {len(better)} of {len(compared)} sets; "
        f"{len(unanswered)} of these do not answer when nothing is known**, within the limits of time and memory, and "
        f"{len(not_compiled)} have no circuit. What a circuit costs to ask is known from its edges (Against today's "
        "choice)."
    )


CLAIMS: tuple[Callable[[Studies], str], ...] = (the_paper, sampling, one_circuit, mixtures, other_networks)


def _wrapped(number: int, text: str) -> str:
    return textwrap.fill(
        f"{number}. {text}", 120, subsequent_indent="   ", break_long_words=False, break_on_hyphens=False
    )
