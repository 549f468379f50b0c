"""The command `learnac sensitivity`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from learnac.cli import query_options as options
from learnac.cli.command import Completes, Option

EXAMPLE = 'learnac sensitivity model.learnac --query "bronchitis=yes" --given "smoker=yes"'


def sensitivity(
    model: options.ModelFile,
    *,
    query: Annotated[
        list[str],
        Option(
            "--query",
            "-q",
            metavar="NAME=CATEGORY,...",
            about="The values whose joint probability you want.",
            completes=Completes.ASSIGNMENTS,
        ),
    ],
    given: options.Given = None,
    do: options.Do = None,
    number: Annotated[int, Option("--number", "-n", least=1, metavar="N", about="How many parameters to print.")] = 10,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Print the parameters that an answer depends on most, with exact derivatives.

    A derivative of 0.5 means: if this parameter were larger by 0.01, and the others
    of its leaf smaller in proportion, the answer would be larger by about 0.005.
    """
    from learnac.cli.answers import Asked
    from learnac.cli.assignments import read_assignments
    from learnac.cli.output import density_fields, density_note, print_json, print_rows, probability
    from learnac.infer import sensitivity as sensitivities_of

    asked = Asked.open(model, given, None, None, as_json, do=do)
    wanted = read_assignments(query, asked.schema, "--query")
    found = sensitivities_of(asked.circuit, wanted, asked.given, network=asked.model.network, n=number)
    if as_json:
        parameters = [asdict(each) for each in found.parameters]
        answer = {"probability": found.probability, **density_fields(found.density_of)}
        print_json({"query": wanted, "given": asked.given, **answer, "parameters": parameters})
        return
    print(f"{'density' if found.density_of else 'P'} = {found.probability:.6g}")
    if found.density_of:
        print(density_note(found.density_of))
    rows = [(f"{each.derivative:+.4f}", probability(each.parameter), each.text) for each in found.parameters]
    print_rows(rows, header=("derivative", "parameter", "of"), right=(0, 1))
