"""What the report claims, on top of it: each claim in a paragraph, with the section that has its table.

Every count is made from the result files, so a claim changes when the results do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from compared import (
    BEST,
    TRACTABLE,
    beside_network,
    best_circuits,
    free_networks,
    recalled_figures,
    small_leads,
    tallies,
)
from copied import mostly_by_copies
from dominance import FASTEST, SLOWEST, clear_together, decided, not_dominated_on, told_against
from elsewhere import better_elsewhere, clear_leads, leads
from mixed import FEW, ahead_of_all, ahead_with, averaged_of, leads_within_error, told_perhaps
from reproduced import COLUMNS, against_paper, faster, fewer_variables, in_words, other_sizes, same_data, was_cut_off
from table5 import LEVELS, SCENARIOS
from tables import NAMES, PAPER, Studies, edges_of, listed, thousands
from verdicts import Sign, Verdict


def not_reproduced(studies: Studies) -> str:
    """What the paper found and this report did not: its first paragraph."""
    found = [each(studies) for each in FINDINGS]
    told = [f"({number}) {text}" for number, text in enumerate(filter(None, found), 1)]
    return (f"**Not reproduced:** {'; '.join(told)}." if told else "") + _other_data(studies)


def _sampling_not_dominated(studies: Studies) -> str:
    others, undecided = not_dominated_on(studies)
    told = [f"{NAMES[name]} ({told_against(studies, name)})" for name in others]
    told += [f"{NAMES[name]} ({told_against(studies, name)}; so few decide nothing)" for name in undecided]
    return f"circuits were not shown to {DOMINATE} on {listed(told)}" if told else ""


def _edge_costs_not_avoided(studies: Studies) -> str:
    shares = [1 - r["result"]["changed"] / r["result"]["all"] for r in studies.records("optimisations")]
    wanted = PAPER["optimisations"]["avoided"]
    fewer = [share for share in shares if share <= wanted]
    if not fewer:
        return ""
    runs = "all" if fewer == shares else f"{len(fewer)} of {len(shares)}"
    return (
        f"section 4.3's rule spares {min(fewer):.0%} to {max(fewer):.0%} of the computations of edge costs in {runs} "
        f'runs, as we count them, not "over {wanted:.0%}"'
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
    bounded = f", and was still looking for less on {bounds} when its time was up" if bounds else ""
    return (
        f"our compiler, which is given the networks' counts{bounded}, makes smaller circuits than were learned for "
        f"{smaller} of {len(theirs)} networks; the paper's compiler, c2d, for {sum(theirs) or 'none'}"
    )


def _worse_circuits(studies: Studies) -> str:
    worse = [
        f"{_FOR.get(row.schedule, COLUMNS[row.schedule])} on {NAMES[row.name]} ({row.test}; there {row.paper_test})"
        for row in against_paper(studies, schedules=tuple(COLUMNS))
        if not row.is_as_likely
    ]
    return f"less likely than in the paper is {listed(worse)}" if worse else ""


def _other_data(studies: Studies) -> str:
    told = [
        f"{NAMES[name]} has {ours:,} {what} (the paper's {theirs:,})"
        for name, differing in other_sizes(studies).items()
        for what, (ours, theirs) in differing.items()
    ]
    return f" The data differ in size: {listed(told)}; Table 3 says what we know of it." if told else ""


_FOR = {"network": "the free network, for WinMine,"}
DOMINATE = '"easily dominate even the slowest runs of Gibbs sampling"'
FINDINGS = (_sampling_not_dominated, _edge_costs_not_avoided, _compiled_larger, _worse_circuits)


def claims(studies: Studies) -> str:
    """A numbered list in Markdown, of the claims there are results for."""
    found = [text for make in CLAIMS if (text := make(studies))]
    return "".join(f"{number}. {text}\n" for number, text in enumerate(found, 1))


def the_paper(studies: Studies) -> str:
    rows, of_its_size, same = against_paper(studies), against_paper(studies, "size"), same_data(studies)
    if not rows:
        return ""
    other = fewer_variables(studies)
    equal = sum(float(row.test) == float(row.paper_test) for row in rows)
    on_same = [row for row in rows if row.name in same]
    alike = (
        f"; {_as_likely(on_same)} on {listed([NAMES[name] for name in same])}, whose sizes are the paper's"
        if on_same
        else ""
    )
    size = (
        f" With a falling edge penalty and at most the paper's number of edges, {_as_likely(of_its_size)} do."
        if of_its_size
        else ""
    )
    asking = [row.asking for row in rows if row.asking is not None]
    fewer = "".join(f" {_with_other_variables(studies, name)}" for name in other)
    also = f" They answer about {in_words(asking)} times faster." if asking else ""
    return (
        f"**{_as_likely(rows, 'our ')} circuits reach the log-likelihood of the paper's Table 4, at the digits that it "
        f"prints** ({equal} equal it{alike}).{size}{fewer} They learn {faster(rows)}.{also} The authors' times are "
        f"of 2008, on another machine. The paper has no standard errors{_errors(studies)} "
        f"({_section('Table 4', 'table-4-the-learned-models')}, "
        f"{_section('Table 5', 'table-5-and-figure-1-queries')})."
    )


def _with_other_variables(studies: Studies, name: str) -> str:
    """What a log-likelihood of fewer variables is worth beside one of more."""
    ours, theirs = fewer_variables(studies)[name]
    rows = [(row, stage) for stage in ("final", "size") for row in against_paper(studies, stage) if row.name == name]
    tests = [studies.result("table4", stage=stage, set=name, schedule=row.schedule)["test"] for row, stage in rows]
    reached = sum(
        round(test * theirs / ours, len(row.paper_test.split(".")[1])) >= float(row.paper_test)
        for test, (row, _) in zip(tests, rows, strict=True)
    )
    return (
        f"But of {NAMES[name]} we have {ours} of {theirs} variables: with as many, all as hard to predict as those "
        f"here, {reached or 'none'} of its {len(rows)} circuits (of both searches, with chosen penalties and of the "
        "paper's size) would reach it."
    )


def _errors(studies: Studies) -> str:
    found = [
        studies.result("table4", stage="final", set=row.name, schedule=row.schedule) for row in against_paper(studies)
    ]
    errors = [each["test_error"] for each in found if "test_error" in each]
    return f"; ours are {min(errors):.2f} to {max(errors):.1f} nats" if errors else ""


def _as_likely(rows: list, whose: str = "") -> str:
    return f"{sum(row.is_as_likely for row in rows)} of {whose}{len(rows)}"


def sampling(studies: Studies) -> str:
    found = decided(studies)
    if not found:
        return ""
    slow, fast = ({each: found[each] for each in found if each[1] in methods} for methods in (SLOWEST, FASTEST))
    n_planned = len(SCENARIOS) * len(LEVELS) * len(studies.values("table5", "set"))
    together = Counter(slow.get(each) for each in clear_together(studies))
    missing = n_planned - len(found)
    n_slow = Counter(slow.values())
    sampler = n_slow[Verdict.SAMPLER]
    said = [
        f"**AC-Quick is clearly more accurate than the two slowest settings of Gibbs sampling in {_clear(slow)} "
        f"comparisons ({together[Verdict.CIRCUIT]} with Holm's correction for many), Gibbs sampling in "
        f"{sampler or 'none'} ({together[Verdict.SAMPLER] or 'none'})**; {n_slow[Verdict.UNCLEAR]} are not clear."
        if slow
        else "",
        f"Against the two faster settings: {_clear(fast)}." if fast else "",
        f"{missing} of {n_planned} comparisons were not made, or with too few queries." if missing else "",
        f"({_section('Figure 1', 'table-5-and-figure-1-queries')})",
    ]
    return " ".join(filter(None, said))


def _clear(found: dict) -> str:
    return f"{Counter(found.values())[Verdict.CIRCUIT]} of {len(found)}"


def one_circuit(studies: Studies) -> str:
    circuits, networks = best_circuits(studies), free_networks(studies)
    if not circuits:
        return ""
    found, counts = beside_network(circuits), tallies(circuits)
    gaps = [networks[name]["result"]["test"] - circuits[name]["result"]["test"] for name in circuits]
    whole = [model for model in TRACTABLE if model != BEST and counts[model].n_sets == len(circuits)]
    least, most = (choose(whole, key=lambda model: len(counts[model].ahead)) for choose in (min, max))
    within, leads = small_leads(circuits)
    edges = thousands(next(iter(circuits.values()))["task"].get("max_edges"))
    return (
        f"**A single circuit of at most {edges} edges is clearly behind the free network on {len(found.behind)} of "
        f"{len(circuits)} sets, clearly ahead on {len(found.ahead)}, and neither on {len(found.unclear)}**: "
        f"{_range(gaps)}. Of published tractable models it is ahead of the best on {len(counts[BEST].ahead)} of "
        f"{len(circuits)} sets, and of each of the others on {len(counts[least].ahead)} ({least}) to "
        f"{len(counts[most].ahead)} ({most}); {within} of these {leads} leads (without Libra's) are below our standard "
        f"error ({_section('the collection', 'the-density-estimation-collection')})."
    )


def _range(gaps: list[float]) -> str:
    if -0.005 < min(gaps) < 0.005 < max(gaps):
        return f"from level to {max(gaps):.2f} nats a row behind"
    if min(gaps) < 0 < max(gaps):
        return f"from {-min(gaps):.2f} nats a row ahead to {max(gaps):.2f} behind"
    what = "behind" if max(gaps) >= 0 else "ahead"
    return f"{min(map(abs, gaps)):.2f} to {max(map(abs, gaps)):.2f} nats a row {what}"


def mixtures(studies: Studies) -> str:
    ahead, compared = ahead_of_all(studies)
    if not compared:
        return ""
    edges = [found["edges"] for name, found in averaged_of(studies).items() if name in ahead and "edges" in found]
    size = (
        f" Where they are ahead, they have {thousands(min(edges))} to {thousands(max(edges))} edges x components."
        if edges
        else ""
    )
    fewer = len(ahead_with(studies, FEW))
    by_copies = [name for name in mostly_by_copies(studies) if name in ahead]
    copies = (
        f" On {listed(by_copies)} they owe most of their gain over one circuit to test rows that are in train too."
        if by_copies
        else ""
    )
    perhaps = f" {doubt}" if (doubt := told_perhaps(studies)) else ""
    return (
        f"**Four mixtures averaged are ahead of every tractable model whose figures we know on {len(ahead)} of "
        f"{len(compared)} sets**: {', '.join(ahead) or 'none'}; on {len(leads_within_error(studies))} of them by less "
        f"than our standard error. {recalled_figures()}, and we know no standard errors of any.{perhaps}{size} With at "
        f"most {FEW} components each they are ahead on {fewer} sets.{copies} "
        f"({_section('Mixtures', 'mixtures-over-one-structure')})"
    )


def other_networks(studies: Studies) -> str:
    found = better_elsewhere(studies)
    if not found.compared:
        return ""
    above, below = (len(clear_leads(studies, sign)) for sign in (Sign.ABOVE, Sign.BELOW))
    clearly = f" (clearly on {above}, clearly worse on {below})" if leads(studies) else ""
    return (
        f"**pyAgrum's networks fit better than the best of our single circuits on {len(found.better)} of "
        f"{len(found.compared)} sets{clearly}. Of these {len(found.better)}, {len(found.unanswered)} answer no query "
        f"when nothing is known, and {len(found.not_compiled)} were not compiled, within our limits of time and "
        f"memory**; with {found.most_known:.0%} of the variables known, {len(found.answered)} answer all queries. "
        f"How many operations a circuit needs is known from its edges ({_section('pyAgrum', 'against-pyagrum')})."
    )


CLAIMS: tuple[Callable[[Studies], str], ...] = (the_paper, sampling, one_circuit, mixtures, other_networks)


def _section(title: str, anchor: str) -> str:
    return f"[{title}](#{anchor})"
