"""Pictures as DOT text, which Graphviz lays out: https://graphviz.org/doc/info/lang.html.

Only the program `dot` is needed, and only to see a picture: its Python packages would save us no more than one call.
"""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from learnac.files import replace_file

TEXT_SUFFIXES = (".dot", ".gv")
PICTURE_SUFFIXES = (".svg", ".png", ".pdf")
HOW_TO_INSTALL = (
    "install Graphviz and see that `dot` is on the PATH (apt install graphviz, brew install graphviz, "
    "conda install graphviz, or https://graphviz.org/download)"
)

# From the palette of Okabe and Ito, which colour-blind people can tell apart; the fills are the same hues, paler.
BLUE, PALE_BLUE = "#0072B2", "#D6E9F5"
ORANGE, PALE_ORANGE = "#B26F00", "#FCEBC9"
GREEN, PALE_GREEN = "#007A5A", "#D5EFE6"
GREY, PALE_GREY = "#6B6B6B", "#E6E6E6"

FONT = "Helvetica,Arial,sans-serif"
LONGEST = 32  # characters of a name in a picture


@dataclass(frozen=True, slots=True, repr=False)
class Drawing:
    """A picture. A notebook shows it, `save` writes it to a file, and `source` is its text in the DOT language."""

    source: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file; the ending decides the format: .svg, .png, .pdf, or .dot or .gv for its text.

        All formats but .dot and .gv need Graphviz. If writing fails, no incomplete file is left behind.
        """
        target = Path(path)
        suffix = target.suffix.lower()
        if suffix in TEXT_SUFFIXES:
            replace_file(target, self.source.encode())
        elif suffix in PICTURE_SUFFIXES:
            replace_file(target, render(self.source, suffix[1:]))
        else:
            known = ", ".join(PICTURE_SUFFIXES + TEXT_SUFFIXES)
            raise ValueError(f"{target}: expected a name that ends in one of {known}; found {suffix or 'no ending'!r}")

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What a notebook shows: the picture, or without Graphviz what to install."""
        if shutil.which("dot") is None:
            return {"text/plain": f"To see this picture, {HOW_TO_INSTALL}.\n\n{self.source}"}
        return {"image/svg+xml": render(self.source, "svg").decode(), "text/plain": repr(self)}

    def __str__(self) -> str:
        return self.source

    def __repr__(self) -> str:
        return f"Drawing({len(self.source.splitlines())} lines of DOT; see .source, .save)"


def render(source: str, form: str) -> bytes:
    """The picture as `dot` draws it; `form` is one of its output formats."""
    import subprocess  # Here, and html below: every model that is read imports this module.

    program = shutil.which("dot")
    if program is None:
        raise RuntimeError(f"a picture needs the program `dot`, which was not found: {HOW_TO_INSTALL}")
    # Pixels at the default 96 per inch look coarse on today's screens.
    options = ["-Gdpi=160"] if form == "png" else []
    done = subprocess.run([program, f"-T{form}", *options], input=source.encode(), capture_output=True, check=False)
    if done.returncode != 0 or not done.stdout:
        complaint = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
        raise RuntimeError(f"`dot` did not draw the picture: {complaint}")
    return done.stdout


def digraph(statements: Iterable[str], **settings: str | float) -> Drawing:
    """A directed graph of statements, in the style that all pictures share."""
    style = [
        f"graph [{attributes(bgcolor='white', fontname=FONT, fontsize=13, pad=0.2, **settings)}]",
        f"node [{attributes(fontname=FONT, fontsize=12, penwidth=1.2, margin='0.12,0.06', height=0.3)}]",
        f"edge [{attributes(fontname=FONT, fontsize=11, color=GREY, arrowsize=0.7)}]",
    ]
    lines = "".join(f"  {line};\n" for line in [*style, *statements])
    return Drawing(f"digraph {{\n{lines}}}\n")


def node(name: str, label: str, **settings: str | float) -> str:
    """A node; `name` is one of ours, `label` comes from `quoted` or is markup in <>."""
    return f"{name} [label={label}, {attributes(**settings)}]"


def attributes(**settings: str | float) -> str:
    return ", ".join(f"{name}={quoted(str(value))}" for name, value in settings.items())


def quoted(text: str) -> str:
    """A DOT string that shows exactly `text`, where labels know entities. (A tooltip may still misread backslashes.)"""
    escaped = text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def in_markup(text: str) -> str:
    """`text` inside a label of DOT's markup, where backslashes cannot be escaped.

    A backslash and the letter after it would stand for a name; in a run of text of its own, it stands for itself.
    """
    import html

    return html.escape(text).replace("\\", '<FONT COLOR="black">\\</FONT>')


def shown(value: object) -> str:
    """A name or category as a picture shows it: one line, not too long, no character that XML forbids."""
    text = "".join(_visible(character) for character in str(value)) or "''"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _visible(character: str) -> str:
    if unicodedata.category(character) in {"Cc", "Cn", "Cs", "Zl", "Zp"}:
        return character.encode("unicode_escape").decode()
    return character


def shown_number(value: float) -> str:
    """A probability with three decimals, or in scientific notation if they would all be 0."""
    return f"{value:.3f}" if value == 0 or value >= 0.0005 else f"{value:.0e}"


def check_size(what: str, found: int, unit: str, limit_name: str, limit: int, way_out: str) -> None:
    """Raise ValueError for a picture that nobody could read and that `dot` might take minutes to lay out."""
    if found > limit:
        too_many = f"{what} has {found:,} {unit}, too many to draw: {limit_name} is {limit:,}"
        raise ValueError(f"{too_many}. {way_out}, or raise {limit_name}")


def summary_table(title: str, rows: Mapping[str, object]) -> str:
    """HTML for a notebook: a heading, then a line for each number."""
    import html

    lines = "".join(
        f'<tr><td style="text-align: left">{html.escape(name)}</td>'
        f'<td style="text-align: right">{html.escape(f"{value:,}" if isinstance(value, int) else str(value))}</td></tr>'
        for name, value in rows.items()
    )
    heading = f'<tr><th colspan="2" style="text-align: left">{html.escape(title)}</th></tr>'
    return f"<table><thead>{heading}</thead><tbody>{lines}</tbody></table>"
