"""The command `learnac sample`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from learnac.cli import query_options as options
from learnac.cli.command import Option

EXAMPLE = 'learnac sample model.learnac -n 1000 --given "smoker=yes" --seed 1 --out samples.csv'


def sample(
    model: options.ModelFile,
    *,
    n: Annotated[int, Option("--number", "-n", least=0, metavar="N", about="How many rows to draw.")] = 10,
    seed: Annotated[
        int | None,
        Option(metavar="SEED", least=0, about="A seed for the random numbers: the same seed gives the same rows."),
    ] = None,
    given: options.Given = None,
    do: options.Do = None,
    balance: options.Balance = None,
    out: options.Out = None,
    threads: options.Threads = 1,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Draw random rows from the model, or from the model given evidence."""
    import numpy as np

    from learnac.cli.assignments import read_assignments, read_balance
    from learnac.cli.models import intervened, open_model
    from learnac.cli.output import check_table_path, print_json, table_writer
    from learnac.cli.progress import row_blocks
    from learnac.data.arrow_forms import ArrowForm
    from learnac.infer import sample as draw_samples

    check_table_path(out)
    stored = intervened(open_model(model), do)
    circuit = stored.require_circuit()
    known = read_assignments(given or [], stored.schema, "--given")
    shares = read_balance(balance, stored.schema, "--balance")
    form = ArrowForm()

    def drawn() -> Iterator[Any]:
        """First a table without rows, which has the names; then blocks."""
        random = np.random.default_rng(seed)
        yield draw_samples(circuit, 0, known, balance=shares, random_state=0, form=form)
        for rows in row_blocks(n, "samples", 100_000):
            how_many = rows.stop - rows.start
            yield draw_samples(
                circuit, how_many, known, balance=shares, random_state=random, form=form, n_threads=threads
            )

    if as_json and out is None:
        print_json({"given": known, "rows": [row for block in drawn() for row in block.to_pylist()]})
        return
    with table_writer(out) as write:
        for block in drawn():
            write(block)
    if as_json:
        print_json({"given": known, "out": str(out), "rows": n})
