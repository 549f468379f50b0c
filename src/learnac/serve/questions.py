"""What can be asked: for each query the body that it takes, and its answer in types that JSON has, or as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from learnac import infer
from learnac.circuit import Queryable
from learnac.data import Evidence, Schema, as_evidence
from learnac.data.forms import DocumentsForm, NumbersOf, column_values
from learnac.errors import QueryError
from learnac.infer.engine import engine_of
from learnac.infer.explain import MAX_PIECES
from learnac.infer.impute import completed
from learnac.infer.mpe import search
from learnac.infer.sensitivity import Sensitivity
from learnac.model import Model
from learnac.serve import answers

Row = dict[str, Any]


class Given(BaseModel):
    """Evidence: for a row, from names to categories, or to likelihoods of categories; or a list of such rows."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, populate_by_name=True)
    given: Row | list[Row] | None = None
    do: Row | None = Field(None, description="Interventions: variables that are set from outside.")


class MarginalsBody(Given):
    variables: list[str] | None = None
    balance: str | dict[str, Any] | None = None


class ProbabilityBody(Given):
    query: Row | list[Row]


class TargetBody(Given):
    target: str


class SampleBody(Given):
    n: int = Field(1, ge=0)
    seed: int | None = Field(None, ge=0)
    balance: str | dict[str, Any] | None = None


class ImputeBody(Given):
    method: str = "mpe"


class ExplainBody(TargetBody):
    shapley: bool = True


class NextQuestionBody(TargetBody):
    candidates: list[str] | None = None


class CompareBody(Given):
    other: Row = Field(default_factory=dict, alias="with")


class SensitivityBody(Given):
    query: Row
    n: int = Field(20, ge=1)


class Asking(NamedTuple):
    """One question to one model."""

    circuit: Queryable
    model: Model
    evidence: Evidence
    body: Any
    seconds: float  # for what is searched for

    @property
    def schema(self) -> Any:
        return self.circuit.schema

    @property
    def is_one(self) -> bool:
        """Whether one answer is wanted, and not a list."""
        return self.evidence.is_one and not isinstance(getattr(self.body, "query", None), list)


class Question(NamedTuple):
    body: type[Given]
    about: str
    columns: Callable[[Asking], Mapping[str, Any]] | None  # an answer for each row; None if it is about one row
    document: Callable[[Asking], Any]
    answer: Any  # the type of that document, from `answers`


def _by_rows(columns: Callable[[Asking], Mapping[str, Any]]) -> Callable[[Asking], Any]:
    """One answer for a dict, and a list of them for a list."""

    def document(asking: Asking) -> Any:
        rows = _rows_of(columns(asking))
        return rows[0] if asking.is_one else {"rows": rows}

    return document


def _listed(column: Any) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


def _scores(asking: Asking) -> Mapping[str, Any]:
    return {"log_likelihood": np.atleast_1d(infer.log_likelihood(asking.circuit, asking.evidence))}


def _probabilities(asking: Asking) -> Mapping[str, Any]:
    found = np.atleast_1d(infer.log_probability(asking.circuit, asking.body.query, asking.evidence))
    return {"probability": np.exp(found), "log_probability": found}


def _posteriors(asking: Asking) -> dict[str, Any]:
    found = infer.marginals(
        asking.circuit, asking.evidence, variables=asking.body.variables, balance=asking.body.balance
    )
    return {name: np.atleast_2d(table) for name, table in found.items()}


def _marginal_columns(asking: Asking) -> Mapping[str, Any]:
    return {
        f"{name}={category}": table[:, code]
        for name, table in _posteriors(asking).items()
        for code, category in enumerate(asking.schema.categories[asking.schema.index(name)])
    }


def _marginal_document(asking: Asking) -> answers.Marginals | answers.MarginalsOfRows:
    found = _posteriors(asking)
    rows = [
        {
            name: {str(c): p for c, p in zip(_categories(asking, name), table[row].tolist(), strict=True)}
            for name, table in found.items()
        }
        for row in range(asking.evidence.n_rows)
    ]
    return {"marginals": rows[0]} if asking.evidence.is_one else {"rows": rows}


