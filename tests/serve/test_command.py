"""`learnac serve`, started and ended as people do."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from learnac import LearnAC

pytest.importorskip("fastapi")
pytest.importorskip("httpx")


from serving import GIVEN, MODEL, ROWS


class TestCommand:
    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        kept = {k: v for k, v in os.environ.items() if k != "LEARNAC_TOKEN"}
        command = [sys.executable, "-m", "learnac", "serve", *arguments]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**kept, **environment}
        )

    @contextmanager
    def started(self, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], Any]]:
        """A service that runs, and a client of it."""
        import httpx

        running = self.start(*arguments, "--port", "0")
        try:
            assert running.stdout is not None
            line = running.stdout.readline()
            found = re.search(r"serving .* at (http://127.0.0.1:\d+)", line)
            assert found is not None, line
            with httpx.Client(base_url=found[1], timeout=30) as client:
                yield running, client
        finally:
            running.kill()
            running.communicate()

    def test_killed_and_started_again_it_has_lost_nothing(self, folder: Path) -> None:
        """In the middle of its work. All that it knows is in the files, which it only reads."""
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        asked = {"given": ROWS}
        with self.started(str(folder)) as (running, client):
            answer = client.post(f"{MODEL}/marginals", json=asked).json()
            others = [threading.Thread(target=_asks_until_it_fails, args=(str(client.base_url),)) for _ in range(4)]
            for other in others:
                other.start()
            time.sleep(0.3)
            running.send_signal(signal.SIGKILL)
            running.wait(timeout=20)
            for other in others:
                other.join(timeout=20)
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
        with self.started(str(folder)) as (_, client):
            assert client.get("/ready").json()["models"] == ["mixed", "weather"]
            assert client.post(f"{MODEL}/marginals", json=asked).json() == answer

    def test_an_answer_does_not_wait_for_the_network(self, folder: Path) -> None:
        """Parts of an answer are sent at once: one that waits for an acknowledgement takes at least 40 ms."""
        with self.started(str(folder)) as (_, client):
            times = []
            for _ in range(20):
                begun = time.perf_counter()
                client.post(f"{MODEL}/score", json={"given": {"mood": 2}}).raise_for_status()
                times.append(time.perf_counter() - begun)
        assert min(times[2:]) < 0.03

    def test_what_is_too_large_or_too_slow_does_not_hurt_the_others(self, folder: Path) -> None:
        with self.started(str(folder), "--max-body", "1", "--max-seconds", "0.5", "--threads", "2") as (_, client):
            statuses: dict[str, list[int]] = {"large": [], "slow": [], "others": []}

            def ask(kind: str, n: int, path: str, content: bytes) -> None:
                for _ in range(n):
                    statuses[kind].append(client.post(f"{MODEL}/{path}", content=content).status_code)

            slow = b'{"given": [' + b",".join([b"{}"] * 100_000) + b"]}"
            threads = [
                threading.Thread(target=ask, args=arguments)
                for arguments in (
                    ("large", 10, "score", b" " * (8 << 20)),
                    ("slow", 1, "marginals", slow),
                    ("others", 50, "score", b'{"given": {"mood": 2}}'),
                )
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(timeout=60)
            assert set(statuses["large"]) == {413}
            assert statuses["slow"] == [504]
            assert statuses["others"] == [200] * 50

    def test_it_serves_until_it_is_told_to_stop(self, folder: Path, model: LearnAC) -> None:
        with self.started(str(folder / "weather.learnac")) as (running, client):
            document = client.post(f"{MODEL}/score", json={"given": GIVEN}).json()
            assert document["log_likelihood"] == pytest.approx(model.score_samples(GIVEN))
            running.send_signal(signal.SIGTERM)
            _, complaints = running.communicate(timeout=20)
            assert complaints == ""

    def test_others_need_a_token(self, folder: Path) -> None:
        refused = self.start(str(folder), "--host", "0.0.0.0", "--port", "0")
        _, complaints = refused.communicate(timeout=20)
        assert refused.returncode == 2
        assert "--host: others could ask, too: set a token in the variable LEARNAC_TOKEN first" in complaints

    def test_no_such_model(self, tmp_path: Path) -> None:
        refused = self.start(str(tmp_path / "none.learnac"))
        _, complaints = refused.communicate(timeout=20)
        assert (refused.returncode, "No such file" in complaints) == (2, True)


def _asks_until_it_fails(address: str) -> None:
    import httpx

    with httpx.Client(base_url=address, timeout=20) as client, suppress(httpx.HTTPError):
        while True:
            assert client.post(f"{MODEL}/marginals", json={"given": ROWS}).status_code == 200
