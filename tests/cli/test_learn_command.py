"""`learnac learn`, run as a person would: what it prints, what it returns, and how it tells mistakes of ours."""

import inspect
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from learnac import LearnAC
from learnac.cli import learn as learn_module
from learnac.cli import main
from learnac.cli.summary import duration

Run = Callable[..., Any]


def test_the_summary_has_the_rows_of_table_4(run: Run, files: dict[str, pd.DataFrame]) -> None:
    code, out, err = run("learn", "train.csv", "--valid", "valid.csv", "--test", "test.csv")
    assert code == 0
    assert err == ""
    model = LearnAC().fit(files["train"], validation=files["valid"])
    expected = {
        "Log-likelihood, train": f"{model.score(files['train']):.4f}",
        "Log-likelihood, validation": f"{model.score(files['valid']):.4f}",
        "Log-likelihood, test": f"{model.score(files['test']):.4f}",
        "Edges": f"{model.circuit_.n_edges:,}",
        "Leaves": f"{model.network_.n_leaves}",
        "Parameters": f"{model.network_.n_parameters}",
        "Max. parents": f"{max(map(len, model.network_.parents))}",
        "Splits": f"{model.n_splits_}",
    }
    lines = out.splitlines()
    for label, value in expected.items():
        (line,) = [line for line in lines if line.startswith(label)]
        assert line.removeprefix(label).split()[0] == value, label
    assert any(line.startswith("Stopped") and "no split pays" in line for line in lines)
    assert any(line.startswith("Time") and line.rstrip().endswith(" s") for line in lines)


def test_a_model_that_is_not_saved_is_no_surprise(run: Run, files: dict[str, pd.DataFrame]) -> None:
    assert "The model was not saved. To save it, add --out" in run("learn", "train.csv").out
    assert "not saved" not in run("learn", "train.csv", "--out", "model.learnac").out


def test_json_is_all_there_is_on_stdout(run: Run, files: dict[str, pd.DataFrame]) -> None:
    options = [
        "--edge-penalty",
        "0.1",
        "--parameter-penalty",
        "1",
        "--schedule",
        "greedy",
        "--splits",
        "binary",
    ]
    code, out, err = run("learn", "train.csv", "--test", "test.csv", *options, "--json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    model = LearnAC(0.1, 1.0, "greedy", splits="binary").fit(files["train"])
    assert document["scores"]["train"]["log_likelihood"] == pytest.approx(model.score(files["train"]))
    assert document["scores"]["test"]["log_likelihood"] == pytest.approx(model.score(files["test"]))
    assert document["scores"]["test"]["n_rows"] == 300
    assert document["n_edges"] == model.circuit_.n_edges
    assert document["n_leaves"] == model.network_.n_leaves
    assert document["n_parameters"] == model.network_.n_parameters
    n_parents = [len(parents) for parents in model.network_.parents]
    assert document["mean_parents"] == pytest.approx(np.mean(n_parents))
    assert document["max_parents"] == max(n_parents)
    assert document["n_splits"] == document["n_splits_applied"] == model.n_splits_
    assert document["stop"] == "converged"
    assert document["settings"]["edge_penalty"] == 0.1
    assert document["files"] == {"train": "train.csv", "test": "test.csv"}


def test_every_setting_of_the_estimator_is_an_option_with_the_same_default() -> None:
    options = inspect.signature(learn_module.learn).parameters
    spelled = {"n_components": "components", "n_averages": "averages", "random_state": "seed", "n_threads": "threads"}
    spelled["kinds"] = "kind"
    for name, parameter in inspect.signature(LearnAC).parameters.items():
        # What is unknown matters to those who ask, which the commands that learn do not.
        if name not in ("callback", "target", "verbose", "unknown"):
            assert str(options[spelled.get(name, name)].default) == str(parameter.default), name


def test_every_option_reaches_the_estimator(run: Run, files: dict[str, pd.DataFrame]) -> None:
    settings: dict[str, Any] = {
        "edge_penalty": 0.5,
        "parameter_penalty": 0.25,
        "schedule": "greedy",
        "criterion": "bdeu",
        "alpha": 0.5,
        "equivalent_sample_size": 2.0,
        "shrinkage": 3.0,
        "splits": "binary",
        "max_edges": 500,
        "max_splits": 50,
        "max_seconds": 60.0,
        "patience": 40,
    }
    arguments = [f"--{name.removeprefix('n_').replace('_', '-')}={value}" for name, value in settings.items()]
    code, out, _ = run("learn", "train.csv", "--valid=valid.csv", "--halve-edge-penalty", "--json", *arguments)
    assert code == 0
    document = json.loads(out)
    assert document["settings"] == {**settings, "halve_edge_penalty": True}
    assert document["n_edges"] <= 500


def test_a_budget_of_splits_is_kept_and_named(run: Run, files: dict[str, pd.DataFrame]) -> None:
    document = json.loads(run("learn", "train.csv", "--max-splits", "2", "--json").out)
    assert document["n_splits"] == 2
    assert document["stop"] == "max_splits"
    assert document["stop_reason"]


def test_rows_that_cannot_be_are_counted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("a,b\n0,0\n1,1\n1,1\n")
    (tmp_path / "test.csv").write_text("a,b\n0,1\n1,1\n")
    arguments = [
        "learn",
        "train.csv",
        "--test",
        "test.csv",
        "--alpha",
        "0",
        "--shrinkage",
        "0",
        "--parameter-penalty",
        "0",
    ]
    document = json.loads(run(*arguments, "--json").out)
    assert document["scores"]["test"] == {"n_rows": 2, "log_likelihood": None, "n_impossible": 1}
    assert "-inf" in run(*arguments).out


def test_debug_shows_where_it_happened(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        main(["learn", str(tmp_path / "nowhere.csv"), "--debug"])


def test_a_mistake_of_ours_is_one_line_too(
    run: Run, files: dict[str, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("learnac.training.train", lambda *_, **__: {}["lost"])
    assert run("learn", "train.csv") == (
        2,
        "",
        "error: unexpected KeyError: 'lost' (--debug shows where it happened)\n",
    )


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.123, "0.12 s"), (48.2, "48 s"), (59.7, "1 min 0 s"), (200, "3 min 20 s"), (7499, "2 h 4 min")],
)
def test_times_as_people_say_them(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_a_person_gets_a_summary_and_nothing_on_stderr(person: Run, files: dict[str, pd.DataFrame]) -> None:
    code, out, err = person("learn", "train.csv", "--valid", "valid.csv")
    assert (code, err) == (0, "")
    assert "Log-likelihood, validation" in out


def test_help_and_version_wait_for_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "from learnac.cli import main\n"
        "try: main(['learn', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'sklearn', 'scipy', 'numpy', 'pyarrow'} & sys.modules.keys()\n"
        "assert not heavy, heavy\n"
        "main(['--version'])\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.stderr == ""
    assert result.returncode == 0
    assert "learnac learn train.csv --valid valid.csv" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("learnac ")