def _categories(asking: Asking, name: str) -> tuple[Any, ...]:
    return tuple(asking.schema.categories[asking.schema.index(name)])


def _worlds(asking: Asking, codes: Any, numbers: NumbersOf) -> dict[str, Any]:
    """Completed rows by column: categories, numbers, and points in time as texts."""
    schema = asking.schema
    return {name: column_values(schema, place, codes[place], numbers) for place, name in enumerate(schema.names)}


def _mpe(asking: Asking) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The completed rows, and what there is to say of each."""
    codes, logs, is_proven = search(engine_of(asking.circuit), asking.evidence, 1, asking.seconds)
    worlds = _worlds(asking, codes, asking.evidence.numbers_of(codes))
    return worlds, {"log_probability": logs, "is_proven": is_proven}


def _mpe_columns(asking: Asking) -> Mapping[str, Any]:
    worlds, told = _mpe(asking)
    if taken := [name for name in told if name in worlds]:
        raise QueryError(f"expected no column of the model to be called {taken[0]!r}, found one: ask in JSON")
    return {**worlds, **told}


def _mpe_document(asking: Asking) -> answers.MostProbable | answers.MostProbableOfRows:
    worlds, told = _mpe(asking)
    rows = _rows_of(worlds)
    found: list[answers.MostProbable] = [
        {"row": row, "log_probability": log, "is_proven": is_proven}
        for row, log, is_proven in zip(rows, *map(_listed, told.values()), strict=True)
    ]
    return found[0] if asking.is_one else {"rows": found}


def _impute(asking: Asking) -> Mapping[str, Any]:
    return _worlds(asking, *completed(asking.circuit, asking.evidence, asking.body.method))


def _impute_document(asking: Asking) -> answers.Imputed | answers.Rows:
    rows = _rows_of(_impute(asking))
    return {"row": rows[0]} if asking.is_one else {"rows": rows}


def _rows_of(columns: Mapping[str, Any]) -> list[Row]:
    return [dict(zip(columns, row, strict=True)) for row in _zipped(columns)]


def _zipped(columns: Mapping[str, Any]) -> Any:
    return zip(*(_listed(column) for column in columns.values()), strict=True)


def _predictions(asking: Asking) -> Mapping[str, Any]:
    target = asking.body.target
    table = np.atleast_2d(infer.predict_proba(asking.circuit, asking.evidence, target))
    variable = asking.schema.position(target)
    categories = asking.schema.categories[variable]
    shares = {f"P({c})": table[:, code] for code, c in enumerate(categories)}
    if variable in asking.schema.numbers:
        return {**_predicted_numbers(asking, variable), **shares}
    return {"prediction": [categories[code] for code in table.argmax(axis=1).tolist()], **shares}


def _predicted_numbers(asking: Asking, variable: int) -> Mapping[str, Any]:
    """The mean of a number, or the median of a date; and where it lies with a probability of 0.9."""
    found = infer.distribution(asking.circuit, asking.schema.names[variable], asking.evidence)
    bins = asking.schema.bins[variable]
    low, high = found.interval(0.9)
    best = found.mean if bins.calendar is None else found.median
    columns = {"prediction": best, "median": found.median, "low": low, "high": high}
    return {name: [bins.value(number) for number in np.atleast_1d(column)] for name, column in columns.items()}


def _samples(asking: Asking) -> answers.Rows:
    body = asking.body
    evidence = asking.evidence
    drawn = infer.sample(
        asking.circuit, body.n, evidence, balance=body.balance, random_state=body.seed, form=DocumentsForm()
    )
    return {"rows": drawn if isinstance(drawn, list) else _documents(asking, drawn)}


def _documents(asking: Asking, drawn: Any) -> list[Row]:
    return _rows_of(_worlds(asking, drawn.codes, drawn.numbers))


def _conflicts(asking: Asking) -> Mapping[str, Any]:
    return {"conflict": np.atleast_1d(infer.conflict(asking.circuit, asking.evidence))}


def _components(asking: Asking) -> Mapping[str, Any]:
    found = np.atleast_2d(infer.components(asking.circuit, asking.evidence))
    return {f"component {k}": column for k, column in enumerate(found.T)}


def _explanation(asking: Asking) -> answers.Explanation:
    found = infer.explain(asking.circuit, asking.body.target, asking.evidence, shapley=asking.body.shapley)
    names = list(found.pieces)
    return {
        "target": found.target,
        "categories": list(found.categories),
        "prior": found.prior.tolist(),
        "posterior": found.posterior.tolist(),
        "conflict": found.conflict,
        "pieces": [
            {
                "variable": name,
                "value": found.pieces[name],
                "leave_one_out": found.leave_one_out[place].tolist(),
                "shapley": None if found.shapley is None else found.shapley[place].tolist(),
                "support": float(found.support[place]),
            }
            for place, name in enumerate(names)
        ],
    }


def _next_question(asking: Asking) -> answers.NextQuestion:
    return {"gains": infer.next_question(asking.circuit, asking.body.target, asking.evidence, asking.body.candidates)}


def _comparison(asking: Asking) -> answers.Comparison:
    found = infer.compare(asking.circuit, asking.evidence, asking.body.other)
    return {
        "variables": [
            {
                "variable": name,
                "divergence": divergence,
                "categories": list(_categories(asking, name)),
                "a": found.a[name].tolist(),
                "b": found.b[name].tolist(),
            }
            for name, divergence in found.divergences.items()
        ]
    }


def _sensitivities(asking: Asking) -> answers.Sensitivities:
    body = asking.body
    found = infer.sensitivity(asking.circuit, body.query, asking.evidence, network=asking.model.network, n=body.n)
    return {
        "probability": found.probability,
        "density_of": list(found.density_of),
        "parameters": [_parameter(each) for each in found.parameters],
    }


def _parameter(found: Sensitivity) -> answers.Parameter:
    return {
        "variable": found.variable,
        "category": found.category,
        "when": {name: list(categories) for name, categories in found.when.items()},
        "component": found.component,
        "parameter": found.parameter,
        "derivative": found.derivative,
        "text": found.text,
    }


Columns = Callable[[Asking], Mapping[str, Any]]


def _rowwise(body: type[Given], about: str, columns: Columns, answer: Any) -> Question:
    return Question(body, about, columns, _by_rows(columns), answer)


def _question(body: type[Given], about: str, columns: Columns | None, document: Callable[[Asking], Any]) -> Question:
    """A question whose answer is published as the type that its function states."""
    return Question(body, about, columns, document, get_type_hints(document, include_extras=True)["return"])


QUESTIONS: dict[str, Question] = {
    "score": _rowwise(
        Given, "The log-likelihood of each row; what is unknown is summed out.", _scores, answers.Score | answers.Scores
    ),
    "probability": _rowwise(
        ProbabilityBody, "P(query | given) of each row.", _probabilities, answers.Probability | answers.Probabilities
    ),
    "marginals": _question(
        MarginalsBody, "The probability of each value of every variable.", _marginal_columns, _marginal_document
    ),
    "mpe": _question(
        Given, "The most probable combination of values for everything unknown.", _mpe_columns, _mpe_document
    ),
    "impute": _question(ImputeBody, "Rows with their gaps filled.", _impute, _impute_document),
    "predict": _rowwise(
        TargetBody,
        "The most probable category of a target, and the probability of each; of a number, its mean and interval.",
        _predictions,
        answers.PredictedNumber | answers.PredictedCategory | answers.Predictions,
    ),
    "conflict": _rowwise(
        Given, "Below 0, the pieces of evidence do not go together.", _conflicts, answers.Conflict | answers.Conflicts
    ),
    "components": _rowwise(
        Given,
        "For a mixture: the probability of each component.",
        _components,
        answers.Components | answers.ComponentsOfRows,
    ),
    "sample": _question(SampleBody, "Random rows, given the evidence.", None, _samples),
    "explain": _question(ExplainBody, "How much each piece of evidence moves a target.", None, _explanation),
    "next-question": _question(NextQuestionBody, "What to ask next about a target.", None, _next_question),
    "compare": _question(CompareBody, "What differs between two situations.", None, _comparison),
    "sensitivity": _question(SensitivityBody, "Which parameters an answer depends on.", None, _sensitivities),
}


def asking_of(model: Model, body: Given, rows: Any, seconds: float) -> Asking:
    """The question, its evidence encoded and its interventions done. `rows` are a table, or None for the body's."""
    circuit = model.require_circuit()
    body = body.model_copy(update=as_categories(circuit.schema, body))
    if body.do:
        circuit = infer.do(circuit, body.do)
    evidence = as_evidence(circuit.schema, body.given if rows is None else rows)
    return Asking(circuit, model, evidence, body, seconds)


