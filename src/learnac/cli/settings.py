"""Settings of the search as the command line spells them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from learnac.estimator import LearnAC
from learnac.learn import LearnSettings

_NAMES = tuple(LearnSettings.__dataclass_fields__)
_LONG_NAMES = re.compile("|".join(name for name in _NAMES if "_" in name))


@contextmanager
def naming_options() -> Iterator[None]:
    """Turns a complaint about the setting `max_edges` into one about the option `--max-edges`."""
    try:
        yield
    except (TypeError, ValueError) as error:
        name, _, complaint = str(error).partition(": ")
        if name not in _NAMES:
            raise
        in_options = _LONG_NAMES.sub(lambda found: _option(found[0]), complaint)
        raise typer.BadParameter(in_options, param_hint=_option(name)) from error


def check_settings(model: LearnAC) -> None:
    """Complains about settings before files are read, which may take a while."""
    with naming_options():
        LearnSettings(**{name: getattr(model, name) for name in _NAMES})


def _option(name: str) -> str:
    return "--" + name.removeprefix("n_").replace("_", "-")
