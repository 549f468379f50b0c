"""The report's section on tables as they come: ours beside what people use for each question."""

from __future__ import annotations

from math import hypot
from typing import Any

from tables import PUBLISHED, Studies, listed, table, thousands, timing
from verdicts import FEW_SINGLE, MOST_INTEGRAL, is_density

FEW_VALUES = 100
TABPC: dict[str, Any] = PUBLISHED["synthetic"]["TabPC"]
# By question, in the order of the tables' columns.
OTHERS = {
    "density": ("gaussian mixture", "kernel density", "pyAgrum", "SPFlow"),
    "prediction": ("gradient boosting", "linear", "frequencies"),
    "imputation": ("gradient boosting", "iterative", "nearest neighbours", "most frequent"),
}
DENSITIES_BY_CONSTRUCTION = ("circuit", "mixture", "gaussian mixture", "kernel density")
# The measures of a question, in what order they are told.
MEASURES = {"density": ("score",), "prediction": ("log_loss", "error"), "imputation": ("wrong", "error")}
DIGITS = {"density": 3, "prediction": 4, "imputation": 3}


def used(studies: Studies) -> str:
    return f"""\
## Tables as they come

Numbers, integers and categories as they are in the file, rows with gaps dropped; 70 % of the rows to learn from, 10 %
to choose by, 20 % to judge by, dealt out by lot with a fixed seed. Ours are {_ours(studies)}, one
model of each for all questions; everything else is learned for its question. The number of components was chosen on the
validation rows of the table `default`, 8 instead of 32. Single runs; an empty cell was not measured, took too long, or
was not published. ± is the standard error over test rows.

{_models(studies)}
Log-density of the columns of numbers, per row, in their own units (higher is better). Gaussian mixtures with up to 50
components, kernels with a bandwidth of 0.05 to 0.4 standard deviations, networks of pyAgrum over 5, 10 or 20 bins of
its discretizer: chosen on the second part. Kernels are judged on 2,000 rows. SPFlow is its learner for mixed tables,
with default settings. It gives no number a density below about 5e-5, so what it gives may integrate to more than 1.
Where that of one column alone, over its training rows, integrates to more than {MOST_INTEGRAL}, the score is not valid:
the table has the largest such integral in its place. Ours gives numbers that come again and again a piece of their own,
as narrow as the step of the column or a point, which the others cannot have. The second column says how many of the
test values are in such pieces: with more than {FEW_SINGLE:.0%}, the scores are not of the same kind.

{_densities(studies)}
{_told_of_densities(studies)}

Prediction of one column from all others ({_targets(studies)}): log loss of a class, or, for
pm2.5, the root of the mean squared error over its standard deviation (lower is better). "Frequencies" gives every row
the shares of the classes, or the mean, that the rows to learn from have.

{_scores(studies, "prediction")}
Imputation of 20 % of the values of test rows, deleted at random: the share of categories that are wrong, and the error
of numbers over their standard deviation, both means over columns (lower is
better){_n_values(studies)}. Judged on at most 2,000 rows; the others learn
from at most 20,000 (ours from all). Gradient boosting learns a model for each column, from rows with as many gaps;
"iterative" is scikit-learn's, which takes categories for numbers; ten nearest neighbours, with a column for each
category; "most frequent" has the mean of numbers.

{_scores(studies, "imputation")}
Synthetic rows: 2 - 2 max(AUC, 0.5) of gradient boosting that tells test rows from as many that were drawn: 1 if
it cannot (higher is better). The figures of TabPC ({TABPC["year"]}), {TABPC["what"]}, are {TABPC["source"]}; its split
and its classifier may be others.

{_synthetic(studies)}"""


def _targets(studies: Studies) -> str:
    found = {record["task"]["table"]: record["task"].get("target", "") for record in studies.records("tabular")}
    return ", ".join(f"{target} of {name}" for name, target in found.items())


def answer_of(studies: Studies, name: str, method: str, question: str) -> dict[str, Any] | None:
    """What a method found for a table and a question, each of which may be a task of its own."""
    results = [record["result"] for record in studies.records("tabular", table=name, method=method)]
    return next((result[question] for result in results if question in result), None)


def _models(studies: Studies) -> str:
    rows = [
        [name, method, thousands(found["edges"]), timing(found, "learning_seconds")]
        for name in studies.values("tabular", "table")
        for method in ("circuit", "mixture")
        if (found := studies.result("tabular", table=name, method=method))
    ]
    return table(["table", "model", "edges", "learning, CPU"], rows)


