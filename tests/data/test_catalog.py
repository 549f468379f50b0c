"""The catalog of public data sets: found in a folder, downloaded from a server of our own, or one clear message."""

import gzip
import hashlib
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pooch
import pytest

from learnac.data import catalog
from learnac.data.catalog import DataFile, DataSet
from learnac.data.tables import read_frame
from learnac.errors import DataError

CONTENT = b"0,1\n1,1\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """Serves the folder "public" of the test, and says where."""
    public = tmp_path / "public"
    public.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments, directory=str(public))

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No data of this machine, and no cache but the test's."""
    monkeypatch.delenv("LEARNAC_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "cache" / project)
    return tmp_path / "cache" / "learnac"


def tiny(url: str | None, content: bytes = CONTENT) -> dict[str, DataSet]:
    checksum = hashlib.sha256(content).hexdigest()
    files = {"train": DataFile("debd/tiny/tiny.train.data", url, checksum)}
    return {"tiny": DataSet("tiny", "debd", "a test", "nowhere", 2, {"train": 2}, files)}


def test_every_set_has_a_source_and_every_download_a_checksum() -> None:
    sets = catalog.sets()
    assert len({entry.name for entry in sets}) == len(sets)
    assert {"nltcs", "kdd", "msweb", "tmovie", "mushroom", "alarm"} <= {entry.name for entry in sets}
    for entry in sets:
        assert entry.source
        assert len(catalog.described(entry)) == len(catalog.HEADER)
        for part, file in entry.files.items():
            assert (file.url is None) == (file.sha256 is None)
            assert file.sha256 is None or len(bytes.fromhex(file.sha256)) == 32
            assert file.url is None or file.url.endswith(f"/{entry.name}/{entry.name}.{part}.data")
    assert catalog.data_set("nltcs").n_rows == {"train": 16181, "valid": 2157, "test": 3236}
    assert not catalog.data_set("alarm").is_downloadable


@pytest.mark.parametrize("name", ["nltcs.train.data", "nltcs.train.data.gz"])
def test_files_under_the_folder_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    folder = tmp_path / "debd" / "nltcs"
    folder.mkdir(parents=True)
    (folder / name).write_bytes(gzip.compress(CONTENT) if name.endswith(".gz") else CONTENT)
    monkeypatch.setenv("LEARNAC_DATA", str(tmp_path))
    assert catalog.find("nltcs", "train") == folder / name
    assert read_frame(catalog.find("nltcs", "train")).table.num_rows == 2


def test_downloads_are_checked_and_kept(
    tmp_path: Path, server: str, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(catalog, "_catalog", lambda: tiny(f"{server}/tiny.data"))
    source = tmp_path / "public" / "tiny.data"
    source.write_bytes(CONTENT)
    monkeypatch.setattr(pooch.get_logger(), "handlers", [caplog.handler])
    path = catalog.find("tiny", "train")
    assert path == elsewhere / "debd" / "tiny" / "tiny.train.data"
    assert path.read_bytes() == CONTENT
    assert not caplog.records
    source.unlink()
    assert catalog.fetch("tiny") == {"train": path}


def test_a_download_with_another_checksum_is_refused(
    tmp_path: Path, server: str, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "_catalog", lambda: tiny(f"{server}/tiny.data"))
    (tmp_path / "public" / "tiny.data").write_bytes(b"0,1\n")
    with pytest.raises(DataError, match=r"data set 'tiny': the file at http.*/tiny.data has changed"):
        catalog.find("tiny", "train")
    assert not list(elsewhere.rglob("*.data"))


def test_without_a_connection_there_is_one_clear_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "_catalog", lambda: tiny("http://127.0.0.1:9/tiny.data"))
    message = r"'tiny': cannot download http://.*; set LEARNAC_DATA to a folder that holds debd/tiny/tiny.train.data"
    with pytest.raises(DataError, match=message) as caught:
        catalog.find("tiny", "train")
    assert "\n" not in str(caught.value)


def test_a_file_that_the_server_lacks(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "_catalog", lambda: tiny(f"{server}/tiny.data"))
    with pytest.raises(DataError, match=r"cannot download .*404"):
        catalog.find("tiny", "train")


def test_names_that_are_none() -> None:
    with pytest.raises(DataError, match="no data set is called 'nltc'; there are 'nltcs'"):
        catalog.find("nltc", "train")
    with pytest.raises(DataError, match=r"no data set is called '\?'; there are 'accidents', .* in all"):
        catalog.fetch("?")
    with pytest.raises(DataError, match="'nltcs': expected one of its files, 'train', 'valid', 'test'; found 'tset'"):
        catalog.find("nltcs", "tset")
    with pytest.raises(DataError, match="'alarm' has no public source to download it from: set LEARNAC_DATA"):
        catalog.find("alarm", "network")


# As it was before any test changed it.
_FOLDER = os.environ.get("LEARNAC_DATA")


@pytest.mark.skipif(not _FOLDER, reason="LEARNAC_DATA is not set")
def test_the_checksums_are_those_of_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEARNAC_DATA", str(_FOLDER))
    for entry in catalog.sets():
        for part, file in entry.files.items():
            path = catalog.find(entry.name, part)
            content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            assert file.sha256 in (None, hashlib.sha256(content).hexdigest()), path
            if part in entry.n_rows:
                lines = content.splitlines()
                assert (len(lines), lines[0].count(b",") + 1) == (entry.n_rows[part], entry.n_variables)