def as_categories(schema: Schema, body: Given) -> dict[str, Any]:
    """The fields of a body with rows, in which texts stand for the categories that they are written as.

    JSON's names of fields are texts, so likelihoods of booleans could not be stated otherwise, and answers name
    categories in the same way.
    """
    texts = {
        name: {text: category for category in categories for text in _texts_of(category)}
        for name, categories in zip(schema.names, schema.categories, strict=True)
        if schema.position(name) not in schema.numbers and not all(isinstance(c, str) for c in categories)
    }
    if not texts:
        return {}

    def value_of(value: Any, categories: Mapping[str, Any]) -> Any:
        if isinstance(value, dict):
            return {categories.get(key, key): item for key, item in value.items()}
        return categories.get(value, value) if isinstance(value, str) else value

    def row_of(row: Row) -> Row:
        return {name: value_of(value, texts[name]) if name in texts else value for name, value in row.items()}

    found: dict[str, Any] = {}
    for field in ("given", "query", "do", "other", "balance"):
        value = getattr(body, field, None)
        if isinstance(value, dict):
            found[field] = row_of(value)
        elif isinstance(value, list):
            found[field] = [row_of(row) for row in value]
    return found


def _texts_of(category: Any) -> tuple[str, ...]:
    return (str(category), str(category).lower()) if isinstance(category, bool) else (str(category),)


