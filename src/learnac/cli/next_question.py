"""The command `learnac next-question`."""

from __future__ import annotations

from typing import Annotated

from learnac.cli import query_options as options
from learnac.cli.command import Completes, Option

EXAMPLE = 'learnac next-question model.learnac --target diagnosis --given "radius=20"'
_BAR = 24


def next_question(
    model: options.ModelFile,
    *,
    target: options.Target,
    given: options.Given = None,
    do: options.Do = None,
    candidates: Annotated[
        str | None,
        Option(
            metavar="NAME,...",
            about="What can be asked. Default: all variables that nothing is known of.",
            completes=Completes.VARIABLES,
        ),
    ] = None,
    number: Annotated[int, Option("--number", "-n", least=1, metavar="N", about="How many questions to print.")] = 10,
    threads: options.Threads = 1,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Print which variables would tell most about the target, best first.

    The number is the expected information gain in nats: how much less uncertain
    the target will be, on average over the answers.
    """
    from learnac.cli.answers import Asked
    from learnac.cli.output import print_json, print_rows
    from learnac.infer import next_question as gains_of

    asked = Asked.open(model, given, None, None, as_json, do=do)
    wanted = None if candidates is None else [name.strip() for name in candidates.split(",")]
    gains = dict(list(gains_of(asked.circuit, target, asked.given, wanted, n_threads=threads).items())[:number])
    if as_json:
        print_json({"target": target, "given": asked.given, "gains": gains})
        return
    most = max(gains.values(), default=0.0) or 1.0
    print_rows([(name, f"{gain:.4f}", "█" * round(_BAR * gain / most)) for name, gain in gains.items()], right=(1,))
