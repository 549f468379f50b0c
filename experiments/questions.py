"""Questions that a hostile reviewer would ask of the report, each answered with numbers from the result files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import product
from math import inf
from typing import Any

import numpy as np
from compared import (
    BEST,
    MODELS,
    N_SETS,
    RECALLED,
    TRACTABLE,
    beside_network,
    best_circuits,
    free_networks,
    small_leads,
    tallies,
    told_of,
)
from copied import FEW as FEW_COPIES
from copied import found_copies, mostly_by_copies, with_copies
from copied import told as told_of_copies
from dominance import SLOWEST, VERY_FEW, cell, is_dominated, that_count
from elsewhere import answered_within, better_elsewhere
from layout import laid_out
from libra import pairs
from losses import losses
from mixed import ahead_of_all, averaged_of, leads_within_error, of_kind
from reproduced import against_paper, faster
from sampling import orders_of_magnitude, seconds_of_queries
from table5 import CIRCUITS, SCENARIOS
from tables import NAMES, PAPER, Studies, duration, edges_of, in_words, listed, table, thousands
from verdicts import SAFE_QUERIES, Verdict, tally

from learnac.defaults import MAX_EDGES

QUICK = 100  # milliseconds of a query

INTRODUCTION = """\
# What a hostile reviewer would ask

Made by `make paper` from the same result files as [the report](REPORT.md), which has the tables behind each number.