def n_rows_of(body: Given, table: Any) -> int:
    """How many rows are asked about, or for."""
    lists = [len(rows) for rows in (body.given, getattr(body, "query", None)) if isinstance(rows, list)]
    n_rows = max([1 if table is None else table.num_rows, *lists])
    return n_rows * max(1, body.n) if isinstance(body, SampleBody) else n_rows


def work_of(name: str, asking: Asking) -> int:
    """About how many edges an answer visits: what is too much is refused before it begins."""
    n_rows, edges, schema = asking.evidence.n_rows, asking.circuit.n_edges, asking.schema
    if name == "explain":
        n_pieces = int(np.count_nonzero(asking.evidence.codes >= 0)) + len(asking.evidence.soft_variables)
        n_subsets = 1 << min(n_pieces, MAX_PIECES) if asking.body.shapley else n_pieces + 2
        return n_subsets * len(schema.categories[schema.position(asking.body.target)]) * edges
    if name == "sample":
        return n_rows * (edges + asking.body.n * schema.n_variables * 16)
    return n_rows * edges * 2


def check_one_row(question: Question, asking: Asking) -> None:
    """QueryError for a table where the question is about one situation."""
    if question.columns is None and not asking.evidence.is_one and question.body is not SampleBody:
        raise QueryError("given: expected the evidence of one row, found a list", expected="one row")
