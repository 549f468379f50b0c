"""Learning as the estimator and the commands do it: arguments checked, checkpoints in files, a model with its past."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnac.data import Evidence
from learnac.data.forms import TableForm
from learnac.data.incomplete import TrainingRows, partial_codes
from learnac.data.weights import checked_weights
from learnac.defaults import CHECKPOINT_SECONDS
from learnac.errors import ModelFileError
from learnac.files import check_writable
from learnac.io import read_checkpoint, write_checkpoint
from learnac.learn import (
    Checkpoints,
    Gaps,
    Learned,
    LearnSettings,
    Mixing,
    MixtureSettings,
    MixtureState,
    ParentRules,
    RoundInfo,
    Rows,
    SearchState,
    StepInfo,
    learn_incomplete,
    learn_incomplete_mixture,
    learn_mixture,
    learn_table,
)
from learnac.learn.blocks import TableOfParts, learn_parts
from learnac.version import __version__

StateT = TypeVar("StateT", SearchState, MixtureState)
ONE_CIRCUIT = MixtureSettings()
NO_RULES = ParentRules()

OnStep = Callable[[StepInfo | RoundInfo], object]


def train(
    rows: TrainingRows,
    settings: LearnSettings,
    form: TableForm,
    *,
    mixing: MixtureSettings = ONE_CIRCUIT,
    validation: TrainingRows | None = None,
    sample_weight: ArrayLike | None = None,
    validation_weight: ArrayLike | None = None,
    parents: ParentRules = NO_RULES,
    on_step: OnStep | None = None,
    checkpoint: Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    resume: bool = False,
    on_checkpoint_failure: Callable[[OSError], object] | None = None,
    n_threads: int = 1,
) -> Learned:
    """A model that knows its settings and where it comes from. `form` is that of the table the rows came in.

    Rows with gaps, to learn from or to validate by, are taken to be missing at random.

    A checkpoint that cannot be written is a warning, unless `on_checkpoint_failure` takes it. The search goes on.
    """
    if resume and checkpoint is None:
        raise ValueError("resume: expected a checkpoint file to resume from, found none")
    keeping = checkpoint, checkpoint_seconds, resume, on_checkpoint_failure or _warn
    weights = checked_weights(sample_weight, rows.n_rows)
    validation_weights = _validation_weights(validation_weight, validation)
    if isinstance(rows, Evidence) or isinstance(validation, Evidence):
        known = _known(rows, weights)
        known_validation = None if validation is None else _known(validation, validation_weights)
        if mixing.is_mixture:
            learned = learn_incomplete_mixture(
                known,
                settings,
                mixing,
                validation=known_validation,
                allowed_parents=parents,
                on_step=on_step,
                checkpoints=_checkpoints(MixtureState, *keeping),
                n_threads=n_threads,
            )
        else:
            learned = learn_incomplete(
                known,
                settings,
                validation=known_validation,
                allowed_parents=parents,
                on_step=on_step,
                checkpoints=_checkpoints(SearchState, *keeping),
                n_threads=n_threads,
            )
    elif mixing.is_mixture:
        learned = learn_mixture(
            Rows(rows, weights),
            settings,
            mixing,
            validation=None if validation is None else Rows(validation, validation_weights),
            allowed_parents=parents,
            on_step=on_step,
            checkpoints=_checkpoints(MixtureState, *keeping),
            n_threads=n_threads,
        )
    else:
        learned = learn_table(
            rows,
            settings,
            validation=validation,
            sample_weight=weights,
            validation_weight=validation_weights,
            allowed_parents=parents,
            on_step=on_step,
            checkpoints=_checkpoints(SearchState, *keeping),
        )
    return with_past(learned, rows.n_rows, settings, mixing, parents, form)


def train_parts(
    table: TableOfParts,
    settings: LearnSettings,
    form: TableForm,
    *,
    memory: int,
    validation: TableOfParts | None = None,
    parents: ParentRules = NO_RULES,
    on_step: OnStep | None = None,
    checkpoint: Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    resume: bool = False,
    on_checkpoint_failure: Callable[[OSError], object] | None = None,
) -> Learned:
    """`train`, from a table that is not in memory: counts take at most a quarter of `memory`, in bytes."""
    if resume and checkpoint is None:
        raise ValueError("resume: expected a checkpoint file to resume from, found none")
    learned = learn_parts(
        table,
        settings,
        validation=validation,
        most_cells=memory // 4 // 8,
        allowed_parents=parents,
        on_step=on_step,
        checkpoints=_checkpoints(SearchState, checkpoint, checkpoint_seconds, resume, on_checkpoint_failure or _warn),
    )
    return with_past(learned, table.n_rows, settings, ONE_CIRCUIT, parents, form)


def with_past(
    learned: Learned,
    n_rows: int,
    settings: LearnSettings,
    mixing: MixtureSettings,
    parents: ParentRules,
    form: TableForm,
) -> Learned:
    """What was learned, with a model that knows its settings and where it comes from."""
    provenance = {
        "learnac": __version__,
        "rows": n_rows,
        "splits": learned.n_splits,
        **({"final_edge_penalty": learned.trace[-1].edge_penalty} if learned.trace else {}),
        **({"alpha": learned.smoothing.prior} if settings.criterion == "likelihood" else {}),
        "shrinkage": learned.smoothing.shrinkage,
        **({} if learned.mixing is None else mixing_document(learned.mixing)),
        **({} if learned.gaps is None else {"gaps": gaps_document(learned.gaps)}),
        "stop": learned.stop.name.lower(),
        "seconds": round(learned.seconds, 3),
        "form": form.name,
    }
    stated = stated_settings(settings, mixing, parents)
    return replace(learned, model=replace(learned.model, settings=stated, provenance=provenance))


def mixing_document(mixing: Mixing) -> dict[str, Any]:
    """How a mixture came about, in types that JSON has."""
    return {
        "components": mixing.n_components,
        "averages": mixing.n_averages,
        "way": mixing.way,
        "rounds": mixing.n_rounds,
    }


def gaps_document(gaps: Gaps) -> dict[str, Any]:
    """How gaps were learned from, in types that JSON has."""
    return {
        "missing": gaps.n_missing,
        "of": gaps.n_values,
        "assumed": "missing at random",
        "structures": len(gaps.structures),
        "rounds": gaps.n_rounds,
    }


def _known(rows: TrainingRows, weights: NDArray[np.float64] | None) -> Evidence:
    evidence = Evidence.of_codes(rows.schema, partial_codes(rows), numbers=rows.numbers)
    return replace(evidence, weights=weights)


def stated_settings(settings: LearnSettings, mixing: MixtureSettings, parents: ParentRules) -> dict[str, Any]:
    """Settings in types that JSON has: NumPy's numbers are as good as Python's elsewhere."""
    given = {**asdict(settings), **(asdict(mixing) if mixing.is_mixture else {})}
    stated = {name: value.item() if isinstance(value, np.generic) else value for name, value in given.items()}
    return {**stated, **parents.document()}


def _checkpoints(
    kind: type[StateT], path: Path | None, every_seconds: float, resume: bool, on_failure: Callable[[OSError], object]
) -> Checkpoints[StateT] | None:
    if path is None:
        return None
    if not resume and path.exists():
        raise FileExistsError(17, "the checkpoint exists already: resume it, or delete it to start again", str(path))
    check_writable(path)
    resumed = read_checkpoint(path) if resume and path.exists() else None
    if resumed is not None and not isinstance(resumed, kind):
        found = "a mixture" if isinstance(resumed, MixtureState) else "a single circuit"
        raise ModelFileError(f"{path}: expected the settings that the search began with, which were those of {found}")
    return Checkpoints(resumed, lambda state: write_checkpoint(state, path), every_seconds, on_failure)


def checkpoint_warning(error: OSError) -> str:
    """What to tell of a checkpoint that could not be written."""
    return (
        f"{error.filename}: {error.strerror}: the checkpoint could not be written; the search continues and tries again"
    )


def _warn(error: OSError) -> None:
    warnings.warn(checkpoint_warning(error), RuntimeWarning, stacklevel=2)


def _validation_weights(given: ArrayLike | None, validation: TrainingRows | None) -> NDArray[np.float64] | None:
    if given is None:
        return None
    if validation is None:
        raise ValueError("validation_weight: expected a validation table for these weights, found none")
    return checked_weights(given, validation.n_rows, "validation_weight")