def _ours(studies: Studies) -> str:
    """With what settings."""
    titles = {"circuit": "a single circuit", "mixture": "a mixture"}
    told = []
    for method, title in titles.items():
        for record in studies.records("tabular", method=method)[:1]:
            settings = ", ".join(
                f"{key}={record['task'][key]:_}"
                for key in ("n_components", "max_edges")
                if record["task"].get(key, 1) > 1
            )
            told.append(f"{title}, `LearnAC({settings})`")
    return listed(told)


def _scores(studies: Studies, question: str) -> str:
    methods = ("circuit", "mixture", *OTHERS[question])
    rows = [[name, *_cells(studies, name, question)] for name in studies.values("tabular", "table")]
    return table(["table", *methods], rows)


def _cells(studies: Studies, name: str, question: str) -> list[str]:
    methods = ("circuit", "mixture", *OTHERS[question])
    return [_shown(question, method, answer_of(studies, name, method, question)) for method in methods]


def _densities(studies: Studies) -> str:
    rows = []
    for name in studies.values("tabular", "table"):
        share = single(studies, name)
        rows.append([name, "" if share is None else f"{share:.0%}", *_cells(studies, name, "density")])
    return table(["table", "in pieces of their own", "circuit", "mixture", *OTHERS["density"]], rows)


def single(studies: Studies, name: str) -> float | None:
    """Of a table's test values, the share in pieces of their own."""
    answer = answer_of(studies, name, "circuit", "density") or {}
    return answer.get("single")


def comparable(studies: Studies) -> list[str]:
    """The tables whose densities are all of one kind."""
    shares = {name: single(studies, name) for name in studies.values("tabular", "table")}
    return [name for name, share in shares.items() if share is not None and share <= FEW_SINGLE]


def _told_of_densities(studies: Studies) -> str:
    """Which model has the best density where they are of one kind."""
    told = []
    for name in comparable(studies):
        answers = {
            method: answer
            for method in ("circuit", "mixture", *OTHERS["density"])
            if (answer := answer_of(studies, name, method, "density")) and is_valid(method, answer)
        }
        best = max(answers, key=lambda method: answers[method]["score"])
        ours = max(
            (method for method in ("circuit", "mixture") if method in answers),
            key=lambda method: answers[method]["score"],
        )
        told.append(f"{best} on {name}{_lead(answers[best], answers[ours]) if best != ours else ''}")
    return f"Where the scores are of one kind, the best is: {listed(told)}." if told else ""


def _lead(theirs: dict[str, Any], ours: dict[str, Any]) -> str:
    """How far another density is ahead of ours, with the error as if the two erred independently."""
    errors = [error_of(each, "score") for each in (theirs, ours)]
    error = "" if None in errors else f" ± {hypot(*errors):.1f}"
    return f" ({theirs['score'] - ours['score']:.1f}{error} nats ahead of ours)"


def _n_values(studies: Studies) -> str:
    """Of how many values shares are, where these are few."""
    told = []
    for name in studies.values("tabular", "table"):
        n_values = (answer_of(studies, name, "circuit", "imputation") or {}).get("wrong_values")
        if n_values is not None and n_values < FEW_VALUES:
            told.append(f"{n_values} values on {name}")
    return f"; categories are only {listed(told)}" if told else ""


def _shown(question: str, method: str, answer: dict[str, Any] | None) -> str:
    if answer is None:
        return ""
    if question == "density" and not is_valid(method, answer):
        integral = answer.get("largest_integral")
        return "not integrated" if integral is None else f"none: integrates to {integral:.0f}"
    digits = DIGITS[question]
    shown = [
        f"{value:.{digits}f}" + ("" if error is None else f" ± {error:.{digits}f}")
        for measure in MEASURES[question]
        if (value := answer.get(measure)) is not None
        for error in [error_of(answer, measure)]
    ]
    return ", ".join(shown)


def error_of(answer: dict[str, Any], measure: str) -> float | None:
    """The standard error of a measure."""
    return answer.get(f"{measure}_error", answer.get("standard_error"))


def is_valid(method: str, answer: dict[str, Any]) -> bool:
    """Whether a method's score is that of a density."""
    return method in DENSITIES_BY_CONSTRUCTION or ("largest_integral" in answer and is_density(answer))


def _synthetic(studies: Studies) -> str:
    rows = []
    for name in studies.values("tabular", "table"):
        ours = [answer_of(studies, name, method, "synthetic") for method in ("circuit", "mixture")]
        published = TABPC["detection"].get(name)
        cells = [
            "" if found is None else f"{found['detection']:.3f} ± {found['detection_error']:.3f}" for found in ours
        ]
        rows.append([name, *cells, "" if published is None else f"{published:.3f}"])
    return table(["table", "circuit", "mixture", "TabPC"], rows)
