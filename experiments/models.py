"""Models of tasks: learned, kept in files for the studies that come later, and their figures."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sets import BOTH, load
from study import code_version

import learnac
from learnac import Dataset, LearnAC
from learnac.learn import LearnSettings, Stop, learn_table_network
from learnac.network import BayesNet, treewidth_bound

KEPT = Path(__file__).parent.parent / "build" / "paper-models"
# What a task says of learning; the rest is about what to do with the model.
SETTINGS = tuple(LearnSettings.__dataclass_fields__)
# Where a task says nothing, learning is as in the paper, whatever the package's defaults are.
PLAIN = {"alpha": 1.0, "shrinkage": 0.0, "splits": "complete"}
CHOSEN = "chosen"  # A task's way to leave a setting open, which JSON and TOML cannot say in the same way.


@dataclass(frozen=True, slots=True)
class Fitted:
    """A network, with its circuit unless edges were free."""

    network: BayesNet
    model: LearnAC | None
    cpu_seconds: float

    @property
    def figures(self) -> dict[str, Any]:
        found: dict[str, Any] = {"leaves": self.network.n_leaves, "learning_seconds": round(self.cpu_seconds, 3)}
        if self.model is not None:
            learned = self.model.learned_
            found |= {
                "edges": self.model.circuit_.n_edges,
                "splits": learned.n_splits,
                "stop": learned.stop.name,
                "evaluations": learned.n_evaluations,
            }
        return found

    def log_likelihood(self, table: Dataset) -> float:
        """Mean over the rows."""
        return float(self.network.log_likelihood(table.codes).mean())


def stated(task: dict[str, Any]) -> dict[str, Any]:
    """The settings of learning that a task asks for."""
    said = {name: task[name] for name in SETTINGS if name in task and task[name] != "network"}
    return {name: None if value == CHOSEN else value for name, value in (PLAIN | said).items()}


def fit(task: dict[str, Any], train: Dataset, validation: Dataset | None = None) -> Fitted:
    """Learns by AC-Quick, by AC-Greedy, or, with the schedule "network", as if edges were free."""
    settings = stated(task)
    started = time.process_time()
    if task["schedule"] == "network":
        learned = learn_table_network(train, LearnSettings(**settings), validation=validation)
        _require_whole(learned.stop)
        return Fitted(learned.network, None, time.process_time() - started)
    model = LearnAC(**settings).fit(train, validation=validation)
    seconds = time.process_time() - started
    _require_whole(model.stop_)
    assert model.network_ is not None
    return Fitted(model.network_, model, seconds)


def _require_whole(stop: Stop) -> None:
    """A model cut short by Ctrl-C is not to be measured, or kept."""
    if stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt


def structure(network: BayesNet) -> dict[str, Any]:
    """What Table 4 says of the graph."""
    n_parents = [len(parents) for parents in network.parents]
    return {
        "average_parents": float(np.mean(n_parents)),
        "largest_parents": max(n_parents),
        "treewidth": treewidth_bound(network),
    }


def kept(task: dict[str, Any]) -> LearnAC:
    """The circuit that a task learns from train and valid together: from its file, or learned now and kept there."""
    table = load(task["set"], BOTH, task.get("corner"))
    settings = stated(task)
    digest = hashlib.blake2b(json.dumps([settings, code_version()], sort_keys=True).encode(), digest_size=8)
    digest.update(table.codes.tobytes())
    path = KEPT / f"{task['set']}-{digest.hexdigest()}.learnac"
    if not path.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        fitted = fit(task, table)
        assert fitted.model is not None
        fitted.model.save(path)
    return learnac.load(path)
