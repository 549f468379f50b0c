"""The command `learnac tune`: section 5.2 of the paper."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from learnac import defaults
from learnac.cli import options
from learnac.cli.command import Completes, Option, UsageError
from learnac.cli.learn import fit, save

if TYPE_CHECKING:
    from learnac.cli.tables import LearningTables
    from learnac.learn import Learned, LearnSettings

EXAMPLE = "learnac tune train.csv --valid valid.csv --edge-penalties 0.01,0.02,0.1 --out best.learnac"
_HEADER = ("k_e", "k_p", "validation", "train", "edges", "leaves", "seconds")


@dataclass(frozen=True, slots=True)
class Trial:
    """What one pair of penalties came to. Log-likelihoods are means over rows."""

    edge_penalty: float
    parameter_penalty: float
    validation: float
    train: float
    edges: int
    leaves: int
    seconds: float


def tune(
    train: options.TrainTable,
    *,
    valid: Annotated[
        Path,
        Option(
            metavar="FILE",
            about="The validation table, on which the penalties are compared.",
            completes=Completes.TABLE,
        ),
    ],
    test: options.TestTable = None,
    edge_penalties: Annotated[
        str, Option(metavar="NATS,...", about="The edge penalties (k_e) to try.")
    ] = "0.01,0.02,0.05,0.1",
    parameter_penalties: Annotated[
        str, Option(metavar="NATS,...", about="The parameter penalties (k_p) to try with each edge penalty.")
    ] = "0,0.25,0.5,1",
    retrain: Annotated[
        bool, Option(about="Learn the final model from both tables, or keep the best model of the grid.")
    ] = True,
    no_header: options.NoHeader = False,
    delimiter: options.Delimiter = None,
    table_format: options.Format = None,
    arity: options.Arity = None,
    schema: options.SchemaFile = None,
    bins: options.BinsOption = None,
    drop: options.Drop = None,
    kind: options.Kinds = None,
    missing: options.Missing = "random",
    as_category: options.AsCategory = None,
    min_count: options.MinCount = 1,
    schedule: options.Schedule = defaults.SCHEDULE,
    splits: options.Splits = defaults.SPLITS,
    alpha: options.Alpha = None,
    shrinkage: options.Shrinkage = None,
    max_edges: options.MaxEdges = None,
    out: options.Out = None,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Try a grid of penalties, and keep those that score best on a validation table.

    The final model is learned with the best penalties from both tables together,
    as in section 5.2 of the paper. --test reports the score of the final model.
    """
    from learnac.cli.columns import column_options, layout_of, names_of
    from learnac.cli.output import check_outputs, print_json
    from learnac.cli.settings import checked_settings
    from learnac.cli.standard_input import as_files
    from learnac.cli.tables import read_learning_tables

    penalties = list(
        product(_numbers(edge_penalties, "--edge-penalties"), _numbers(parameter_penalties, "--parameter-penalties"))
    )
    common = {
        "schedule": schedule,
        "splits": splits,
        "alpha": alpha,
        "shrinkage": shrinkage,
        "max_edges": max_edges,
    }
    grid = [checked_settings(edge_penalty=k_e, parameter_penalty=k_p, **common) for k_e, k_p in penalties]
    files = as_files({"train": train, "validation": valid, **({} if test is None else {"test": test})})
    check_outputs({"--out": out}, files.values())
    layout = layout_of(no_header, delimiter, table_format)
    columns = column_options(schema, bins, drop, as_category, kind, min_count)
    tables = read_learning_tables(files, layout, columns, arity, names_of(drop), missing)
    trials: list[Trial] = []
    for settings in grid:
        trials.append(_try(settings, tables))
        if not as_json:
            _print_trial(trials[-1], is_first=len(trials) == 1)
    best, settings = max(zip(trials, grid, strict=True), key=lambda each: each[0].validation)
    kept = _everything(tables) if retrain else replace(tables, tables={"train": tables.tables["train"]})
    learned = _fit(settings, kept)
    if out is not None:
        save(learned, out, files)
    figures = {
        "rows": kept.tables["train"].n_rows,
        "edges": learned.circuit.n_edges,
        "test": None if test is None else _score(learned, tables, "test"),
        "out": None if out is None else str(out),
    }
    if as_json:
        print_json({"trials": [asdict(t) for t in trials], "best": asdict(best), "model": figures})
    else:
        _print_best(best, figures, retrain)


def _numbers(text: str, option: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"expected numbers separated by commas, found {text!r}", option) from None
    for number in numbers:
        if not (math.isfinite(number) and number >= 0):
            raise UsageError(f"expected a finite number at least 0, found {number:g}", option)
    return numbers


def _try(settings: LearnSettings, tables: LearningTables) -> Trial:
    """One model, judged by the validation table and not stopped by it."""
    learned = _fit(settings, replace(tables, tables={"train": tables.tables["train"]}))
    return Trial(
        settings.edge_penalty or 0.0,
        settings.parameter_penalty,
        validation=_score(learned, tables, "validation"),
        train=_score(learned, tables, "train"),
        edges=learned.circuit.n_edges,
        leaves=learned.network.n_leaves,
        seconds=learned.seconds,
    )


def _fit(settings: LearnSettings, tables: LearningTables) -> Learned:
    from learnac.learn import Stop

    learned = fit(settings, tables)
    if learned.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt  # A search cut short is not to be compared with others.
    return learned


def _print_trial(trial: Trial, is_first: bool) -> None:
    if is_first:
        print("".join(f"{title:>12}" for title in _HEADER))
    likelihoods = f"{trial.validation:12.4f}{trial.train:12.4f}"
    sizes = f"{trial.edges:12,}{trial.leaves:12,}{trial.seconds:12.1f}"
    print(f"{trial.edge_penalty:12g}{trial.parameter_penalty:12g}{likelihoods}{sizes}", flush=True)


def _score(learned: Learned, tables: LearningTables, role: str) -> float:
    from learnac.data import Evidence
    from learnac.data.incomplete import partial_codes
    from learnac.data.weights import weighted_mean
    from learnac.learn.gaps.completion import log_known

    rows = tables.tables[role]
    known = Evidence.of_codes(rows.schema, partial_codes(rows))
    return weighted_mean(log_known(learned.circuit, learned.network, known), tables.weights.get(role))


def _everything(tables: LearningTables) -> LearningTables:
    """Training and validation rows in one table."""
    import numpy as np

    from learnac.data.incomplete import joined_rows

    parts = {role: tables.tables[role] for role in ("train", "validation")}
    weights = {}
    if any(role in tables.weights for role in parts):
        of_each = [tables.weights.get(role, np.ones(part.n_rows)) for role, part in parts.items()]
        weights = {"train": np.concatenate(of_each)}
    return replace(tables, tables={"train": joined_rows(list(parts.values()))}, weights=weights)


def _print_best(best: Trial, figures: dict[str, Any], retrain: bool) -> None:
    print(f"best: k_e {best.edge_penalty:g}, k_p {best.parameter_penalty:g}")
    how = f"learned again from all {figures['rows']:,} rows" if retrain else "kept as it was"
    test = "" if figures["test"] is None else f", test log-likelihood {figures['test']:.4f}"
    print(f"{how}: {figures['edges']:,} edges{test}")
