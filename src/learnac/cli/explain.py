"""The command `learnac explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from learnac.cli import query_options as options
from learnac.cli.command import Option

if TYPE_CHECKING:
    from learnac.cli.answers import Asked
    from learnac.infer.explain import Explanation

EXAMPLE = 'learnac explain model.learnac --target diagnosis --given "radius=20,texture=15"'


# Evidence that goes together as well as if nothing had to do with anything, to the digits that are shown.
_NO_CONFLICT = 0.0005


def explain(
    model: options.ModelFile,
    *,
    target: options.Target,
    given: options.Given = None,
    do: options.Do = None,
    category: Annotated[
        str | None,
        Option(metavar="CATEGORY", about="The value of the target to explain. Default: the most probable one."),
    ] = None,
    shapley: Annotated[bool, Option(about="Work out Shapley contributions: for at most 16 pieces of evidence.")] = True,
    threads: options.Threads = 1,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Print how much each piece of evidence moves the target, in log-odds.

    "alone" is what would be lost without the piece, "share" its part of the whole
    change (Shapley), "support" how much more probable the rest makes it: below 0,
    the rest speaks against it.
    """
    from learnac.cli.answers import Asked
    from learnac.cli.assignments import category_of
    from learnac.cli.output import print_json
    from learnac.infer import explain as explanation_of

    asked = Asked.open(model, given, None, None, as_json, do=do)
    wanted = (
        None if category is None else category_of(asked.schema, asked.schema.names[_place(asked, target)], category)
    )
    found = explanation_of(asked.circuit, target, asked.given, shapley=shapley, n_threads=threads)
    if wanted is None:
        wanted = found.categories[int(found.posterior.argmax())]
    elif wanted not in found.categories:  # A number, for an interval.
        wanted = found.categories[asked.schema.code(_place(asked, target), wanted)]
    if as_json:
        print_json(_document(found, wanted))
    else:
        _print(asked, found, wanted)


def _place(asked: Any, target: str) -> int:
    return int(asked.schema.position(target))


def _document(found: Explanation, category: Any) -> dict[str, Any]:
    column = found.categories.index(category)
    shares = [None] * len(found.pieces) if found.shapley is None else found.shapley[:, column].tolist()
    return {
        "target": found.target,
        "category": category,
        "prior": float(found.prior[column]),
        "posterior": float(found.posterior[column]),
        "conflict": found.conflict,
        "pieces": [
            {"variable": name, "value": value, "leave_one_out": alone, "shapley": share, "support": support}
            for (name, value), alone, share, support in zip(
                found.pieces.items(),
                found.leave_one_out[:, column].tolist(),
                shares,
                found.support.tolist(),
                strict=True,
            )
        ],
    }


def _print(asked: Asked, found: Explanation, category: Any) -> None:
    from learnac.cli.output import print_rows, probability
    from learnac.cli.printable import printable
    from learnac.data.conditions import condition, known_text

    document = _document(found, category)
    target = condition(asked.schema, _place(asked, found.target), [found.categories.index(category)])
    print(
        f"P({printable(target)}) = {probability(document['posterior'])} "
        f"with the evidence, {probability(document['prior'])} without"
    )
    pieces = sorted(document["pieces"], key=lambda piece: -abs(_weight(piece)))
    if pieces:
        rows = [
            (
                known_text(asked.schema, piece["variable"], asked.given[piece["variable"]]),
                f"{piece['leave_one_out']:+.3f}",
                "" if piece["shapley"] is None else f"{piece['shapley']:+.3f}",
                f"{piece['support']:+.3f}",
            )
            for piece in pieces
        ]
        print_rows(rows, header=("evidence", "alone", "share", "support"), right=(1, 2, 3))
    if len(pieces) > 1:
        often = "more often than" if found.conflict > 0 else "less often than"
        often = "as often as" if abs(found.conflict) < _NO_CONFLICT else often
        print(f"conflict {found.conflict:+.3f}: these are seen together {often} if they were unrelated")


def _weight(piece: dict[str, Any]) -> float:
    return float(piece["leave_one_out"] if piece["shapley"] is None else piece["shapley"])
