"""Models that are served."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from serving import client_of, frame_of

from learnac import LearnAC


@pytest.fixture(scope="module")
def model() -> LearnAC:
    return LearnAC(alpha=1.0, shrinkage=0.0, edge_penalty=0.1).fit(frame_of(0, 300))


@pytest.fixture(scope="module")
def mixture() -> LearnAC:
    return LearnAC(n_components=2, max_edges=5000).fit(frame_of(0, 300))


@pytest.fixture
def folder(model: LearnAC, mixture: LearnAC, tmp_path: Path) -> Path:
    model.save(tmp_path / "weather.learnac")
    mixture.save(tmp_path / "mixed.learnac")
    return tmp_path


@pytest.fixture
def client(folder: Path) -> Any:
    return client_of(folder)
