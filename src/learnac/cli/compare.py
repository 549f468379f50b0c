"""The command `learnac compare`."""

from __future__ import annotations

from typing import Annotated

from learnac.cli import query_options as options
from learnac.cli.command import Completes, Option

EXAMPLE = 'learnac compare model.learnac --given "smoker=yes" --with "smoker=no"'


def compare(
    model: options.ModelFile,
    *,
    given: options.Given = None,
    other: Annotated[
        list[str] | None,
        Option(
            "--with",
            metavar="NAME=CATEGORY,...",
            about="The evidence of the other situation. Default: nothing is known. May be repeated.",
            panel="Evidence",
            completes=Completes.ASSIGNMENTS,
        ),
    ] = None,
    do: options.Do = None,
    number: Annotated[int, Option("--number", "-n", least=1, metavar="N", about="How many variables to print.")] = 10,
    threads: options.Threads = 1,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Print which variables differ most between two situations.

    The number is the Jensen-Shannon divergence of the two posteriors in nats:
    0 if they are equal, 0.693 if they have nothing in common.
    """
    from learnac.cli.answers import Asked
    from learnac.cli.assignments import read_assignments
    from learnac.cli.output import print_json, print_rows, probability
    from learnac.infer import compare as comparison_of

    asked = Asked.open(model, given, None, None, as_json, do=do)
    second = read_assignments(other or [], asked.schema, "--with")
    found = comparison_of(asked.circuit, asked.given, second, n_threads=threads)
    names = list(found.divergences)[:number]
    if as_json:
        variables = [
            {
                "variable": name,
                "divergence": found.divergences[name],
                "categories": list(asked.schema.categories[asked.schema.index(name)]),
                "a": found.a[name].tolist(),
                "b": found.b[name].tolist(),
            }
            for name in names
        ]
        print_json({"a": asked.given, "b": second, "variables": variables})
        return
    lines = []
    for name in names:
        categories = asked.schema.categories[asked.schema.index(name)]
        for number_of, category in enumerate(categories):
            is_first = number_of == 0
            a, b = (probability(float(posterior[name][number_of])) for posterior in (found.a, found.b))
            divergence = f"{found.divergences[name]:.4f}" if is_first else ""
            lines.append((name if is_first else "", divergence, str(category), a, b))
    print_rows(lines, header=("variable", "differs", "", "given", "with"), right=(1, 3, 4))
