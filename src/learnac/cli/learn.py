"""The command `learnac learn`."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from learnac.cli import options

if TYPE_CHECKING:
    from learnac.cli.summary import Summary
    from learnac.data import Dataset
    from learnac.estimator import LearnAC


def learn(
    train: options.TrainTable,
    *,
    valid: options.ValidTable = None,
    test: options.TestTable = None,
    no_header: options.NoHeader = False,
    delimiter: options.Delimiter = ",",
    arity: options.Arity = None,
    edge_penalty: options.EdgePenalty = 0.02,
    parameter_penalty: options.ParameterPenalty = 0.5,
    criterion: options.Criterion = "likelihood",
    alpha: options.Alpha = 1.0,
    equivalent_sample_size: options.EquivalentSampleSize = 1.0,
    schedule: options.Schedule = "quick",
    splits: options.Splits = "complete",
    halve_edge_penalty: options.HalveEdgePenalty = False,
    threads: options.Threads = 1,
    max_edges: options.MaxEdges = None,
    max_splits: options.MaxSplits = None,
    max_seconds: options.MaxSeconds = None,
    patience: options.Patience = None,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Learn an arithmetic circuit from a table of discrete data.

    The search splits leaves of decision trees as long as a split gains more
    log-likelihood than its edges and parameters cost. Gains and prices are in
    nats, over the whole training table.

    Ctrl-C ends the search and keeps its work: the summary, marked "interrupted",
    is that of the model so far, and the exit code is 0. For wrong input it is 2.
    """
    from learnac.cli.tables import TableLayout, read_tables
    from learnac.estimator import LearnAC

    model = LearnAC(
        edge_penalty=edge_penalty,
        parameter_penalty=parameter_penalty,
        schedule=schedule,
        criterion=criterion,
        alpha=alpha,
        equivalent_sample_size=equivalent_sample_size,
        splits=splits,
        max_edges=max_edges,
        halve_edge_penalty=halve_edge_penalty,
        max_splits=max_splits,
        max_seconds=max_seconds,
        patience=patience,
        n_threads=threads,
    )
    _check_settings(model)
    if patience is not None and valid is None:
        raise typer.BadParameter("expected --valid too, found none", param_hint="--patience")
    layout = TableLayout(not no_header, _one_character(delimiter), arity)
    files = {"train": train, "validation": valid, "test": test}
    given = {role: path for role, path in files.items() if path is not None}
    tables = read_tables(given, layout)
    _fit(model, tables)
    _print_summary(model, tables, given, as_json)


def _one_character(delimiter: str) -> str:
    character = "\t" if delimiter in ("tab", r"\t") else delimiter
    if len(character) != 1 or not character.isascii() or character in '"\r\n':
        raise typer.BadParameter(f"expected one character, found {delimiter!r}", param_hint="--delimiter")
    return character


def _check_settings(model: LearnAC) -> None:
    """Complains about settings before files are read, which may take a while."""
    from learnac.cli.settings import naming_options
    from learnac.learn import LearnSettings

    with naming_options():
        LearnSettings(**{name: getattr(model, name) for name in LearnSettings.__dataclass_fields__})


def _fit(model: LearnAC, tables: dict[str, Dataset]) -> None:
    from learnac.cli.progress import progress_line
    from learnac.cli.settings import naming_options

    with progress_line() as on_step, naming_options(), warnings.catch_warnings():
        # The summary says it.
        warnings.filterwarnings("ignore", message="interrupted")
        model.set_params(callback=on_step).fit(tables["train"], validation=tables.get("validation"))


def _print_summary(model: LearnAC, tables: dict[str, Dataset], files: dict[str, Path], as_json: bool) -> None:
    from rich.console import Console

    from learnac.cli.summary import as_text, summarize

    summary = summarize(model, tables)
    if as_json:
        print(json.dumps(_document(summary, model, files), indent=2, allow_nan=False))
    else:
        Console(highlight=False).print(as_text(summary))


def _document(summary: Summary, model: LearnAC, files: dict[str, Path]) -> dict[str, Any]:
    from learnac.cli.summary import as_document
    from learnac.learn import LearnSettings

    settings = {name: getattr(model, name) for name in LearnSettings.__dataclass_fields__}
    names = {role: str(path) for role, path in files.items()}
    return {"files": names, **as_document(summary), "settings": settings}
