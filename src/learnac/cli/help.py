"""The help of commands, as rich prints it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from learnac.cli.command import HELP, Argument, Command, Group, Option, Parameter


def print_command_help(command: Command, program: str) -> None:
    """What a command does, its parameters in panels, an example."""
    arguments = [parameter for parameter in command.parameters if isinstance(parameter.declared, Argument)]
    places = "".join(f" {parameter.declared.metavar}" for parameter in arguments)
    panels: dict[str, list[list[Text]]] = {
        "Arguments": [_argument(parameter) for parameter in arguments],
        "Options": [],
    }
    for parameter in command.parameters:
        if isinstance(parameter.declared, Option):
            panels.setdefault(parameter.declared.panel, []).append(_option(parameter))
    panels["Options"].append(_help_option())
    _print(f"{program} [OPTIONS]{places}", _paragraphs(command.function), panels, command.example)


def print_group_help(group: Group, program: str, *options: Parameter) -> None:
    """What a group of commands is for, and the first paragraph of each."""
    commands = {name: group.find(name) for name in group.names}
    panels = {
        "Options": [*(_option(parameter) for parameter in options), _help_option()],
        "Commands": [[Text(name, "bold cyan"), Text(_first_paragraph(found))] for name, found in commands.items()],
    }
    _print(f"{program} [OPTIONS] COMMAND [ARGS]...", [group.about], panels, group.example)


def _first_paragraph(found: Command | Group) -> str:
    return found.about if isinstance(found, Group) else _paragraphs(found.function)[0]


def _paragraphs(documented: Callable[..., Any]) -> list[str]:
    return [" ".join(part.split()) for part in (inspect.getdoc(documented) or "").split("\n\n")]


def _argument(parameter: Parameter) -> list[Text]:
    return [Text("*", "red"), Text(parameter.declared.metavar, "bold yellow"), Text(), _about(parameter)]


def _option(parameter: Parameter) -> list[Text]:
    long_names = [name for name in parameter.names if name.startswith("--")]
    names = "  ".join([*long_names, *filter(None, [parameter.negation])])
    short = " ".join(name for name in parameter.names if name not in long_names)
    metavar = f"<{'|'.join(parameter.choices)}>" if parameter.choices else parameter.declared.metavar
    title = Text.assemble((names, "bold cyan"), (f"  {short}" if short else "", "bold green"))
    return [Text("*" if parameter.is_required else "", "red"), title, Text(metavar, "bold yellow"), _about(parameter)]


def _help_option() -> list[Text]:
    return [
        Text(),
        Text.assemble((HELP[0], "bold cyan"), (f"  {HELP[1]}", "bold green")),
        Text(),
        Text("Show this help."),
    ]


def _about(parameter: Parameter) -> Text:
    default = parameter.names[0] if parameter.default is True else parameter.default
    more = " [required]" if parameter.is_required else f" [default: {default}]"
    return Text.assemble(parameter.declared.about, ("" if default is None or default is False else more, "dim"))


def _print(usage: str, paragraphs: Iterable[str], panels: Mapping[str, list[list[Text]]], example: str) -> None:
    console = Console(highlight=False)
    console.print(Padding(Text.assemble(("Usage: ", "yellow"), (usage, "bold")), (1, 1)))
    for paragraph in paragraphs:
        console.print(Padding(Text(paragraph), (0, 1, 1, 1)))
    for title, rows in panels.items():
        if rows:
            console.print(Panel(_grid(rows), title=title, title_align="left", border_style="dim"))
    console.print(Padding(Text.assemble(("Example", "bold"), f"   {example}"), (1, 1)))


def _grid(rows: list[list[Text]]) -> Table:
    """Aligned columns, of which the last may be broken. Those without content are left out."""
    used = [column for column in range(len(rows[0])) if any(row[column].plain for row in rows)]
    grid = Table.grid(padding=(0, 2))
    for column in used:
        grid.add_column(no_wrap=column != used[-1])
    for row in rows:
        grid.add_row(*(row[column] for column in used))
    return grid
