"""The commands `learnac data list` and `learnac data fetch`."""

from __future__ import annotations

from typing import Annotated

from learnac.cli import query_options as options
from learnac.cli.command import Argument, Command, Completes, Group
from learnac.cli.printable import printable


def list_sets(*, as_json: options.Json = False, debug: options.Debug = False) -> None:
    """List the public data sets that learnac knows."""
    from dataclasses import asdict

    from learnac.cli.output import print_json, print_rows
    from learnac.data.catalog import HEADER, described, sets

    if as_json:
        print_json({"sets": [asdict(entry) for entry in sets()]})
    else:
        print_rows([described(entry) for entry in sets()], header=HEADER)


def fetch_set(
    name: Annotated[str, Argument("NAME", "The name of a data set, as in `learnac data list`.", Completes.DATA_SET)],
    *,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Download a data set, check it, and print where its files are.

    If the environment variable LEARNAC_DATA names a folder that has the files
    already, nothing is downloaded.
    """
    from learnac.cli.output import print_json
    from learnac.data.catalog import fetch

    files = {part: str(path) for part, path in fetch(name).items()}
    if as_json:
        print_json({"name": name, "files": files})
    else:
        for path in files.values():
            print(printable(path))


_COMMANDS = {
    "list": Command("list", list_sets, "learnac data list"),
    "fetch": Command("fetch", fetch_set, "learnac data fetch plants"),
}

GROUP = Group(
    "List and download public data sets.",
    tuple(_COMMANDS),
    _COMMANDS.__getitem__,
    _COMMANDS["fetch"].example,
)
