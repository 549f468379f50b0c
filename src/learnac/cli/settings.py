"""Settings of the search as the command line spells them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from learnac.cli.columns import names_of
from learnac.cli.command import UsageError
from learnac.errors import SettingError
from learnac.learn import LearnSettings, MixtureSettings, ParentRules


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


def parent_rules(
    allowed: list[str] | None, forbidden: list[str] | None, required: list[str] | None, tiers: list[str] | None
) -> ParentRules:
    """What may depend on what, from what was typed."""
    return ParentRules(
        _parent_lists("--allowed-parents", allowed),
        _parent_lists("--forbidden-parents", forbidden),
        _parent_lists("--required-parents", required),
        None if tiers is None else [names_of([tier]) for tier in tiers],
    )


def _parent_lists(option: str, typed: list[str] | None) -> dict[str, list[str]] | None:
    if typed is None:
        return None
    found: dict[str, list[str]] = {}
    for text in typed:
        child, is_given, parents = text.rpartition("=")
        if not is_given or not child.strip():
            raise UsageError(f"expected NAME=PARENT,..., found {text!r}", option)
        found.setdefault(child.strip(), []).extend(names_of([parents]))
    return found


def _option(name: str) -> str:
    if name == "random_state":
        return "--seed"
    return "--" + name.removeprefix("n_").replace("_", "-")
