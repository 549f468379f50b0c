"""What the report claims, on top of it: each claim in a paragraph, with the section that has its table.

Every count is made from the result files, so a claim changes when the results do.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable

from compared import BEST, MODELS, best_circuits, free_networks, near, tallies, told_of
from elsewhere import better_elsewhere
from mixed import FEW, ahead_of_all, ahead_with, averaged_of
from reproduced import against_paper, same_data
from sampling import FASTEST, SLOWEST, clear_together, compared, is_dominated, not_dominated
from table5 import LEVELS, SCENARIOS
from tables import NAMES, PAPER, Studies, listed, thousands
from verdicts import Verdict


def not_reproduced(studies: Studies) -> str:
    """What the paper found and this report did not: its first paragraph."""
    found = [each(studies) for each in (_sampling_not_dominated, _edge_costs_not_avoided, _worse_circuits, _other_data)]
    told = [f"({number}) {text}" for number, text in enumerate(filter(None, found), 1)]
    return f"**Not reproduced:** {'; '.join(told)}." if told else "All that the paper found is reproduced."


def _sampling_not_dominated(studies: Studies) -> str:
    sets = [name for name in studies.values("table5", "set") if is_dominated(studies, name) is False]
    names = listed([NAMES[name] for name in sets])
    return f'circuits do not "easily dominate even the slowest runs of Gibbs sampling" on {names}' if sets else ""


def _edge_costs_not_avoided(studies: Studies) -> str:
    shares = [1 - r["result"]["changed"] / r["result"]["all"] for r in studies.records("optimisations")]
    wanted = PAPER["optimisations"]["avoided"]
    if not shares or min(shares) > wanted:
        return ""
    return (
        f"the rule of section 4.3 avoids {min(shares):.0%} to {max(shares):.0%} of the edge costs, as we count them, "
        f'not "over {wanted:.0%}"'
    )


def _worse_circuits(studies: Studies) -> str:
    worse = [f"{row.schedule} on {NAMES[row.name]}" for row in against_paper(studies) if not row.is_as_likely]
    return f"log-likelihoods are below the paper's of {listed(worse)}" if worse else ""


def _other_data(studies: Studies) -> str:
    same = same_data(studies)
    other = [NAMES[name] for name in studies.values("table3", "set") if name not in same]
    return f"the data of {listed(other)} are not exactly the paper's (Table 3)" if other else ""


def claims(studies: Studies) -> str:
    """A numbered list in Markdown, of the claims there are results for."""
    found = [text for make in CLAIMS if (text := make(studies))]
    return "".join(f"{_wrapped(number, text)}\n" for number, text in enumerate(found, 1))


def the_paper(studies: Studies) -> str:
    rows, of_its_size, same = against_paper(studies), against_paper(studies, "size"), same_data(studies)
    if not rows:
        return ""
    least, most = (choose(rows, key=lambda row: row.learning) for choose in (min, max))
    asking = [row.asking for row in rows if row.asking is not None]
    on_same = [row for row in rows if row.name in same]
    also = f", and answer {min(asking):,.0f} to {max(asking):,.0f} times faster" if asking else ""
    same_data_too = f" ({_as_likely(on_same)} on the data that are exactly the paper's)" if on_same else ""
    size = f"; with at most its number of edges, {_as_likely(of_its_size)} do" if of_its_size else ""
    return (
        f"**{_as_likely(rows)} circuits of the paper's Table 4 have at least its log-likelihood**"
        f"{same_data_too}{size}. They learn "
        f"{'more than ' if least.is_at_least else ''}{least.learning:,.0f} to {most.learning:,.0f} times faster{also}; "
        f"the authors' times are of 2008, on another machine ({_section('Table 4', 'table-4-the-learned-models')}, "
        f"{_section('Table 5', 'table-5-and-figure-1-queries')})."
    )


def _as_likely(rows: list) -> str:
    return f"{sum(row.is_as_likely for row in rows)} of {len(rows)}"


def sampling(studies: Studies) -> str:
    found = compared(studies)
    if not found:
        return ""
    slow, fast = ({each: found[each] for each in found if each[1] in methods} for methods in (SLOWEST, FASTEST))
    n_planned = len(SCENARIOS) * len(LEVELS) * len(studies.values("table5", "set"))
    missing = n_planned - sum(judged is not Verdict.TOO_FEW for judged in found.values())
    together = [each for each in clear_together(studies) if each[1] in SLOWEST]
    said = [
        f"**In {_clear(slow)} comparisons with the two slowest settings of Gibbs sampling, AC-Quick is clearly more "
        f"accurate; in {Counter(slow.values())[Verdict.SAMPLER]}, it is the other way round** ({len(together)} are "
        "clear with Holm's correction for many comparisons)."
        if slow
        else "",
        f"With the two faster settings, AC-Quick is clearly more accurate in {_clear(fast)}." if fast else "",
        f"{missing} of {n_planned} comparisons have too few queries, or none." if missing else "",
        not_dominated(studies),
        f"({_section('Figure 1', 'table-5-and-figure-1-queries')})",
    ]
    return " ".join(filter(None, said))


def _clear(found: dict) -> str:
    return f"{Counter(found.values())[Verdict.CIRCUIT]} of {len(found)}"


def one_circuit(studies: Studies) -> str:
    circuits, networks = best_circuits(studies), free_networks(studies)
    if not circuits:
        return ""
    found = near(circuits, networks)
    gaps = [networks[name]["result"]["test"] - circuits[name]["result"]["test"] for name in circuits]
    return (
        "**A single circuit of at most a million edges is clearly within 1 % of the network that may have any size on "
        f"{len(found.within)} of {len(circuits)} sets, clearly not on {len(found.beyond)}, and it is not clear on "
        f"{len(found.unclear)}**: in nats a row, from {min(gaps):+.2f} to {max(gaps):+.2f} behind. It is ahead of "
        f"{told_of((model for model in MODELS if model != BEST), tallies(circuits))} "
        f"({_section('the collection', 'the-density-estimation-collection')})."
    )


def mixtures(studies: Studies) -> str:
    ahead, compared = ahead_of_all(studies)
    if not compared:
        return ""
    edges = [found["edges"] for name, found in averaged_of(studies).items() if name in compared and "edges" in found]
    size = f" They have {thousands(min(edges))} to {thousands(max(edges))} edges x components." if edges else ""
    fewer = len(ahead_with(studies, FEW))
    return (
        f"**Four mixtures averaged are ahead of every tractable model whose figures we know on {len(ahead)} of "
        f"{len(compared)} sets**: {', '.join(ahead) or 'none'}.{size} With at most {FEW} components each they are "
        f"ahead on {fewer}. Most of the published figures are recalled, not checked, and none has an error "
        f"({_section('mixtures', 'mixtures-over-one-structure')})."
    )


def other_networks(studies: Studies) -> str:
    found = better_elsewhere(studies)
    if not found.compared:
        return ""
    return (
        f"**pyAgrum's networks fit better than our single circuit on {len(found.better)} of {len(found.compared)} "
        f"sets; {len(found.unanswered)} of these answer no query when nothing is known**, within the limits of time "
        f"and memory, and of {len(found.not_compiled)} our compiler finds no circuit. What a circuit costs to ask is "
        f"known from its edges ({_section('pyAgrum', 'against-todays-choice')})."
    )


CLAIMS: tuple[Callable[[Studies], str], ...] = (the_paper, sampling, one_circuit, mixtures, other_networks)


def _section(title: str, anchor: str) -> str:
    return f"[{title}](#{anchor})"


def _wrapped(number: int, text: str) -> str:
    return textwrap.fill(
        f"{number}. {text}", 120, subsequent_indent="   ", break_long_words=False, break_on_hyphens=False
    )
