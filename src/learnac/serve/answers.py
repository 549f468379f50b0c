"""What answers look like: the types of their fields, which the OpenAPI document publishes and mypy holds them to.

They describe JSON as it is sent: what is not finite is null there, so a number that may be infinite may be None.
"""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, NotRequired, TypeAlias, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model, with_config
from typing_extensions import TypedDict  # Until Python 3.12, pydantic cannot read the one of typing.

from learnac.types import Category

Value: TypeAlias = Category | float
"""A category, a number, or a date as a text."""

Completed: TypeAlias = Annotated[
    dict[str, Value],
    Field(description="By variable, its category, number or date.", examples=[{"age": 37, "smoker": "yes"}]),
]
Shares: TypeAlias = Annotated[list[float], Field(description="The probability of each of the categories.")]
Effects: TypeAlias = Annotated[
    list[float | None],
    Field(description="For each category, by how much its log-odds grow; null if by an infinite amount."),
]
# Fields whose names are made of a category, or of a number.
_SHARES = ConfigDict(
    json_schema_extra={"patternProperties": {r"^P\(": {"type": "number", "description": "P(category | given)"}}}
)
_COMPONENTS = ConfigDict(json_schema_extra={"patternProperties": {r"^component \d+$": {"type": "number"}}})


class Score(TypedDict):
    log_likelihood: Annotated[
        float | None,
        Field(description="Natural logarithm; with exact numbers, of a density. Null if the row is impossible."),
    ]


class Scores(TypedDict):
    rows: list[Score]


class Probability(TypedDict):
    probability: Annotated[
        float | None,
        Field(description="P(query | given); a density if the query has exact numbers. Null if it is too large."),
    ]
    log_probability: Annotated[
        float | None, Field(description="Its natural logarithm. Null if the query is impossible given the evidence.")
    ]


class Probabilities(TypedDict):
    rows: list[Probability]


Posteriors: TypeAlias = Annotated[
    dict[str, dict[str, float]],
    Field(
        description="By variable, the probability of each category; of a number or date, of each interval.",
        examples=[{"smoker": {"no": 0.75, "yes": 0.25}}],
    ),
]


class Marginals(TypedDict):
    marginals: Posteriors


class MarginalsOfRows(TypedDict):
    rows: list[Posteriors]


class MostProbable(TypedDict):
    row: Completed
    log_probability: Annotated[float, Field(description="Of the completed row: natural logarithm.")]
    is_proven: Annotated[bool, Field(description="Whether it is certain that no other row is more probable.")]


class MostProbableOfRows(TypedDict):
    rows: list[MostProbable]


class Imputed(TypedDict):
    row: Completed


class Rows(TypedDict):
    rows: list[Completed]


@with_config(_SHARES)
class PredictedCategory(TypedDict):
    prediction: Category


@with_config(_SHARES)
class PredictedNumber(TypedDict):
    prediction: Annotated[float | str, Field(description="The mean of a number, or the median of a date.")]
    median: float | str
    low: Annotated[float | str, Field(description="5 % of the probability lie below.")]
    high: Annotated[float | str, Field(description="5 % of the probability lie above.")]


class Predictions(TypedDict):
    rows: list[PredictedNumber] | list[PredictedCategory]


class Conflict(TypedDict):
    conflict: Annotated[
        float | None,
        Field(description="Below 0, pieces of evidence do not go together; null if they are impossible together."),
    ]


class Conflicts(TypedDict):
    rows: list[Conflict]


@with_config(_COMPONENTS)
class Components(TypedDict):
    pass


class ComponentsOfRows(TypedDict):
    rows: list[Components]


class Piece(TypedDict):
    """A piece of evidence, and what it adds."""

    variable: str
    value: Annotated[
        Value | dict[str, float],
        Field(description="What is known: a value, an interval such as '30..40', or likelihoods by category."),
    ]
    leave_one_out: Effects
    shapley: Annotated[list[float | None] | None, Field(description="Null if it was not asked for.")]
    support: Annotated[float, Field(description="Below 0, the other pieces speak against it.")]


