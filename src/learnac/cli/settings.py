"""Settings of the search as the command line spells them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from learnac.cli.command import UsageError
from learnac.errors import SettingError
from learnac.learn import LearnSettings, MixtureSettings


@contextmanager
def naming_options() -> Iterator[None]:
    """Turns a complaint about the setting `max_edges` into one about the option `--max-edges`."""
    try:
        yield
    except SettingError as error:
        raise UsageError(error.complaint(_option), _option(error.name)) from error


def checked_mixing(components: str, averages: int, seed: int) -> MixtureSettings:
    """Settings of a mixture, from what was typed."""
    with naming_options():
        return MixtureSettings(int(components) if components.isdecimal() else components, averages, seed)


def checked_settings(**stated: Any) -> LearnSettings:
    """Settings, or a complaint about them before files are read, which may take a while."""
    with naming_options():
        return LearnSettings(**stated)


def _option(name: str) -> str:
    if name == "random_state":
        return "--seed"
    return "--" + name.removeprefix("n_").replace("_", "-")
