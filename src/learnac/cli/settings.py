"""Settings of the search as the command line spells them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from learnac.cli.command import UsageError
from learnac.errors import SettingError
from learnac.estimator import LearnAC
from learnac.learn import LearnSettings


@contextmanager
def naming_options() -> Iterator[None]:
    """Turns a complaint about the setting `max_edges` into one about the option `--max-edges`."""
    try:
        yield
    except SettingError as error:
        raise UsageError(error.complaint(_option), _option(error.name)) from error


def check_settings(model: LearnAC) -> None:
    """Complains about settings before files are read, which may take a while."""
    with naming_options():
        LearnSettings(**{name: getattr(model, name) for name in LearnSettings.__dataclass_fields__})


def _option(name: str) -> str:
    return "--" + name.removeprefix("n_").replace("_", "-")
