"""Ten questions that a hostile reviewer would ask of the report, each answered with numbers from the result files."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import product

from compared import BEST, MODELS, N_SETS, RECALLED, TRACTABLE, best_circuits, free_networks, listed, tallies, told_of
from elsewhere import better_elsewhere
from libra import pairs
from mixed import ahead_of_all, averaged_of, of_kind
from reproduced import PAPER, cell
from table5 import LEVELS
from tables import NAMES, Studies, thousands
from verdicts import Verdict, tally, verdict
from weak import SLOWEST

INTRODUCTION = """\
# What a hostile reviewer would ask

Made by `make paper` from the same result files as [the report](REPORT.md), which has the tables behind each number.

"""


def questions(studies: Studies) -> str:
    """The page, in Markdown. What there are no results for yet is not asked."""
    answered = [(question, told) for question, answer in QUESTIONS.items() if (told := answer(studies))]
    return INTRODUCTION + "\n".join(
        f"## {number}. {question}\n\n{_wrapped(told)}\n" for number, (question, told) in enumerate(answered, 1)
    )


def of_the_same_size(studies: Studies) -> str:
    compared, as_likely, faster = 0, 0, []
    for name, schedule in product(studies.values("table4", "set"), ("greedy", "quick")):
        ours, theirs = studies.result("table4", stage="size", set=name, schedule=schedule), PAPER["table4"][name]
        if ours:
            digits = len(theirs[schedule]["test"].split(".")[1])
            compared += 1
            as_likely += round(ours["test"], digits) >= float(theirs[schedule]["test"])
            faster.append(3600 * PAPER["hours"][name][schedule] / ours["learning_seconds"])
    if not compared:
        return ""
    return (
        f"Learned again with exactly the paper's number of edges, {as_likely} of {compared} circuits have at least its "
        f"log-likelihood, and learn {min(faster):,.0f} to {max(faster):,.0f} times faster (Table 4, the rows of the "
        "paper's size)."
    )


def same_machine(studies: Studies) -> str:
    times = [pair["seconds"] / pair["our_seconds"] for pair in pairs()]
    return (
        "The paper's times are of 2008. The authors' own later toolkit, Libra, run side by side with an "
        f"early version of learnac on one machine with the same penalties, takes {min(times):.0f} to {max(times):.0f} "
        f"times as long (the median of {len(times)} runs is {sorted(times)[len(times) // 2]:.0f}). The rest of the "
        "factors in Table 4 is the machine."
    )


def sampling(studies: Studies) -> str:
    counts = {
        (method, name): Counter(verdict(found) for level in LEVELS if (found := cell(studies, name, method, *level)))
        for method, name in product(SLOWEST, studies.values("table5", "set"))
    }
    decided = {key: count for key, count in counts.items() if count.total() > count[Verdict.TOO_FEW]}
    if not decided:
        return ""
    told = [
        f"{method} on {NAMES[name]}: the circuit is clearly better in {count[Verdict.CIRCUIT]} of "
        f"{count.total() - count[Verdict.TOO_FEW]} comparisons, the sampler in {count[Verdict.SAMPLER]}"
        for (method, name), count in decided.items()
    ]
    is_dominated = all(count[Verdict.CIRCUIT] == count.total() - count[Verdict.TOO_FEW] for count in decided.values())
    return (
        f"{'Yes' if is_dominated else 'Only in part'}. {'; '.join(told)}. Clearly: the 95 % interval of the difference "
        "does not have zero in it."
    )


def untuned(studies: Studies) -> str:
    tuned, losses = best_circuits(studies), {}
    for name, record in tuned.items():
        plain = studies.result("collection", stage="untuned", set=name, n_components=1)
        if plain:
            losses[name] = (record["result"]["test"] - plain["test"]) / -record["result"]["test"]
    if not losses:
        return ""
    worst = max(losses, key=lambda name: losses[name])
    return (
        "Everything is chosen on valid, and test is read once. But the grids were widened, and some comparisons chosen "
        'anew, when earlier scores on test were known: "What is weak here" has them. As a check, `LearnAC()` with no '
        "setting at all and without the validation rows: on average "
        f"{sum(losses.values()) / len(losses):.1%} worse than the tuned circuit over {len(losses)} sets, at most "
        f"{losses[worst]:.1%} ({worst})."
    )


def state_of_the_art(studies: Studies) -> str:
    circuits = best_circuits(studies)
    if not circuits:
        return ""
    counts = tallies(circuits)
    return (
        f"{'On most sets' if counts[BEST].is_mostly_ahead else 'No'}. A single circuit of at most a million edges is "
        f"ahead of the best published tractable model on {len(counts[BEST].ahead)} of {len(circuits)} sets, and behind "
        f"{told_of((model for model in TRACTABLE if model != BEST), counts, 'behind')}. It is the model whose every "
        "answer is exact in one pass and whose network can be read; for accuracy there are mixtures."
    )


def cost_of_mixtures(studies: Studies) -> str:
    """Whether the headline is bought with larger models."""
    ahead, compared = ahead_of_all(studies)
    if not compared:
        return ""
    averaged = {name: found for name, found in averaged_of(studies).items() if name in compared}
    one = {name: found for name, found in of_kind(studies, "mixture").items() if name in compared}
    best = tally({name: found["test"] for name, found in one.items()}, MODELS[BEST]["test"])
    edges = [found["edges"] for found in averaged.values()]
    slowest = max(found["query_ms"]["0"] for found in averaged.values())
    circuits = of_kind(studies, "circuit")
    better = [name for name, found in one.items() if found["test"] > circuits[name]["test"]]
    return (
        f"Four averaged, which are ahead on {len(ahead)} of {len(compared)} sets, have {thousands(min(edges))} to "
        f"{thousands(max(edges))} edges x components, and take up to {slowest:.0f} ms for all posteriors. Within a "
        "million edges x components, one mixture is ahead of the best published model on "
        f"{len(best.ahead)} and level on {len(best.level)}. Against a single circuit of the same limit it is better on "
        f"{len(better)} of {len(one)}. "
        "What the published models cost to ask is not known to us."
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
    widest = max(spreads, key=lambda name: spreads[name])
    return (
        f"Two seeds of one mixture differ by {sorted(spreads.values())[len(spreads) // 2]:.3f} at the median and by "
        f"{spreads[widest]:.2f} at most ({widest}). Where four averaged are ahead of the best published model, the "
        f"lead is larger than that on {len(clear)} of {len(ahead)} sets"
        + (f"; not on {listed([name for name in ahead if name not in clear])}." if clear != ahead else ".")
    )


def recalled(studies: Studies) -> str:
    sources = Counter(model["source"] == RECALLED for model in MODELS.values())
    sets = [name for name in studies.values("mixtures", "set") if name in MODELS[BEST]["test"]]
    return (
        f"{sources[True]} of {sources.total()} published columns are recalled from papers and were not checked against "
        "them; they carry a star wherever they stand. Those that were run or read from logs: "
        f"{listed([name for name, model in MODELS.items() if model['source'] != RECALLED])}. A lead of less than "
        f"0.01 is called level. Of the {N_SETS} sets of the collection, {len(sets)} are here."
    )


def junction_tree(studies: Studies) -> str:
    compared, better, unanswered, not_compiled = better_elsewhere(studies)
    if not compared:
        return ""
    return (
        f"pyAgrum, its score chosen on valid, learned a network on {len(compared)} sets and fits test better than our "
        f"single circuit on {len(better)} ({', '.join(better) or 'none'}). {len(unanswered)} of these do not answer "
        f"when nothing is known, and {len(not_compiled)} have no circuit within the limits. With many variables known, "
        "or on sparse networks, its queries take milliseconds: the table has all of them."
    )


def free_network(studies: Studies) -> str:
    """What the limit on edges costs."""
    circuits, networks = best_circuits(studies), free_networks(studies)
    gaps = {name: networks[name]["result"]["test"] - circuits[name]["result"]["test"] for name in circuits}
    if not gaps:
        return ""
    widest = max(gaps, key=lambda name: gaps[name] / -networks[name]["result"]["test"])
    share = gaps[widest] / -networks[widest]["result"]["test"]
    return (
        f"On {widest} most: {gaps[widest]:.2f} nats a row, {share:.1%}. On "
        f"{sum(gap <= 0.01 * -networks[name]['result']['test'] for name, gap in gaps.items())} of {len(gaps)} sets at "
        "most 1 % of the log-likelihood of a network that may have any size, for which exact inference has no bound."
    )


def losses(studies: Studies) -> str:
    told = []
    for name in studies.values("tabular", "table"):
        ours = [studies.result("tabular", table=name, method=each).get("prediction") for each in ("circuit", "mixture")]
        boosted = studies.result("tabular", table=name, method="gradient boosting").get("prediction")
        if boosted and all(ours):
            best = min(_error(each) for each in ours if each)
            told.append((name, best, _error(boosted)))
    if not told:
        return ""
    worse = [f"{name} {best:.3f} against {other:.3f}" for name, best, other in told if best > other]
    return (
        f"At predicting one column from all others: gradient boosting, learned for that column, has the smaller error "
        f"on {len(worse)} of {len(told)} tables ({', '.join(worse) or 'none'}). A model of all columns answers every "
        "question; one that is learned for a question answers that one better."
    )


def _error(prediction: Mapping[str, float | None]) -> float:
    return next(value for value in prediction.values() if value is not None)


QUESTIONS: dict[str, Callable[[Studies], str]] = {
    "Are these the paper's circuits, or larger ones?": of_the_same_size,
    "How much of the speed is the machine?": same_machine,
    "Is sampling dominated, as the paper says?": sampling,
    "Was anything chosen on test?": untuned,
    "Is a single circuit the state of the art?": state_of_the_art,
    "Is the headline of the mixtures bought with size?": cost_of_mixtures,
    "Is it more than a lucky seed?": seeds,
    "Are the others' numbers right?": recalled,
    "Would a junction tree have done?": junction_tree,
    "What does the limit on edges cost, and where does it lose?": lambda studies: " ".join(
        filter(None, (free_network(studies), losses(studies)))
    ),
}


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)
