"""Models from files."""

from __future__ import annotations

from pathlib import Path

from learnac.circuit import Queryable
from learnac.data.forms import form_called
from learnac.errors import ModelFileError
from learnac.estimator.learn_ac import LearnAC
from learnac.estimator.target import Target
from learnac.io import read_model


def load(path: str | Path) -> LearnAC:
    """Loads a model from a file that `LearnAC.save` or the command `learnac learn` wrote."""
    stored = read_model(path)
    known = LearnAC().get_params()
    try:
        # Settings of a later version are of no use here, and the model answers without them.
        model = LearnAC(**{name: value for name, value in stored.settings.items() if name in known})
        model._settings()
        model._mixing()
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"{path}: {error}", source=str(path)) from None
    circuit, form = stored.require_circuit(), form_called(str(stored.provenance.get("form", "")))
    target = None if model.target is None else _stored_target(circuit, model.target, path)
    model._take(circuit, stored.network, form, target)
    model.provenance_ = dict(stored.provenance)
    return model


def _stored_target(circuit: Queryable, name: object, path: str | Path) -> Target:
    if name not in circuit.schema.names:
        complaint = f"expected the name of a variable as the target, found {name!r}"
        raise ModelFileError(f"{path}: {complaint}", source=str(path))
    return Target.of(circuit.schema, str(name))
