"""Lines typed into an interactive shell, and what Tab makes of them."""

from __future__ import annotations

import os
import pty
import select
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

PROMPT = "READY>"
TAB, SAVE = "\t", "\x18"  # Ctrl-X is bound to what writes the line into a file and ends the shell
PATIENCE = 20.0


@dataclass(frozen=True, slots=True)
class Shell:
    """How a shell is started without the settings of a person, and what it reads first."""

    options: tuple[str, ...]
    settings: str

    def start(self, name: str, folder: Path) -> tuple[int, int]:
        environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "TERM": "dumb",
            "HOME": str(folder),
            "ZDOTDIR": str(folder),
            "LC_ALL": "C.UTF-8",
        }
        (folder / ".zshrc").write_text(self.settings)  # the one name that cannot be chosen
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(folder)
            os.execvpe(name, [name, *self.options], environment)
        return process, terminal


BASH = Shell(
    ("--noprofile", "--rcfile", ".zshrc", "-i"),
    f"""
PS1='{PROMPT}'
bind 'set bell-style none'
source ./script
bind -x '"\\C-x": printf %s "$READLINE_LINE" > line; exit'
""",
)
ZSH = Shell(
    ("-d", "-i"),
    f"""
PS1='{PROMPT}'
autoload -U compinit && compinit -u -D
source ./script
save() {{ print -rn -- "$BUFFER" > line; exit }}
zle -N save
bindkey '^X' save
""",
)
FISH = Shell(
    ("--no-config", "-i", "-C", "source .zshrc"),
    f"""
function fish_prompt; echo -n '{PROMPT}'; end
source ./script
bind \\cx 'commandline > line; exit'
""",
)
SHELLS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def words_after_tab(shell: str, folder: Path, typed: str) -> list[str]:
    """The words of a line after Tab, as the shell itself reads them. The folder has the script of the shell."""
    line = line_after_tab(shell, folder, typed)
    shown = subprocess.run(
        [shell, "-c", f"printf '%s\\n' {line}{_open_quote(line)}"],
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return shown.stdout.splitlines()


def line_after_tab(shell: str, folder: Path, typed: str) -> str:
    process, terminal = SHELLS[shell].start(shell, folder)
    try:
        seen = _read(terminal, PROMPT)
        os.write(terminal, f"{typed}{TAB}{SAVE}".encode())
        seen += _read(terminal, None)
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    assert (folder / "line").exists(), seen
    return (folder / "line").read_text().rstrip("\n")


def _read(terminal: int, end: str | None) -> str:
    """Until the end is seen, or the shell has ended."""
    seen = ""
    deadline = time.monotonic() + PATIENCE
    while (end is None or end not in seen) and time.monotonic() < deadline:
        if select.select([terminal], [], [], 1.0)[0]:
            try:
                read = os.read(terminal, 4096)
            except OSError:  # what Linux says of a terminal whose process has ended
                break
            if not read:
                break
            seen += read.decode(errors="replace")
    return seen


def _open_quote(line: str) -> str:
    """Shells differ in whether they close a quote behind a word that may go on."""
    for quote in ("", "'", '"'):
        try:
            shlex.split(line + quote)
        except ValueError:
            continue
        return quote
    raise AssertionError(f"no quote ends this line: {line}")
