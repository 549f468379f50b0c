"""What the readers of other tools' formats share."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from learnac.errors import ModelFileError
from learnac.network import BayesNet, TreeCPD, TreeNode, parents_first

Floats = NDArray[np.float64]

# A small compressed file can stand for more text than memory holds.
_MAX_TEXT = 1 << 27


def read_text(source: str | Path) -> tuple[str, str]:
    """A text, and what messages call it. A string with a line break is the text; all else is the path of a file."""
    if isinstance(source, str) and "\n" in source:
        return source, "text"
    content = Path(source).read_bytes()
    try:
        if content.startswith(b"\x1f\x8b"):
            content = _unpacked(content, str(source))
        return content.decode("utf-8-sig"), str(source)
    except (zlib.error, UnicodeDecodeError) as error:
        raise ModelFileError(f"{source}: expected a text file, or one compressed by gzip: {error}") from None


def _unpacked(content: bytes, name: str) -> bytes:
    """What gzip compressed, in one piece or in several."""
    text = b""
    while content:
        unpacker = zlib.decompressobj(wbits=31)
        text += unpacker.decompress(content, _MAX_TEXT - len(text))
        if not unpacker.eof:
            raise ModelFileError(
                f"{name}: the compressed file is cut short, or its text is longer than {_MAX_TEXT:,} bytes"
            )
        content = unpacker.unused_data
    return text


def checked_network(network: BayesNet, name: str, parents: Sequence[Sequence[int]] | None = None) -> BayesNet:
    """The network, if it has no cycle. `parents` are those that a file states: some may make no difference."""
    try:
        parents_first(network.schema.names, network.parents if parents is None else parents)
    except ValueError as error:
        raise ModelFileError(f"{name}: {error}") from None
    return network


def normalised(rows: Floats) -> Floats | None:
    """Rows of numbers as distributions, or None if they are none. Files round them: sums may be off by 0.01."""
    if not (np.isfinite(rows).all() and (rows >= 0).all()):
        return None
    sums = rows.sum(axis=-1, keepdims=True)
    if (abs(sums - 1) > 0.01).any():
        return None
    return np.where(abs(sums - 1) > 1e-12, rows / sums, rows)


def tree_of_table(child: int, parents: Sequence[int], table: Floats) -> TreeCPD:
    """The tree that asks the parents in this order, except where they make no difference.

    The table is (values of each parent x ... x values of the child). Inner nodes get the mean of their rows.
    """
    parts: list[tuple[Floats, Sequence[int]]] = [(table, parents)]
    nodes = []
    for rows, asked in parts:  # grows while it is read: parents before children, level by level
        part, left = rows, asked
        while left and (part == part[:1]).all():
            part, left = part[0], left[1:]
        if left:
            mean = part.reshape(-1, table.shape[-1]).mean(axis=0)
            nodes.append(TreeNode(mean, variable=left[0], routes=range(len(parts), len(parts) + len(part))))
            parts.extend((branch, left[1:]) for branch in part)
        else:
            nodes.append(TreeNode(part))
    return TreeCPD.of_nodes(child, nodes)
