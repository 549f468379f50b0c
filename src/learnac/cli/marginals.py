"""The command `learnac marginals`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from learnac.cli import query_options as options
from learnac.cli.command import Completes, Option

if TYPE_CHECKING:
    from learnac.cli.answers import Asked
    from learnac.data import Evidence
    from learnac.infer.balance import Balance

EXAMPLE = 'learnac marginals model.learnac --given "diagnosis=malignant" --variables radius,texture'
_BAR = 24


def marginals(
    model: options.ModelFile,
    *,
    given: options.Given = None,
    do: options.Do = None,
    balance: options.Balance = None,
    rows: options.Rows = None,
    variables: Annotated[
        str | None,
        Option(metavar="NAME,...", about="Only these variables. Default: all of them.", completes=Completes.VARIABLES),
    ] = None,
    no_header: options.NoHeader = False,
    delimiter: options.Delimiter = None,
    table_format: options.Format = None,
    unknown: options.Unknown = "error",
    stream: options.Stream = False,
    out: options.Out = None,
    threads: options.Threads = 1,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Print the probability of each value of every variable, given evidence.

    With --rows, print a line for each row of a table, with a column name=category
    for each value of each variable.
    """
    from learnac.cli.answers import Asked, write_by_rows
    from learnac.cli.assignments import read_balance
    from learnac.cli.output import print_json
    from learnac.infer import marginals as posteriors_of

    asked = Asked.open(
        model,
        given,
        rows,
        out,
        as_json,
        no_header=no_header,
        delimiter=delimiter,
        table_format=table_format,
        unknown=unknown,
        do=do,
        is_stream=stream,
    )
    shares = read_balance(balance, asked.schema, "--balance")
    wanted = None if variables is None else [name.strip() for name in variables.split(",")]
    if asked.rows is not None or asked.stream is not None:
        write_by_rows(asked, lambda block: _columns(asked, block, wanted, shares, threads))
        return
    found = posteriors_of(asked.circuit, asked.given, variables=wanted, balance=shares)
    named = {
        name: dict(zip(asked.schema.categories[asked.schema.index(name)], posterior.tolist(), strict=True))
        for name, posterior in found.items()
    }
    numbers = {} if balance is not None else _numbers(asked, found)
    if as_json:
        print_json({"given": asked.given, "marginals": named, "numbers": numbers})
    else:
        _print(named, numbers)


def _numbers(asked: Asked, names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Of variables that are numbers: mean, median, and the interval that 9 of 10 lie in."""
    from learnac.infer import distribution

    found = {}
    for name in names:
        variable = asked.schema.index(name)
        if variable in asked.schema.numbers:
            posterior, bins = distribution(asked.circuit, name, asked.given), asked.schema.bins[variable]
            assert bins is not None
            low, high = posterior.interval(0.9)
            mean = posterior.mean if bins.calendar is None else bins.value(posterior.mean)
            found[name] = {
                "mean": mean,
                "median": bins.value(posterior.median),
                "interval": [bins.value(low), bins.value(high)],
                "edges": [bins.value(edge) for edge in bins.edges],
            }
    return found


def _columns(asked: Asked, block: Evidence, wanted: list[str] | None, balance: Balance | None, threads: int) -> Any:
    import pyarrow as pa

    from learnac.infer import marginals as posteriors_of

    found = posteriors_of(asked.circuit, block, variables=wanted, balance=balance, n_threads=threads)
    columns = {
        f"{name}={category}": posterior[:, code]
        for name, posterior in found.items()
        for code, category in enumerate(asked.schema.categories[asked.schema.index(name)])
    }
    return pa.table(columns)


def _print(named: dict[str, dict[Any, float]], numbers: dict[str, dict[str, Any]]) -> None:
    from learnac.cli.output import print_rows, probability

    lines = []
    for name, posterior in named.items():
        for number, (category, value) in enumerate(posterior.items()):
            lines.append((name if number == 0 else "", str(category), probability(value), "█" * round(_BAR * value)))
        if name in numbers:
            found = numbers[name]
            mean = found["mean"]
            low, high = found["interval"]
            lines += [
                ("", "mean", _text(mean), ""),
                ("", "median", _text(found["median"]), f"90% from {_text(low)} to {_text(high)}"),
            ]
    print_rows(lines, right=(2,))


def _text(number: float | str) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)
