"""What the report claims, on top of it: each claim in a paragraph, with the section that has its table.

Every count is made from the result files, so a claim changes when the results do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from compared import BEST, TRACTABLE, beside_network, best_circuits, free_networks, small_leads, tallies
from copied import clear_leads, mostly_by_copies
from elsewhere import better_elsewhere
from mixed import FEW, ahead_of_all, ahead_with, averaged_of, leads_within_error
from reproduced import against_paper, faster, fewer_variables, in_words, other_sizes, same_data
from sampling import FASTEST, SLOWEST, clear_together, decided, not_dominated_on
from table5 import LEVELS, SCENARIOS
from tables import NAMES, PAPER, Studies, edges_of, listed, thousands
from verdicts import Verdict


def not_reproduced(studies: Studies) -> str:
    """What the paper found and this report did not: its first paragraph."""
    found = [each(studies) for each in FINDINGS]
    told = [f"({number}) {text}" for number, text in enumerate(filter(None, found), 1)]
    said = f"**Not reproduced:** {'; '.join(told)}." if told else "All that the paper found is reproduced."
    return said + _other_data(studies)


def _sampling_not_dominated(studies: Studies) -> str:
    others, undecided = not_dominated_on(studies)
    told = [f"do not {DOMINATE} on {listed(others)}"] if others else []
    told += [f"were not shown to {'do so' if others else DOMINATE} on {listed(undecided)}"] if undecided else []
    return f"circuits {listed(told)}" if told else ""


def _edge_costs_not_avoided(studies: Studies) -> str:
    shares = [1 - r["result"]["changed"] / r["result"]["all"] for r in studies.records("optimisations")]
    wanted = PAPER["optimisations"]["avoided"]
    if not shares or min(shares) > wanted:
        return ""
    return (
        f"the rule of section 4.3 avoids {min(shares):.0%} to {max(shares):.0%} of the edge costs, as we count them, "
        f'not "over {wanted:.0%}"'
    )


def _compiled_larger(studies: Studies) -> str:
    """The paper's circuits are smaller than what c2d makes of the same networks."""
    ours, theirs = [], []
    for row in against_paper(studies):
        key = {"set": row.name, "schedule": row.schedule}
        compiled = studies.result("table4", stage="compile", **key).get("compiled_edges")
        published = PAPER["table4"][row.name][row.schedule]
        theirs.append(edges_of(published["compiled_edges"]) > edges_of(published["edges"]))
        ours.append(compiled is None or compiled > studies.result("table4", stage="final", **key)["edges"])
    if not all(theirs) or all(ours):
        return ""
    return (
        f"compiled after learning, the networks of {ours.count(False)} of {len(ours)} circuits need fewer edges than "
        "the circuit that was learned (with our compiler, which knows their counts); with c2d, none of the paper's did"
    )


def _worse_circuits(studies: Studies) -> str:
    worse = [f"{row.schedule} on {NAMES[row.name]}" for row in against_paper(studies) if not row.is_as_likely]
    return f"log-likelihoods are below the paper's of {listed(worse)}" if worse else ""


def _other_data(studies: Studies) -> str:
    told = [
        f"{NAMES[name]} has {ours:,} {what} (the paper's {theirs:,})"
        for name, differing in other_sizes(studies).items()
        for what, (ours, theirs) in differing.items()
    ]
    return f" The data differ in size: {listed(told)}; Table 3 says what we know of it." if told else ""


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
        f" With at most the paper's number of edges, by an edge penalty that falls, {_as_likely(of_its_size)} do."
        if of_its_size
        else ""
    )
    asking = [row.asking for row in rows if row.asking is not None]
    fewer = "".join(f" {_with_other_variables(studies, name)}" for name in other)
    also = f", and answer about {in_words(asking)} times faster" if asking else ""
    return (
        f"**{_as_likely(rows, 'our ')} circuits reach the log-likelihood of the paper's Table 4, at the digits that it "
        f"prints** ({equal} equal it{alike}).{size}{fewer} They learn {faster(rows)}{also}; the authors' times are "
        f"of 2008, on another machine. The paper has no standard errors; ours are {_errors(studies)} nats "
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
        f"here, {reached or 'none'} of its {len(rows)} circuits would reach it."
    )


def _errors(studies: Studies) -> str:
    found = [
        studies.result("table4", stage="final", set=row.name, schedule=row.schedule) for row in against_paper(studies)
    ]
    errors = [each.get("test_error", 0.0) for each in found]
    return f"{min(errors):.2f} to {max(errors):.1f}"


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
        f"comparisons; Gibbs sampling is in {sampler or 'none'}**, and {n_slow[Verdict.UNCLEAR]} are not clear (with "
        f"Holm's correction for many comparisons, {together[Verdict.CIRCUIT]} stay clear, and of the sampler's "
        f"{together[Verdict.SAMPLER] or 'none'})."
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
        f"{len(counts[most].ahead)} ({most}); {within} of these {leads} leads are below our standard error "
        f"({_section('the collection', 'the-density-estimation-collection')})."
    )


def _range(gaps: list[float]) -> str:
    if min(gaps) < 0 < max(gaps):
        return f"from {-min(gaps):.2f} nats a row ahead to {max(gaps):.2f} behind"
    what = "behind" if max(gaps) >= 0 else "ahead"
    return f"{min(map(abs, gaps)):.2f} to {max(map(abs, gaps)):.2f} nats a row {what}"


def mixtures(studies: Studies) -> str:
    ahead, compared = ahead_of_all(studies)
    if not compared:
        return ""
    edges = [found["edges"] for name, found in averaged_of(studies).items() if name in ahead and "edges" in found]
    size = f" There they have {thousands(min(edges))} to {thousands(max(edges))} edges x components." if edges else ""
    fewer = len(ahead_with(studies, FEW))
    by_copies = [name for name in mostly_by_copies(studies) if name in ahead]
    copies = (
        f" On {listed(by_copies)} they owe most of their gain over one circuit to test rows that are in train too."
        if by_copies
        else ""
    )
    return (
        f"**Four mixtures averaged are ahead of every tractable model whose figures we know on {len(ahead)} of "
        f"{len(compared)} sets**: {', '.join(ahead) or 'none'}.{size} With at most {FEW} components each they are "
        f"ahead on {fewer} sets.{copies} Most of the published figures are recalled, not checked, and none comes with "
        f"a standard error; ours is larger than the lead on {len(leads_within_error(studies))} of these "
        f"{len(ahead)} ({_section('mixtures', 'mixtures-over-one-structure')})."
    )


def other_networks(studies: Studies) -> str:
    found = better_elsewhere(studies)
    if not found.compared:
        return ""
    clearly = f", clearly on {len(clear_leads(studies))}" if studies.records("rowwise", question="difference") else ""
    return (
        f"**pyAgrum's networks fit better than the best of our single circuits on {len(found.better)} of "
        f"{len(found.compared)} sets{clearly}. Of these {len(found.better)}, {len(found.unanswered)} answer no query "
        f"when nothing is known, and {len(found.not_compiled)} cannot be compiled**, within the limits of time and "
        f"memory; with {found.most_known:.0%} of the variables known, {len(found.answered)} answer all queries. "
        f"How many operations a circuit needs is known from its edges ({_section('pyAgrum', 'against-todays-choice')})."
    )


CLAIMS: tuple[Callable[[Studies], str], ...] = (the_paper, sampling, one_circuit, mixtures, other_networks)


def _section(title: str, anchor: str) -> str:
    return f"[{title}](#{anchor})"
