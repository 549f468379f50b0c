"""The report's section on tables as they come: ours beside what people use for each question."""

from __future__ import annotations

from typing import Any

from tables import Studies, table, thousands, timing
from verdicts import MOST_INTEGRAL, is_density

# Of TabPC, as quoted.
PUBLISHED = {"adult": 0.855, "beijing": 0.570, "default": 0.262}
# By question, in the order of the tables' columns.
OTHERS = {
    "density": ("gaussian mixture", "kernel density", "pyAgrum", "SPFlow"),
    "prediction": ("gradient boosting", "linear"),
    "imputation": ("gradient boosting", "iterative", "nearest neighbours", "most frequent"),
}
DENSITIES_BY_CONSTRUCTION = ("circuit", "mixture", "gaussian mixture", "kernel density")


def used(studies: Studies) -> str:
    return f"""\
## Tables as they come

Numbers, integers and categories as they are in the file, rows with gaps dropped; 70 % of the rows to learn from, 10 %
to choose by, 20 % to judge by, dealt out by lot with a fixed seed. Ours are a single circuit,
`LearnAC(max_edges=300_000)`, and a mixture, `LearnAC(n_components=8, max_edges=1_000_000)`, one model of each for all
questions; everything else is learned for its question. The 8 components (not 32) were chosen on the validation rows of
default. Single runs; an empty cell was not measured, took too long, or was not published.

{_models(studies)}
Log-density of the columns of numbers, per row, in their own units (higher is better). Gaussian mixtures with up to 50
components, kernels with a bandwidth of 0.05 to 0.4 deviations, networks of pyAgrum over 5, 10 or 20 bins of its
discretizer: chosen on the second part. Kernels are judged on 2,000 rows. SPFlow is its learner for mixed tables, with
default settings. It gives no number a density below about 5e-5, so what it gives may integrate to more than 1. Where
that of one column alone, over its training rows, integrates to more than {MOST_INTEGRAL}, the score is not valid: the
table has the largest such integral in its place. A number that many rows share has a probability here and a density
there, and integers are counted here: where there are such columns, the scores are not of the same kind.

{_scores(studies, "density", "score", 3)}
Prediction of one column from all others ({_targets(studies)}): log loss of a class, or, for
pm2.5, the root of the mean squared error over its deviation (lower is better).

{_scores(studies, "prediction", None, 4)}
Imputation of 20 % of the values of test rows, deleted at random: how many categories are wrong, and the error of
numbers over their deviation, both means over columns (lower is better). Judged on at most 2,000 rows; the others learn
from at most 20,000 (ours from all). Gradient boosting learns a model for each column, from rows with as many gaps;
"iterative" is scikit-learn's, which takes categories for numbers; ten nearest neighbours, with a column for each
category; "most frequent" has the mean of numbers.

{_scores(studies, "imputation", None, 3)}
Synthetic rows: 1 - (2 max(AUC, 0.5) - 1) of gradient boosting that tells test rows from as many that were drawn: 1 if
it cannot (higher is better). The figures of TabPC (2026), a model of 13 to 454 million parameters on a GPU, are quoted:
its split and its classifier may be others.

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


def _scores(studies: Studies, question: str, key: str | None, digits: int) -> str:
    methods = ("circuit", "mixture", *OTHERS[question])
    rows = []
    for name in studies.values("tabular", "table"):
        answers = {method: answer_of(studies, name, method, question) for method in methods}
        rows.append([name, *(_shown(question, *answer, key, digits) for answer in answers.items())])
    return table(["table", *methods], rows)


def _shown(question: str, method: str, answer: dict[str, Any] | None, key: str | None, digits: int) -> str:
    if answer is None:
        return ""
    if question == "density" and not is_valid(method, answer):
        integral = answer.get("largest_integral")
        return "not integrated" if integral is None else f"none: integrates to {integral:.0f}"
    keys = [key] if key else [name for name in answer if name != "standard_error"]
    shown = ", ".join(f"{answer[name]:.{digits}f}" for name in keys if answer[name] is not None)
    return shown + (f" ± {answer['standard_error']:.{digits}f}" if "standard_error" in answer else "")


def is_valid(method: str, answer: dict[str, Any]) -> bool:
    """Whether a method's score is that of a density."""
    return method in DENSITIES_BY_CONSTRUCTION or ("largest_integral" in answer and is_density(answer))


def _synthetic(studies: Studies) -> str:
    rows = []
    for name in studies.values("tabular", "table"):
        ours = [answer_of(studies, name, method, "synthetic") for method in ("circuit", "mixture")]
        published = PUBLISHED.get(name)
        cells = [
            "" if found is None else f"{found['detection']:.3f} ± {found['detection_error']:.3f}" for found in ours
        ]
        rows.append([name, *cells, "" if published is None else f"{published:.3f}"])
    return table(["table", "circuit", "mixture", "TabPC"], rows)