class Explanation(TypedDict):
    target: str
    categories: list[Category]
    prior: Shares
    posterior: Shares
    conflict: Annotated[float, Field(description="Below 0, the pieces do not go together.")]
    pieces: list[Piece]


class NextQuestion(TypedDict):
    gains: Annotated[
        dict[str, float],
        Field(description="By variable, the expected information about the target, in nats; the best comes first."),
    ]


class Difference(TypedDict):
    variable: str
    divergence: Annotated[float, Field(description="Jensen-Shannon, in nats: from 0 to 0.693.")]
    categories: list[Category]
    a: Shares
    b: Shares


class Comparison(TypedDict):
    variables: Annotated[list[Difference], Field(description="From the one that differs most.")]


class Parameter(TypedDict):
    """A parameter of the model, P(variable = category | when)."""

    variable: str
    category: Category
    when: Annotated[
        dict[str, list[Category]], Field(description="By variable, the categories for which this parameter counts.")
    ]
    component: Annotated[int | None, Field(description="Of a mixture; null for a circuit.")]
    parameter: Annotated[float, Field(description="Its value now.")]
    derivative: Annotated[float | None, Field(description="Of the answer by this parameter.")]
    text: Annotated[str, Field(description="As people write it.", examples=["P(ill = yes | age < 37)"])]


class Sensitivities(TypedDict):
    probability: Annotated[
        float | None,
        Field(description="P(query | given); a density if `density_of` is not empty. Null if it is too large."),
    ]
    density_of: Annotated[
        list[str], Field(description="Numbers of the query for which the answer is a density, per unit of each.")
    ]
    parameters: Annotated[list[Parameter], Field(description="From the one that the answer depends on most.")]


class ServedModel(TypedDict):
    """The model that has answered."""

    name: str
    hash: Annotated[str, Field(description="The checksum of its file.")]


class Health(TypedDict):
    status: str
    learnac: Annotated[str, Field(description="The version.")]


class Ready(TypedDict):
    status: Annotated[str, Field(examples=["ready", "not ready"])]
    models: NotRequired[Annotated[list[str], Field(description="Only for those with the token.")]]
    problems: NotRequired[Annotated[dict[str, str], Field(description="By model, why its file cannot be read.")]]


class _AnyModel(TypedDict):
    name: str
    hash: Annotated[str, Field(description="The checksum of its file.")]
    edges: int
    settings: Annotated[dict[str, Any], Field(description="What it was learned with.")]
    provenance: Annotated[dict[str, Any], Field(description="Where it comes from.")]


class ListedModel(_AnyModel):
    variables: Annotated[int, Field(description="How many there are.")]


class ListedModels(TypedDict):
    models: list[ListedModel]


class Variable(TypedDict):
    name: str
    kind: Annotated[str, Field(examples=["category", "number", "date"])]
    categories: Annotated[list[Category], Field(description="Of a number or date, intervals.")]


class DescribedModel(_AnyModel):
    variables: list[Variable]


class Problem(TypedDict):
    status: int
    message: Annotated[str, Field(description="One line that says what was expected, and what was found.")]
    column: NotRequired[str]
    row: NotRequired[Annotated[int, Field(description="From 0.")]]
    problem: NotRequired[Annotated[str, Field(description="Its kind, for programs.")]]
    field: NotRequired[Annotated[str, Field(description="The field of the body that is wrong.")]]


class Refusal(TypedDict):
    """Why there is no answer."""

    error: Annotated[
        Problem, Field(examples=[{"status": 422, "message": "no variable is called 'snow'; there is 'rain'"}])
    ]


def published(answer: Any) -> Any:
    """The type of an answer as it is sent, beside the model that it is from."""
    is_union = get_origin(answer) in (Union, UnionType)
    return Union[tuple(_sent(each) for each in (get_args(answer) if is_union else (answer,)))]  # noqa: UP007


def _sent(answer: Any) -> type[BaseModel]:
    hints = {"model": ServedModel, **get_type_hints(answer, include_extras=True)}
    fields: dict[str, Any] = {name: (hint, ...) for name, hint in hints.items()}
    return create_model(f"{answer.__name__}Answer", __config__=getattr(answer, "__pydantic_config__", None), **fields)
