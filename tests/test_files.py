"""Files are replaced as a whole, whatever stands in their place, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from learnac import files
from learnac.files import check_writable, replace_file, replacing

WRITE_AND_WAIT = """
import os, sys
from learnac import files
if sys.argv[2] == "named":
    files._without_name = lambda folder: None
with files.replacing(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(params=["unnamed", "named"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With files that have no name until they are whole, and as where the system has none."""
    if request.param == "named":
        monkeypatch.setattr(files, "_without_name", lambda folder: None)
    return str(request.param)


def test_an_old_file_keeps_its_mode(tmp_path: Path, way: str) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(0o640)
    replace_file(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o640)
    umask = os.umask(0o027)
    try:
        replace_file(tmp_path / "g", b"new")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "g").stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["f", "g"]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path, way: str, is_there: bool) -> None:
    folder, link = tmp_path / "folder", tmp_path / "link"
    folder.mkdir()
    if is_there:
        (folder / "f").write_bytes(b"old")
    (tmp_path / "other").symlink_to("folder/f")
    link.symlink_to("other")
    check_writable(link)
    replace_file(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "other").is_symlink()
    assert (folder / "f").read_bytes() == b"new"
    assert os.listdir(folder) == ["f"]


def test_a_device_is_written_to(tmp_path: Path) -> None:
    null = Path(os.devnull)
    before = null.stat()
    check_writable(null)
    replace_file(null, b"new")
    assert (null.stat().st_ino, null.stat().st_rdev) == (before.st_ino, before.st_rdev)
    assert stat.S_ISCHR(null.stat().st_mode)
    (tmp_path / "link").symlink_to(null)
    replace_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_writable(pipe)  # Nobody reads yet, and this does not wait.
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    replace_file(pipe, b"new")
    reader.join(10)
    assert found == [b"new"]
    assert pipe.is_fifo()


def test_what_fails_leaves_the_old_file(tmp_path: Path, way: str) -> None:
    (tmp_path / "f").write_bytes(b"old")

    def fail() -> None:
        with replacing(tmp_path / "f") as file:
            file.write(b"new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (tmp_path / "f").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["f"]


def start_writing(path: Path, way: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITE_AND_WAIT, str(path), way]
    process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_a_program_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old")
    with start_writing(tmp_path / "f", "unnamed") as process:
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    assert os.listdir(tmp_path) == ["f"]
    assert (tmp_path / "f").read_bytes() == b"old"


def test_what_it_leaves_elsewhere_is_removed_by_the_next_and_nothing_that_is_in_use(tmp_path: Path) -> None:
    (tmp_path / ".mine.partial").write_bytes(b"of somebody else")
    with start_writing(tmp_path / "f", "named") as alive, start_writing(tmp_path / "g", "named") as killed:
        killed.send_signal(signal.SIGKILL)
        killed.wait(10)
        assert len(os.listdir(tmp_path)) == 3
        check_writable(tmp_path / "h")
        assert len(os.listdir(tmp_path)) == 2
        alive.communicate("", 10)
    assert sorted(os.listdir(tmp_path)) == [".mine.partial", "f"]
    assert (tmp_path / "f").read_bytes() == b"half"
