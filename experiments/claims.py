"""What the report claims, on top of it: each claim in a sentence, with the section that has its table, and what must be
known to judge it, point by point.

Every count is made from the result files, so a claim changes when the results do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import isnan

from compared import (
    BEST,
    TRACTABLE,
    beside_network,
    best_circuits,
    free_networks,
    recalled_models,
    small_leads,
    tallies,
)
from copied import found_copies, mostly_by_copies
from dominance import FASTEST, SLOWEST, VERY_FEW, clear_together, decided
from elsewhere import better_elsewhere, clear_leads, leads
from mixed import (
    FEW,
    ahead_of_all,
    ahead_of_best,
    ahead_with,
    averaged_of,
    leads_within_error,
    lost_perhaps,
    of_kind,
    told_perhaps,
)
from reproduced import AgainstPaper, against_paper, faster, fewer_variables, same_data
from table5 import LEVELS, SCENARIOS
from tables import NAMES, Studies, in_words, listed, thousands
from verdicts import Sign, Verdict


def claims(studies: Studies) -> str:
    """A numbered list in Markdown, of the claims there are results for."""
    found = [told for make in CLAIMS if (told := make(studies))]
    return "".join(
        f"{number}. {claim}\n" + "".join(f"   - {point}\n" for point in points)
        for number, (claim, *points) in enumerate(found, 1)
    )


def the_paper(studies: Studies) -> list[str]:
    rows, of_its_size, same = against_paper(studies), against_paper(studies, "size"), same_data(studies)
    if not rows:
        return []
    on_same = [row for row in rows if row.name in same]
    points = [
        f"Only {listed([NAMES[name] for name in same])} has the paper's numbers of rows and variables: "
        f"{_as_likely(on_same)} reach it there."
        if on_same
        else "",
        f"With a falling edge penalty and at most the paper's number of edges, {_as_likely(of_its_size)} do"
        f"{_answering(of_its_size, ', and ')}."
        if of_its_size
        else "",
        *(_with_other_variables(studies, name) for name in fewer_variables(studies)),
        f"{sum(float(row.test) == float(row.paper_test) for row in rows)} of the {len(rows)} equal it. The paper has "
        f"no standard errors{_errors(studies)}.",
        "The authors' times are of 2008, on another machine.",
    ]
    claim = (
        f"**{_as_likely(rows, 'our ')} circuits reach the log-likelihood of the paper's Table 4, at the digits that it "
        f"prints.** They learn {faster(rows)}.{_answering(rows, ' They ', '.')} "
        f"({_section('Table 4', 'table-4-the-learned-models')}, {_section('Table 5', 'table-5-and-figure-1-queries')})"
    )
    return [claim, *filter(None, points)]


def _answering(rows: list[AgainstPaper], before: str, after: str = "") -> str:
    """How many times faster, if that is known."""
    found = [row.asking for row in rows if row.asking is not None]
    return f"{before}answer about {in_words(found)} times faster{after}" if found else ""


def _with_other_variables(studies: Studies, name: str) -> str:
    """What a log-likelihood of fewer variables is worth beside one of more."""
    ours, theirs = fewer_variables(studies)[name]
    rows = [(row, stage) for stage in ("final", "size") for row in against_paper(studies, stage) if row.name == name]
    tests = [studies.result("table4", stage=stage, set=name, schedule=row.schedule)["test"] for row, stage in rows]
    reached = sum(
        round(test * theirs / ours, len(row.paper_test.split(".")[1])) >= float(row.paper_test)
        for test, (row, _) in zip(tests, rows, strict=True)
    )
    digits = len(rows[0][0].paper_test.split(".")[1])
    least, most = (f"{test * theirs / ours:.{digits}f}" for test in (min(tests), max(tests)))
    return (
        f"Our {NAMES[name]} has {ours} of {theirs} variables. If the others were as hard to predict, our {len(rows)} "
        f"circuits (of both searches, with chosen penalties and of the paper's size) would have {least} to {most}; "
        f"{reached or 'none'} would reach the paper's."
    )


def _errors(studies: Studies) -> str:
    found = [
        studies.result("table4", stage="final", set=row.name, schedule=row.schedule) for row in against_paper(studies)
    ]
    errors = [each["test_error"] for each in found if "test_error" in each]
    if not errors:
        return ""
    rows = zip(against_paper(studies), found, strict=True)
    within = sum(abs(each["test"] - float(row.paper_test)) <= each.get("test_error", 0.0) for row, each in rows)
    return (
        f"; ours are {min(errors):.2f} to {max(errors):.1f} nats, more than the difference to the paper on {within} of "
        f"{len(found)}"
    )


def _as_likely(rows: list, whose: str = "") -> str:
    return f"{sum(row.is_as_likely for row in rows)} of {whose}{len(rows)}"


def sampling(studies: Studies) -> list[str]:
    found = decided(studies)
    slow, fast = ({each: found[each] for each in found if each[1] in methods} for methods in (SLOWEST, FASTEST))
    if not slow:
        return []
    n_planned = len(SCENARIOS) * len(LEVELS) * len(studies.values("table5", "set"))
    together = Counter(slow.get(each) for each in clear_together(studies))
    missing = n_planned - len(found)
    n_slow = Counter(slow.values())
    told = [
        f"**AC-Quick is clearly more accurate than the two slowest settings of Gibbs sampling in {_clear(slow)} "
        f"comparisons, Gibbs sampling in {n_slow[Verdict.SAMPLER] or 'none'}.** {n_slow[Verdict.UNCLEAR]} are not "
        f"clear. ({_section('Figure 1', 'table-5-and-figure-1-queries')})",
        f"With Holm's correction for many comparisons, AC-Quick in {together[Verdict.CIRCUIT] or 'none'}, Gibbs "
        f"sampling in {together[Verdict.SAMPLER] or 'none'}.",
        f"By set, AC-Quick is clearly more accurate in {_by_set(slow)}. Queries for {VERY_FEW:.0%} of the variables "
        "are counted here; for the paper's sentence above they are left out, as the paper does with very few.",
        f"Against the two faster settings, AC-Quick is clearly more accurate in {_clear(fast)}." if fast else "",
        f"{missing} of {n_planned} comparisons were not made, or with too few queries." if missing else "",
    ]
    return [each for each in told if each]


def _by_set(found: dict) -> str:
    by_set = {name: {each: judged for each, judged in found.items() if each[0] == name} for name, *_ in found}
    return listed([f"{_clear(of_set)} on {NAMES[name]}" for name, of_set in by_set.items()])


def _clear(found: dict) -> str:
    return f"{Counter(found.values())[Verdict.CIRCUIT]} of {len(found)}"


def one_circuit(studies: Studies) -> list[str]:
    circuits, networks = best_circuits(studies), free_networks(studies)
    if not circuits:
        return []
    found, counts = beside_network(circuits), tallies(circuits)
    gaps = [networks[name]["result"]["test"] - circuits[name]["result"]["test"] for name in circuits]
    whole = [model for model in TRACTABLE if model != BEST and counts[model].n_sets == len(circuits)]
    least, most = (choose(whole, key=lambda model: len(counts[model].ahead)) for choose in (min, max))
    within, leads = small_leads(circuits)
    edges = thousands(next(iter(circuits.values()))["task"].get("max_edges"))
    return [
        f"**A single circuit of at most {edges} edges is clearly behind the free network on {len(found.behind)} of "
        f"{len(circuits)} sets, clearly ahead on {len(found.ahead)}, and neither on {len(found.unclear)}**: "
        f"{_range(gaps)}. ({_section('The collection', 'the-density-estimation-collection')})",
        f"Of published tractable models it is ahead of the best on {len(counts[BEST].ahead)} of {len(circuits)} sets, "
        f"and of each of the others on {len(counts[least].ahead)} ({least}) to {len(counts[most].ahead)} ({most}).",
        f"It leads over one of them (without Libra's) {leads} times in all, {within} times by less than our standard "
        "error.",
    ]


def _range(gaps: list[float]) -> str:
    if -0.005 < min(gaps) < 0.005 < max(gaps):
        return f"from level to {max(gaps):.2f} nats a row behind"
    if min(gaps) < 0 < max(gaps):
        return f"from {-min(gaps):.2f} nats a row ahead to {max(gaps):.2f} behind"
    what = "behind" if max(gaps) >= 0 else "ahead"
    return f"{min(map(abs, gaps)):.2f} to {max(map(abs, gaps)):.2f} nats a row {what}"


def mixtures(studies: Studies) -> list[str]:
    ahead, compared = ahead_of_all(studies)
    if not compared:
        return []
    edges = [found["edges"] for name, found in averaged_of(studies).items() if name in ahead and "edges" in found]
    size = f"they have {thousands(min(edges))} to {thousands(max(edges))} edges x components. " if edges else ""
    by_copies = [name for name in mostly_by_copies(studies) if name in ahead]
    perhaps = len(ahead) - len(lost_perhaps(studies))
    doubt = f" (on {perhaps}, with figures that we are less sure of)" if perhaps < len(ahead) else ""
    points = [
        f"On {len(leads_within_error(studies))} of them by less than our standard error. We know no standard errors of "
        "the others.",
        f"The best figures are recalled, not checked, as are those of {recalled_models()} models shown. "
        f"{told_perhaps(studies)}".rstrip(),
        f"Where they are ahead, {size}With at most {FEW} components each they are ahead on "
        f"{len(ahead_with(studies, FEW))} sets{_small_mixtures(studies)}.",
        f"On {listed(by_copies)} they owe most of their gain over one circuit to test rows that are in train too."
        f"{_copies_unknown(studies, ahead)}"
        if by_copies
        else "",
    ]
    claim = (
        f"**Four mixtures averaged are ahead of every tractable model whose figures we know on {len(ahead)} of "
        f"{len(compared)} sets{doubt}**: {', '.join(ahead) or 'none'}. "
        f"({_section('Mixtures', 'mixtures-over-one-structure')})"
    )
    return [claim, *filter(None, points)]


def _small_mixtures(studies: Studies) -> str:
    """Mixtures of the size of a single circuit."""
    found = of_kind(studies, "mixture")
    limits = {record["task"].get("max_edges") for record in studies.records("mixtures", kind="mixture")}
    if len(limits) != 1:
        return ""
    return f"; one mixture of at most {thousands(limits.pop())} edges x components on {len(ahead_of_best(found))}"


def _copies_unknown(studies: Studies, ahead: list[str]) -> str:
    """Where most test rows are copies, and models were not learned again without them."""
    names = [
        each.name for each in found_copies(studies) if each.name in ahead and each.share > 0.5 and isnan(each.gain)
    ]
    return f" On {listed(names)}, where most test rows are, it is not known." if names else ""


def other_networks(studies: Studies) -> list[str]:
    found = better_elsewhere(studies)
    if not found.compared:
        return []
    above, below = (len(clear_leads(studies, sign)) for sign in (Sign.ABOVE, Sign.BELOW))
    clearly = f" (clearly on {above}, clearly worse on {below})" if leads(studies) else ""
    return [
        f"**pyAgrum's networks fit better than the best of our single circuits on {len(found.better)} of "
        f"{len(found.compared)} sets{clearly}.** ({_section('pyAgrum', 'against-pyagrum')})",
        f"Of these {len(found.better)}, {len(found.unanswered)} answer no query when nothing is known, and "
        f"{len(found.not_compiled)} were not compiled, within our limits of time and memory; with "
        f"{found.most_known:.0%} of the variables known, {len(found.answered)} answer all queries.",
        "What a query costs is known in advance of a circuit, from its edges, and not of such a network.",
    ]


CLAIMS: tuple[Callable[[Studies], list[str]], ...] = (the_paper, sampling, one_circuit, mixtures, other_networks)


def _section(title: str, anchor: str) -> str:
    return f"[{title}](#{anchor})"
