"""Findings of the paper that did not come out here: the report begins with them."""

from __future__ import annotations

from dominance import not_dominated_on, told_against
from reproduced import COLUMNS, against_paper, other_sizes, treewidths, was_cut_off
from tables import NAMES, PAPER, Studies, edges_of, listed


def not_reproduced(studies: Studies) -> str:
    """What the paper found and this report did not: its first paragraph, and a list of the findings."""
    found = [text for each in FINDINGS if (text := each(studies))]
    data = _other_data(studies)
    if not found:
        return data
    told = "one finding of the paper" if len(found) == 1 else f"{len(found)} findings of the paper, one by one"
    points = "\n".join(f"- {each}" for each in found)
    return f"**Not reproduced: {told}, with what came out here.** {data}".rstrip() + f"\n\n{points}"


def _sampling_not_dominated(studies: Studies) -> str:
    others, undecided = not_dominated_on(studies)
    told = [f"{NAMES[name]} ({told_against(studies, name)})" for name in others]
    told += [f"{NAMES[name]} ({told_against(studies, name)}; so few decide nothing)" for name in undecided]
    return f"Circuits {DOMINATE}: not shown on {listed(told)}." if told else ""


def _edge_costs_not_avoided(studies: Studies) -> str:
    shares = [1 - r["result"]["changed"] / r["result"]["all"] for r in studies.records("optimisations")]
    wanted = PAPER["optimisations"]["avoided"]
    fewer = [share for share in shares if share <= wanted]
    if not fewer:
        return ""
    runs = "all" if fewer == shares else f"{len(fewer)} of {len(shares)}"
    return (
        f'Section 4.3\'s rule spares "over {wanted:.0%}" of the computations of edge costs: as we count them, '
        f"{min(fewer):.0%} to {max(fewer):.0%} in {runs} runs."
    )


def _compiled_larger(studies: Studies) -> str:
    """The paper's circuits are smaller than what c2d makes of the same networks."""
    smaller, bounds, theirs = 0, 0, []
    for row in against_paper(studies):
        key = {"set": row.name, "schedule": row.schedule}
        published = PAPER["table4"][row.name][row.schedule]
        theirs.append(edges_of(published["compiled_edges"]) < edges_of(published["edges"]))
        for record in studies.records("table4", stage="compile", **key):
            edges = record["result"].get("compiled_edges")
            if edges is not None and edges < studies.result("table4", stage="final", **key)["edges"]:
                smaller += 1
                bounds += was_cut_off(record)
    if smaller <= sum(theirs):
        return ""
    bounded = f" On {bounds} of these it was still looking for less when its time was up." if bounds else ""
    return (
        "What is compiled after learning is larger than what is learned: the paper's compiler, c2d, makes smaller "
        f"circuits for {sum(theirs) or 'none'} of {len(theirs)} networks, ours for {smaller}.{bounded} Ours is given "
        "the networks' counts, c2d was not."
    )


def _small_treewidths(studies: Studies) -> str:
    found = treewidths(studies)
    pairs = [pair for of_set in found.values() for pair in of_set]
    smaller = sum(ours < theirs for ours, theirs in pairs)
    if 2 * smaller <= len(pairs):
        return ""
    told = []
    for name, of_set in found.items():
        ours, theirs = (listed([str(width) for width in each]) for each in zip(*of_set, strict=True))
        told.append(f"{ours} on {NAMES[name]} ({theirs})")
    return (
        f"\"Very large treewidth\" of the circuits' networks: smaller than the paper's on {smaller} of {len(pairs)}; "
        f"{', '.join(told)}."
    )


def _worse_circuits(studies: Studies) -> str:
    worse = [
        f"{_FOR.get(row.schedule, COLUMNS[row.schedule])} on {NAMES[row.name]} ({row.test}; there {row.paper_test})"
        for row in against_paper(studies, schedules=tuple(COLUMNS))
        if not row.is_as_likely
    ]
    return f"Log-likelihoods of Table 4: below the paper's is that of {listed(worse)}." if worse else ""


def _other_data(studies: Studies) -> str:
    told = [
        f"{NAMES[name]} has {ours:,} {what} (the paper's {theirs:,})"
        for name, differing in other_sizes(studies).items()
        for what, (ours, theirs) in differing.items()
    ]
    return f"The data differ in size: {listed(told)}; Table 3 says what we know of it." if told else ""


_FOR = {"network": "the free network, for WinMine,"}
DOMINATE = '"easily dominate even the slowest runs of Gibbs sampling"'
FINDINGS = (_sampling_not_dominated, _edge_costs_not_avoided, _compiled_larger, _small_treewidths, _worse_circuits)
