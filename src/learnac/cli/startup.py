"""What happens before a command, in a process that is nothing but the command."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, NoReturn


def start() -> None:
    """To be called before NumPy is imported."""
    secure_streams()
    spare_work()


def spare_work() -> None:
    """Spares the command work that libraries would do, and that no command needs."""
    # Its threads would spin for 0.06 s of processor time, and multiply no matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.meta_path.insert(0, _NoPandas())


class _NoPandas:
    """Lets pyarrow think that there is no pandas. To see whether an array is one of its, it would import it: 0.2 s."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(f"{name} is of no use to a command", name=name)


def secure_streams() -> None:
    """Streams to write to, whatever the shell did: `>&-` closes one, and some terminals know few characters."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            # Or the next file to be opened would get its number, and with it what is meant for the terminal.
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = _ClosedOutput()
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    if sys.stderr is None:  # There is nobody to complain to: the exit code has to do.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


class _ClosedOutput(io.TextIOBase):
    """Says that nothing can be printed, to who tries. A command that prints nothing does not notice."""

    @property
    def buffer(self) -> Any:
        return self

    def write(self, text: Any) -> NoReturn:
        raise OSError(errno.EBADF, "closed, so the result cannot be printed", "standard output")

    def writable(self) -> bool:
        return True
