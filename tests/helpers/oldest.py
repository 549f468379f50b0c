"""The oldest versions that pyproject.toml allows, for `make oldest`: `python tests/helpers/oldest.py` prints them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"

# They need newer versions of what we need too; tests that use them are skipped without them.
LEFT_OUT = {"pgmpy", "dask", "distributed"}


def oldest_versions(requirements: Iterable[str]) -> dict[str, str]:
    """By name. Of a package that is required twice, the version that satisfies both."""
    oldest: dict[str, str] = {}
    for requirement in requirements:
        found = re.fullmatch(r"([A-Za-z0-9_.-]+)>=(\d+(?:\.\d+)*)", requirement)
        if found is None:
            raise ValueError(f"expected a requirement like numpy>=2.0, with one oldest version; found {requirement!r}")
        name, version = found.groups()
        oldest[name] = max(oldest.get(name, version), version, key=_numbers)
    return oldest


def declared() -> list[str]:
    """What the package and its tests require."""
    stated = tomllib.loads(PYPROJECT.read_text())
    return [*stated["project"]["dependencies"], *stated["dependency-groups"]["test"]]


def pins() -> list[str]:
    return [f"{name}=={version}" for name, version in oldest_versions(declared()).items() if name not in LEFT_OUT]


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


if __name__ == "__main__":
    print(*pins())
