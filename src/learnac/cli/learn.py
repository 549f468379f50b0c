"""The command `learnac learn`."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnac import defaults
from learnac.cli import options
from learnac.cli.command import UsageError
from learnac.cli.printable import printable

if TYPE_CHECKING:
    from learnac.cli.streams import StreamedTables
    from learnac.cli.tables import LearningTables
    from learnac.learn import Learned, LearnSettings, MixtureSettings

EXAMPLE = "learnac learn train.csv --valid valid.csv --out model.learnac"
_COLUMNS_SHOWN = 40


def learn(
    train: options.TrainTable,
    *,
    valid: options.ValidTable = None,
    test: options.TestTable = None,
    no_header: options.NoHeader = False,
    delimiter: options.Delimiter = None,
    table_format: options.Format = None,
    arity: options.Arity = None,
    schema: options.SchemaFile = None,
    write_schema: options.WriteSchema = None,
    bins: options.BinsOption = None,
    drop: options.Drop = None,
    kind: options.Kinds = None,
    missing: options.Missing = "random",
    as_category: options.AsCategory = None,
    min_count: options.MinCount = 1,
    memory: options.Memory = None,
    scratch: options.Scratch = None,
    scheduler: options.Scheduler = None,
    edge_penalty: options.EdgePenalty = None,
    parameter_penalty: options.ParameterPenalty = defaults.PARAMETER_PENALTY,
    criterion: options.Criterion = defaults.CRITERION,
    alpha: options.Alpha = None,
    equivalent_sample_size: options.EquivalentSampleSize = defaults.EQUIVALENT_SAMPLE_SIZE,
    shrinkage: options.Shrinkage = None,
    schedule: options.Schedule = defaults.SCHEDULE,
    splits: options.Splits = defaults.SPLITS,
    halve_edge_penalty: options.HalveEdgePenalty = False,
    allowed_parents: options.AllowedParents = None,
    forbidden_parents: options.ForbiddenParents = None,
    required_parents: options.RequiredParents = None,
    tiers: options.Tiers = None,
    components: options.Components = "1",
    averages: options.Averages = 1,
    seed: options.Seed = 0,
    threads: options.LearningThreads = 1,
    max_edges: options.MaxEdges = None,
    max_splits: options.MaxSplits = None,
    max_seconds: options.MaxSeconds = None,
    patience: options.Patience = None,
    out: options.Out = None,
    checkpoint: options.Checkpoint = None,
    checkpoint_every: options.CheckpointEvery = defaults.CHECKPOINT_SECONDS,
    resume: options.Resume = False,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Learn an arithmetic circuit from a table.

    What the columns hold is found out: categories, numbers, dates. A table shows
    it before the summary; --kind, --bins and --drop say otherwise.

    The search grows decision trees. It applies a split if the split gains more
    log-likelihood, in nats over the whole training table, than the penalties for
    the edges and parameters it adds.

    Ctrl-C stops the search and keeps the model so far: the summary is marked
    "interrupted" and the exit code is 0. Wrong input exits with code 2.
    """
    from learnac.cli.columns import column_options, layout_of, names_of
    from learnac.cli.output import check_outputs
    from learnac.cli.settings import checked_mixing, checked_settings, naming_options, parent_rules
    from learnac.cli.standard_input import as_files
    from learnac.cli.streams import StreamedTables
    from learnac.cli.tables import read_learning_tables
    from learnac.data.batches import is_many
    from learnac.data.schema_file import write_schema_file
    from learnac.sizes import memory_size

    settings = checked_settings(
        edge_penalty=edge_penalty,
        parameter_penalty=parameter_penalty,
        schedule=schedule,
        criterion=criterion,
        alpha=alpha,
        equivalent_sample_size=equivalent_sample_size,
        shrinkage=shrinkage,
        splits=splits,
        max_edges=max_edges,
        halve_edge_penalty=halve_edge_penalty,
        max_splits=max_splits,
        max_seconds=max_seconds,
        patience=patience,
    )
    mixing = checked_mixing(components, averages, seed)
    parents = parent_rules(allowed_parents, forbidden_parents, required_parents, tiers)
    if patience is not None and valid is None:
        raise UsageError("needs a validation table: add --valid FILE", "--patience")
    if resume and checkpoint is None:
        raise UsageError("needs a file to resume from: add --checkpoint FILE", "--resume")
    files = {"train": train, "validation": valid, "test": test}
    given = as_files({role: path for role, path in files.items() if path is not None})
    check_outputs({"--out": out, "--checkpoint": checkpoint, "--write-schema": write_schema}, given.values())
    layout = layout_of(no_header, delimiter, table_format)
    columns = column_options(schema, bins, drop, as_category, kind, min_count)
    keeping = {"checkpoint": checkpoint, "checkpoint_seconds": checkpoint_every, "resume": resume}
    if memory is not None or scheduler is not None or is_many(train):
        if mixing.is_mixture:
            raise UsageError("expected 1 with tables in files: a mixture is learned from one in memory", "--components")
        if arity is not None:
            raise UsageError("expected none with tables in files: state categories with --schema", "--arity")
        with naming_options():
            size = memory_size(defaults.MEMORY if memory is None else memory)
        if scheduler is None:
            streams = StreamedTables.read(given, layout, columns, missing, scratch)
        else:
            streams = StreamedTables.on_cluster(given, layout, columns, missing, scheduler)
        if write_schema is not None:
            write_schema_file(streams.schema, write_schema, streams.dropped)
        learned = streams.fit(settings, size, parents=parents, **keeping)
        if out is not None:
            save(learned, out, given)
        _print_summary(learned, settings, mixing, streams, given, out, as_json)
        return
    tables = read_learning_tables(given, layout, columns, arity, names_of(drop), missing)
    if write_schema is not None:
        write_schema_file(tables.schema, write_schema, tables.dropped)
    learned = fit(
        settings,
        tables,
        mixing=mixing,
        parents=parents,
        n_threads=threads,
        **keeping,
    )
    if out is not None:
        save(learned, out, given)
    _print_summary(learned, settings, mixing, tables, given, out, as_json)


