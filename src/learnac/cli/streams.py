"""The tables to learn from, as streams: packed into blocks on disk, and counted there."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learnac.cli.progress import busy, progress_line, rows_read
from learnac.cli.settings import naming_options
from learnac.cli.summary import TableScore
from learnac.data import Schema
from learnac.data.batches import FileBatches
from learnac.data.column_options import ColumnOptions
from learnac.data.forms import DatasetForm
from learnac.data.settling import ColumnReport
from learnac.data.streamed import encoded, pack_like, pack_stream
from learnac.data.tables import TableLayout
from learnac.infer import log_likelihood
from learnac.learn import Learned, LearnSettings
from learnac.learn.blocks import OnDisk, TableOfParts
from learnac.model import Model
from learnac.network import BayesNet
from learnac.training import checkpoint_warning, train_parts


@dataclass(frozen=True, slots=True, eq=False)
class StreamedTables:
    """The training table in blocks, a validation table in blocks if there is one, and the files of all."""

    train: TableOfParts
    validation: TableOfParts | None
    sources: dict[str, FileBatches]
    dropped: tuple[str, ...]
    reports: tuple[ColumnReport, ...]  # of the columns of the training table
    client: Any = None  # of the cluster, if there is one

    @classmethod
    def read(
        cls,
        paths: Mapping[str, Path],
        layout: TableLayout,
        options: ColumnOptions,
        missing: str,
        scratch: Path | None,
    ) -> StreamedTables:
        sources = {role: FileBatches.of(path, layout) for role, path in paths.items()}
        with rows_read(f"reading {paths['train']}") as on_rows:
            train = pack_stream(sources["train"], options, scratch, on_rows, missing=missing)
        validation = None
        if "validation" in sources:
            with rows_read(f"reading {paths['validation']}") as on_rows:
                validation = OnDisk(pack_like(train.schema, sources["validation"], options.drop, scratch, on_rows))
        return cls(OnDisk(train.blocks), validation, sources, train.dropped, train.reports)

    @classmethod
    def on_cluster(
        cls,
        paths: Mapping[str, Path],
        layout: TableLayout,
        options: ColumnOptions,
        missing: str,
        scheduler: str,
    ) -> StreamedTables:
        """The same on the workers of a Dask cluster, which can all read the files."""
        from learnac.cluster import connected, distribute, distribute_like

        sources = {role: FileBatches.of(path.absolute(), layout) for role, path in paths.items()}
        client = connected(scheduler)
        with busy(f"reading {paths['train']}"):
            train = distribute(client, sources["train"], options, missing=missing)
        validation = None
        if "validation" in sources:
            with busy(f"reading {paths['validation']}"):
                validation = distribute_like(client, train.schema, sources["validation"], options.drop)
        return cls(train, validation, sources, tuple(sorted(options.drop)), train.reports, client)

    def close(self) -> None:
        """Lets go of the cluster, if there is one."""
        if self.client is not None:
            self.client.close()

    @property
    def schema(self) -> Schema:
        return self.train.schema

    def fit(self, settings: LearnSettings, memory: int, **further: Any) -> Learned:
        """Learns from the blocks, with a line of progress if somebody is looking."""

        def report(error: OSError) -> None:
            print(f"warning: {checkpoint_warning(error)}", file=sys.stderr)

        with closing(self), progress_line() as on_step, naming_options():
            return train_parts(
                self.train,
                settings,
                DatasetForm(),
                memory=memory,
                validation=self.validation,
                on_step=on_step,
                on_checkpoint_failure=report,
                **further,
            )

    def scores(self, model: Model) -> dict[str, TableScore]:
        """How likely each table is: the training table by its counts, the others row by row."""
        total = _by_counts(model.require_network()) + self.train.log_density
        found = {"train": TableScore(self.train.n_rows, total / self.train.n_rows, 0)}
        for role in ("validation", "test"):
            if role in self.sources:
                found[role] = self._score(model, self.sources[role])
        return found

    def _score(self, model: Model, source: FileBatches) -> TableScore:
        sums, n_rows, n_impossible = [], 0, 0
        with rows_read(f"reading {source.name}") as on_rows:
            for rows in encoded(self.schema, source, frozenset(self.dropped), on_rows):
                found = log_likelihood(model.require_circuit(), rows, network=model.network)
                sums.append(math.fsum(found) if np.isfinite(found).all() else -math.inf)
                n_impossible += int(np.isneginf(found).sum())
                n_rows += rows.n_rows
        return TableScore(n_rows, math.fsum(sums) / n_rows if n_impossible == 0 else -math.inf, n_impossible)


def _by_counts(network: BayesNet) -> float:
    """The log-likelihood of the rows that a network was learned from: what its leaves counted, and their parameters."""
    total = 0.0
    for tree in network.trees:
        counts, parameters = tree.counts[tree.leaves], tree.parameters[tree.leaves]
        total += float(np.sum(counts[counts > 0] * np.log(parameters[counts > 0])))
    return total