"""


def questions(studies: Studies) -> str:
    """The page, in Markdown. What there are no results for yet is not asked."""
    answered = [(question, told) for question, answer in QUESTIONS.items() if (told := answer(studies))]
    asked = [f"## {number}. {question}\n\n{told}\n" for number, (question, told) in enumerate(answered, 1)]
    return laid_out(INTRODUCTION + "\n".join(asked))


def of_the_same_size(studies: Studies) -> str:
    rows = against_paper(studies, "size")
    if not rows:
        return ""
    as_likely = sum(row.is_as_likely for row in rows)
    edges = {
        (name, schedule): studies.result("table4", stage="final", set=name, schedule=schedule)["edges"]
        for name, schedule, *_ in against_paper(studies)
    }
    theirs = {key: edges_of(PAPER["table4"][key[0]][key[1]]["edges"]) for key in edges}
    larger = [f"{NAMES[key[0]]} ({key[1]})" for key in edges if edges[key] > theirs[key]]
    return (
        f"Those of Table 4 have the penalties that valid chose, and are larger on {len(larger)} of {len(edges)}: "
        f"{listed(larger) or 'none'}. Learned again with at most the paper's number of edges, {as_likely} of "
        f"{len(rows)} circuits have at least its log-likelihood, and learn {faster(rows)} "
        "(Table 4, the rows of the paper's size)."
    )


def same_machine(studies: Studies) -> str:
    ours, whole = ([pair["seconds"] / pair[key] for pair in pairs()] for key in ("our_seconds", "our_process_seconds"))
    return (
        "How much is not known: the paper's machine of 2008 is not here. What is known: the authors' own later "
        "toolkit, Libra, run side by side with an early version of learnac on one machine with the same penalties, "
        f"takes {min(ours):.0f} to {max(ours):.0f} times as long as our learning (the median of {len(ours)} runs is "
        f"{np.median(ours):.0f}), and {min(whole):.2g} to {max(whole):.2g} times as long as our whole process, which "
        f"starts Python and reads the table.{_of_queries(studies)}"
    )


def _of_queries(studies: Studies) -> str:
    """Our sampler shows what machine and programming do to queries; within either time, methods can be compared."""
    samplers, circuits = (
        [
            PAPER["table5"][method][name] / seconds
            for method, name in product(methods, studies.values("table5", "set"))
            if (seconds := seconds_of_queries(studies, name, method)) is not None
        ]
        for methods in (SCENARIOS, CIRCUITS)
    )
    if not samplers or not circuits:
        return ""
    return (
        f" Of queries: our Gibbs sampler, too, is {in_words(samplers)} times faster than the paper's, our circuits "
        f"{in_words(circuits)} times. {orders_of_magnitude(studies)}"
    )


def sampling(studies: Studies) -> str:
    sets = studies.values("table5", "set")
    counts = {
        (method, name): Counter(that_count(studies, [method], [name]).values())
        for method, name in product(SLOWEST, sets)
    }
    if not any(counts.values()):
        return ""
    rows = [
        [
            method,
            NAMES[name],
            count.total(),
            count[Verdict.CIRCUIT],
            count[Verdict.SAMPLER],
            _n_queries(studies, method, name),
        ]
        for (method, name), count in counts.items()
        if count
    ]
    found = [is_dominated(studies, name) for name in sets]
    in_part = "Only in part" if any(count[Verdict.CIRCUIT] for count in counts.values()) else "No"
    answer = in_part if False in found else "It cannot be said yet" if None in found else "Yes"
    return (
        f"{answer}. Clearly better is where the 95 % interval of the difference does not have zero in it. Queries that "
        f"ask for {VERY_FEW:.0%} of the variables are left out: the paper makes an exception of very few. Of fewer "
        f"than {SAFE_QUERIES} queries of a kind, only what is clearly for the circuit counts (a rule of after the "
        "results; the report says why).\n\n"
        + table(["", "set", "comparisons", "circuit clearly better", "sampler clearly better", "queries of each"], rows)
    )


def _n_queries(studies: Studies, method: str, name: str) -> int:
    """The fewest of any kind that counts."""
    return min(cell(studies, *each)["rows"] for each in that_count(studies, [method], [name]))


def untuned(studies: Studies) -> str:
    tuned, losses = best_circuits(studies), {}
    for name, record in tuned.items():
        plain = studies.result("collection", stage="untuned", set=name, n_components=1)
        if plain:
            losses[name] = record["result"]["test"] - plain["test"]
    if not losses:
        return ""
    worst = max(losses, key=lambda name: losses[name])
    shares = {name: loss / -tuned[name]["result"]["test"] for name, loss in losses.items()}
    most = max(shares, key=lambda name: shares[name])
    edges = thousands(max(record["task"].get("max_edges", 0) for record in tuned.values()))
    return (
        'Not within this report, but earlier versions had read test: "What is weak here" says when. `LearnAC()` with '
        f"no setting at all, without the validation rows, and with at most {thousands(MAX_EDGES)} edges where the "
        f"tuned circuit has at most {edges}, is {np.median(list(losses.values())):.3f} nats a row worse at the median "
        f"of {len(losses)} sets, at most {losses[worst]:.3f} ({worst}); in proportion at most {shares[most]:.1%} "
        f"({most}). This is no independent check: its defaults were chosen on validation rows of the same sets."
    )


def state_of_the_art(studies: Studies) -> str:
    circuits = best_circuits(studies)
    if not circuits:
        return ""
    counts = tallies(circuits)
    better = [model for model in TRACTABLE if model != BEST and counts[model].behind]
    within, leads = small_leads(circuits)
    return (
        f"{'On most sets' if counts[BEST].is_mostly_ahead else 'No'}. Our single circuit is ahead of the best "
        f"published tractable model on {len(counts[BEST].ahead)} of {len(circuits)} sets, and behind "
        f"{told_of(better, counts, 'behind') or 'none'}. It leads over one of them (without Libra's) in {leads} cases, "
        f"in {within} by less than our standard error (that of the difference may be smaller). Its answers are exact "
        "and take one pass, as those of other tractable models do, and its network can be read. Where accuracy counts "
        "more, there are mixtures."
    )


def cost_of_mixtures(studies: Studies) -> str:
    """Whether the headline is bought with larger models."""
    ahead, compared = ahead_of_all(studies)
    if not compared:
        return ""
    averaged = {name: found for name, found in averaged_of(studies).items() if name in compared}
    one = {name: found for name, found in of_kind(studies, "mixture").items() if name in compared}
    best = tally({name: found["test"] for name, found in one.items()}, MODELS[BEST]["test"])
    edges = [found["edges"] for name, found in averaged.items() if name in ahead]
    slowest = max(found["query_ms"]["0"] for found in averaged.values())
    limit = thousands(studies.records("mixtures", kind="mixture")[0]["task"].get("max_edges")) if one else ""
    tuned = {name: record["result"]["test"] for name, record in best_circuits(studies).items()}
    better = [name for name, found in one.items() if name in tuned and found["test"] > tuned[name]]
    answer = "No"
    if len(best.ahead) < len(ahead):
        answer = "Largely, yes" if 2 * len(best.ahead) < len(ahead) else "In part"
    return (
        f"{answer}. With at most {limit} edges x components, one "
        f"mixture is ahead of the best published tractable model on {len(best.ahead)} of {len(compared)} sets and "
        f"level on {len(best.level)}. Against the tuned single circuit of the same limit it is better on "
        f"{len(better)} of {len(one)}. Four averaged, which are ahead on {len(ahead)} of {len(compared)} sets, have "
        f"{thousands(min(edges, default=0))} to {thousands(max(edges, default=0))} edges x components there, and take "
        f"up to {slowest:.0f} ms for all posteriors. A mixture also loses what a single circuit has: no network of the "
        "columns equals it, the most probable world is found by a search, and entropy and divergence are refused. What "
        "the published models cost to ask is not known to us."
    )


def seeds(studies: Studies) -> str:
    spreads, leads = {}, {}
    best = MODELS[BEST]["test"]
    for name, found in averaged_of(studies).items():
        scores = [record["result"]["test"] for record in studies.records("mixtures", kind="mixture", set=name)]
        if name in best and len(scores) > 1:
            spreads[name], leads[name] = max(scores) - min(scores), found["test"] - best[name]
    if not spreads:
        return ""
    ahead = [name for name in leads if round(leads[name], 2) > 0]
    clear = [name for name in ahead if leads[name] > spreads[name]]
    noisy = [name for name in leads_within_error(studies) if name in ahead]
    widest = max(spreads, key=lambda name: spreads[name])
    return (
        f"Two seeds of one mixture differ by {np.median(list(spreads.values())):.3f} at the median and by "
        f"{spreads[widest]:.2f} at most ({widest}). Averages of four were learned once. Where they "
        "are ahead of the best published tractable model, the lead is larger than the difference of the set's two "
        f"single mixtures on {len(clear)} of {len(ahead)} sets"
        + (f"; not on {listed([name for name in ahead if name not in clear])}." if clear != ahead else ".")
        + f" The lead is smaller than our standard error over test rows on {len(noisy)} of these {len(ahead)}; both "
        "models are scored on the same rows, so the error of the difference may be smaller."
    )


def recalled(studies: Studies) -> str:
    sources = Counter(model["source"] == RECALLED for model in MODELS.values())
    sets = [name for name in studies.values("mixtures", "set") if name in MODELS[BEST]["test"]]
    return (
        f"{'Mostly not' if 2 * sources[True] > sources.total() else 'Not all'} checked: {sources[True]} of "
        f"{sources.total()} published columns are recalled from papers. They carry a star in every table. Those that "
        "were run or read from logs: "
        f"{listed([name for name, model in MODELS.items() if model['source'] != RECALLED])}. Scores are compared at "
        f"two decimals; equal ones are called level. Of the {N_SETS} sets of the collection, {len(sets)} are here."
    )


def junction_tree(studies: Studies) -> str:
    found = better_elsewhere(studies)
    if not found.compared:
        return ""
    told, answers = [], []
    levels = studies.records("alternatives")[0]["task"]["levels"]
    for level in (max(levels), min(levels)):
        means = answered_within(studies, level)
        quick = sum(mean is not None and mean < QUICK for mean in means)
        answers.append(f"{'often' if 2 * quick > len(means) else 'seldom'} with {level:.0%} of the variables known")
        told.append(
            f"with {level:.0%} of the variables known, {quick} of {len(means)} of its networks answer all queries in "
            f"less than {QUICK} ms at the mean, and {means.count(None)} do not answer all"
        )
    return (
        f"{listed(answers).capitalize()}. pyAgrum, its penalty and what is added to counts chosen on valid, learned a "
        f"network on {len(found.compared)} sets and fits test better than our single circuit on {len(found.better)} "
        f"({', '.join(found.better) or 'none'}). {len(found.unanswered)} of these answer no query when nothing is "
        f"known, and of {len(found.not_compiled)} there is no circuit within the limits. Of all its networks, with any "
        f"number of parents or few: {'; '.join(told)}."
    )


def free_network(studies: Studies) -> str:
    """What the limit on edges costs."""
    circuits, networks = best_circuits(studies), free_networks(studies)
    gaps = {name: networks[name]["result"]["test"] - circuits[name]["result"]["test"] for name in circuits}
    if not gaps:
        return ""
    shares = {name: gap / -networks[name]["result"]["test"] for name, gap in gaps.items()}
    widest, largest = (max(found, key=lambda name: found[name]) for found in (gaps, shares))
    error = circuits[widest]["result"].get("behind_error")
    found = beside_network(circuits)
    return (
        f"In nats most on {widest} ({gaps[widest]:.2f}{'' if error is None else f' ± {error:.2f}'} a row), in percent "
        f"most on {largest} ({shares[largest]:.1%}). On {len(found.behind)} of {len(gaps)} sets the circuit is clearly "
        f"behind a network that may have any size, on {len(found.ahead)} clearly ahead. Exact inference in such a "
        "network may take time that is exponential in the number of its variables."
    )


def by_heart(studies: Studies) -> str:
    """What is gained by test rows that are in train."""
    shares = {each.name: each.share for each in found_copies(studies)}
    if not shares:
        return ""
    mostly = mostly_by_copies(studies)
    ahead = [name for name in ahead_of_all(studies)[0] if shares.get(name, 0.0) >= FEW_COPIES]
    both = [each.name for each in with_copies(studies)]
    answer = f"On {listed(mostly)}, mostly" if mostly else "Hardly" if both else "Not known"
    left = [name for name in ahead if name not in both]
    unknown = f" Not learned again for this, so not known: {listed(left)}." if left else ""
    return (
        f"{answer}. Of the sets on which four averaged are ahead, {len(ahead)} have at least "
        f"{FEW_COPIES:.0%} of their test rows in train ({', '.join(ahead) or 'none'}); published models were scored on "
        f"the same rows. {told_of_copies(studies)}{unknown}"
    )


def compiled_afterwards(studies: Studies) -> str:
    """Whether the edge penalty is needed, with a good compiler."""
    free = [record["result"].get("compiled_edges") for record in _compiled(studies, "network")]
    theirs = studies.records("alternatives", stage="compile")
    circuits = [
        (record["result"].get("compiled_edges"), studies.result("table4", stage="final", **_same(record))["edges"])
        for schedule in ("greedy", "quick")
        for record in _compiled(studies, schedule)
    ]
    if not free or not circuits:
        return ""
    smaller = sum(compiled is not None and compiled < edges for compiled, edges in circuits)
    limit, seconds = (_compiled(studies, "network")[0]["task"][key] for key in ("most_edges", "search_seconds"))
    within = [record["task"]["set"] for record in theirs if record["result"].get("edges", inf) <= limit]
    others = (
        f" Of pyAgrum's {len(theirs)}, with any number of parents or few, {len(within)} have one (of "
        f"{listed(list(dict.fromkeys(within))) or 'no set'})."
        if theirs
        else ""
    )
    need = ": a learned circuit need not be the smallest"
    may_fail = "Because compiling may fail, and only afterwards is it known"
    return (
        f"{may_fail if None in free else 'Here it would not have been needed'}. Of our free networks of Table 4, "
        f"learned without a price for edges, {free.count(None)} of {len(free)} have no circuit of at most "
        f"{thousands(limit)} edges that the compiler found in {duration(seconds)}.{others} Of the networks that paid "
        f"for edges, {sum(compiled is not None for compiled, _ in circuits)} of {len(circuits)} do, {smaller} with "
        f"fewer edges than the circuit that was learned with them{need * (smaller > 0)}."
    )


def _compiled(studies: Studies, schedule: str) -> list[dict[str, Any]]:
    return studies.records("table4", stage="compile", schedule=schedule)


def _same(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: record["task"][key] for key in ("set", "schedule")}


QUESTIONS: dict[str, Callable[[Studies], str]] = {
    "Are these the paper's circuits, or larger ones?": of_the_same_size,
    "How much of the speed is the machine?": same_machine,
    "Is sampling dominated, as the paper says?": sampling,
    "Was anything chosen on test?": untuned,
    "Is a single circuit the state of the art?": state_of_the_art,
    "Is the headline of the mixtures bought with size?": cost_of_mixtures,
    "Is it more than a lucky seed?": seeds,
    "Are rows learned by heart?": by_heart,
    "Are the others' numbers right?": recalled,
    "Would a junction tree have done?": junction_tree,
    "Why pay for edges, if networks can be compiled afterwards?": compiled_afterwards,
    "What does the limit on edges cost, and where does it lose?": lambda studies: " ".join(
        filter(None, (free_network(studies), losses(studies)))
    ),
}