def _print_columns(tables: LearningTables | StreamedTables) -> None:
    """What was found out about the columns, and done with them: a mistake shows here."""
    from learnac.cli.output import print_rows
    from learnac.data.describe import REPORT_HEADER, REPORT_NUMBERS, report_rows

    reports = tables.reports
    # Of many columns the first, and all that were left out.
    kept = [report for report in reports if not report.is_left_out][:_COLUMNS_SHOWN]
    shown = [report for report in reports if report.is_left_out or report in kept]
    print_rows(report_rows(tables.schema, shown), REPORT_HEADER, REPORT_NUMBERS)
    if (more := len(reports) - len(shown)) > 0:
        print(f"... and {more:,} more columns; --write-schema FILE writes down all")
    if any(report.is_left_out for report in shown):
        print("To keep a column that was left out, state its kind: --kind NAME=categorical")
    if tables.dropped:
        print(f"dropped: {', '.join(map(printable, tables.dropped))}")
    print()


def fit(settings: LearnSettings, tables: LearningTables, **further: Any) -> Learned:
    """Learns from the training table, with a line of progress if somebody is looking."""
    from learnac.cli.memory import FEWER_EDGES, memory_for
    from learnac.cli.progress import progress_line
    from learnac.cli.settings import naming_options
    from learnac.data.forms import DatasetForm
    from learnac.training import checkpoint_warning, train

    def report(error: OSError) -> None:
        print(f"warning: {checkpoint_warning(error)}", file=sys.stderr)

    with memory_for("the search", FEWER_EDGES), progress_line() as on_step, naming_options():
        return train(
            tables.tables["train"],
            settings,
            DatasetForm(),
            validation=tables.tables.get("validation"),
            sample_weight=tables.weights.get("train"),
            validation_weight=tables.weights.get("validation") if "validation" in tables.tables else None,
            on_step=on_step,
            on_checkpoint_failure=report,
            **further,
        )


def save(learned: Learned, out: Path, files: dict[str, Path]) -> None:
    """Writes the model, which remembers the names of the tables it comes from."""
    from learnac.cli.standard_input import shown
    from learnac.io import write_model

    names = {role: Path(shown(str(path))).name for role, path in files.items()}
    write_model(replace(learned.model, provenance={**learned.model.provenance, "files": names}), out)


def _print_summary(
    learned: Learned,
    settings: LearnSettings,
    mixing: MixtureSettings,
    tables: LearningTables | StreamedTables,
    files: dict[str, Path],
    out: Path | None,
    as_json: bool,
) -> None:
    from learnac.cli.output import print_json
    from learnac.cli.standard_input import shown
    from learnac.cli.summary import as_document, print_summary, summarize
    from learnac.data.describe import column_summaries

    summary = summarize(learned, settings, tables.scores(learned.model))
    if not as_json:
        _print_columns(tables)
        print_summary(summary)
        if out is None:
            print("\nThe model was not saved. To save it, add --out and a file name, such as --out model.learnac.")
        return
    names = {role: shown(str(path)) for role, path in files.items()}
    columns = [asdict(column) for column in column_summaries(tables.schema)]
    left_out = {r.name: r.done.removeprefix("left out: ") for r in tables.reports if r.is_left_out}
    document = {"files": names, "out": out and str(out), **as_document(summary), "settings": asdict(settings)}
    if mixing.is_mixture:
        document["settings"] |= asdict(mixing)
    print_json({**document, "columns": columns, "left_out": left_out, "dropped": list(tables.dropped)})
