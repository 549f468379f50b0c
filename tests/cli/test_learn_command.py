"""`learnac learn`, run as a person would: what it prints, what it returns, and one line for each mistake."""

import contextlib
import gzip
import inspect
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from learnac import Dataset, LearnAC
from learnac.cli import learn as learn_module
from learnac.cli import main
from learnac.cli.summary import duration
from learnac.learn import StepInfo

PERSON = [sys.executable, "-m", "learnac"]


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in the folder of the test, in this process."""
    monkeypatch.chdir(tmp_path)

    def run_here(*arguments: str) -> Outcome:
        with pytest.raises(SystemExit) as exit_info:
            main(arguments)
        code = exit_info.value.code
        assert isinstance(code, int)
        return Outcome(code, *capsys.readouterr())

    return run_here


def weather(n_rows: int, seed: int) -> pd.DataFrame:
    """A chain of four variables, and one that depends on nothing."""
    rng = np.random.default_rng(seed)
    season = rng.integers(4, size=n_rows)
    rain = rng.random(n_rows) < np.array([0.2, 0.3, 0.6, 0.8])[season]
    umbrella = rng.random(n_rows) < np.where(rain, 0.9, 0.1)
    mood = np.where(rng.random(n_rows) < np.where(umbrella, 0.7, 0.2), 3, rng.integers(1, 3, size=n_rows))
    return pd.DataFrame(
        {
            "season": np.array(["spring", "summer", "autumn", "winter"])[season],
            "rain": rain,
            "umbrella": np.where(umbrella, "yes", "no"),
            "mood": mood,
            "coin": rng.integers(2, size=n_rows),
        }
    )


@pytest.fixture
def files(tmp_path: Path) -> dict[str, pd.DataFrame]:
    """The frames that train.csv, valid.csv and test.csv hold."""
    frames = {"train": weather(600, 0), "valid": weather(200, 1), "test": weather(300, 2)}
    for name, frame in frames.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return frames


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
    for name, parameter in inspect.signature(LearnAC).parameters.items():
        if name not in ("allowed_parents", "callback"):
            assert options[name.removeprefix("n_")].default == parameter.default, name


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
        "n_threads": 2,
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


def test_a_compressed_table_without_names(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(50, 4))
    codes[:, 1] = codes[:, 0]
    codes[:, 3] = 0
    lines = "\n".join(",".join(map(str, row)) for row in codes)
    (tmp_path / "binary.data.gz").write_bytes(gzip.compress(lines.encode()))
    document = json.loads(run("learn", "binary.data.gz", "--no-header", "--arity", "2", "--json").out)
    model = LearnAC().fit(Dataset.from_array(codes, arities=2))
    assert document["n_variables"] == 4
    assert document["n_edges"] == model.circuit_.n_edges
    assert document["scores"]["train"]["log_likelihood"] == pytest.approx(model.score(codes))


def test_a_stated_arity_lets_a_value_occur_later(run: Run, tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("a,b\n0,0\n0,1\n")
    (tmp_path / "test.csv").write_text("a,b\n2,1\n")
    assert run("learn", "train.csv", "--test", "test.csv").code == 2
    assert run("learn", "train.csv", "--test", "test.csv", "--arity", "3").code == 0


def test_columns_may_come_in_another_order(run: Run, tmp_path: Path, files: dict[str, pd.DataFrame]) -> None:
    files["test"][["coin", "mood", "rain", "season", "umbrella"]].to_csv(tmp_path / "mixed.csv", index=False)
    scores = [
        json.loads(run("learn", "train.csv", "--test", name, "--json").out)["scores"]["test"]
        for name in ("test.csv", "mixed.csv")
    ]
    assert scores[0] == scores[1]


@pytest.mark.parametrize(
    ("train", "test"),
    [
        pytest.param("a,b\n0,0\n1,x\n0,1\n", "a,b\n0,1\n", id="strings that look like numbers here"),
        pytest.param("a,b\n0,true\n1,false\n", "a,b\n0,true\n", id="booleans"),
        pytest.param("d,b\n2020-01-31,0\n2021-02-28,1\n", "d,b\n2020-01-31,1\n", id="dates"),
        pytest.param('a,b\n0,"NA"\n1,EU\n', 'a,b\n0,"NA"\n', id="NA in quotes"),
        pytest.param("a,b\n0,0\n1,1\n\n", "a,b\r\n1,0\r\n", id="line ends"),
        pytest.param("\ufeffa,b\n0,0\n1,1\n", "a,b\n1,0\n", id="byte order mark"),
        pytest.param("a,b\n0,0.0\n1,1.0\n", "a,b\n1,1\n", id="whole floats"),
        pytest.param("a;b\n0;0\n1;1\n", "a;b\n1;0\n", id="semicolons"),
        pytest.param("a\tb\n0\t0\n1\t1\n", "a\tb\n1\t0\n", id="tabs"),
    ],
)
def test_what_tables_may_look_like(run: Run, tmp_path: Path, train: str, test: str) -> None:
    (tmp_path / "train.csv").write_text(train, encoding="utf-8")
    (tmp_path / "test.csv").write_text(test, encoding="utf-8", newline="")
    delimiter = {";": ";", "\t": "tab"}.get(train[1], ",")
    document = json.loads(run("learn", "train.csv", "--test", "test.csv", "--delimiter", delimiter, "--json").out)
    assert document["n_variables"] == 2
    assert document["scores"]["test"]["log_likelihood"] < 0


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param(b"", "bad.csv: the file is empty", id="empty"),
        pytest.param(b"a,b\n", "bad.csv: expected rows of values, found only a header", id="header only"),
        pytest.param(b"a,b,c\n1,2,3\n1,2\n", "bad.csv:3: expected 3 values, found 2", id="ragged"),
        pytest.param(b"a,b\n1,\n2,x\n", "missing values are not supported: column 'b' has 1", id="missing"),
        pytest.param(b"a,b\n1,NA\n2,1\n", "missing values are not supported: column 'b' has 1", id="NA"),
        pytest.param(b"a;b\n1;2\n", "found one column, 'a;b': say --delimiter ';'", id="delimiter"),
        pytest.param(b"a\tb\n1\t2\n", r"say --delimiter '\t'", id="tab"),
        pytest.param("a,b\n1,é\n".encode("latin-1"), "column 'b': expected text in UTF-8", id="latin-1"),
        pytest.param("a,é\n1,2\n".encode("latin-1"), "expected a header in UTF-8", id="latin-1 header"),
        pytest.param("a,b\n1,2\n".encode("utf-16"), "found UTF-16", id="utf-16"),
        pytest.param(b"0,0,1\n0,1,1\n", "--no-header reads a table without names", id="no header"),
        pytest.param(b"a,a\n0,1\n", "bad.csv: column names must be unique", id="repeated name"),
        pytest.param(b",a\n0,1\n", "bad.csv: the name at position 0 is empty", id="empty name"),
        pytest.param(b"a,b\n0.5,1\n", "column 'a', row 0: expected whole numbers, found 0.5", id="fractions"),
    ],
)
def test_a_table_that_cannot_be_used_is_one_line(run: Run, tmp_path: Path, content: bytes, complaint: str) -> None:
    (tmp_path / "bad.csv").write_bytes(content)
    code, out, err = run("learn", "bad.csv")
    assert (code, out) == (2, "")
    assert err.startswith("error: bad.csv:")
    assert complaint in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param("season,rain\nspring,True\n", "lacks 'umbrella', 'mood', 'coin'", id="columns"),
        pytest.param(
            "season,rain,umbrella,mood,coin\nspring,True,yes,3,0\nmonsoon,True,yes,3,0\n",
            "column 'season', row 1: expected one of its categories, "
            "'autumn', 'spring', 'summer', 'winter'; found 'monsoon'",
            id="category",
        ),
        pytest.param(
            "coin,season,rain,umbrella,mood\n0,spring,True,yes,3\n0,spring,True,yes,fine\n",
            "other.csv:3: column 'mood': expected int64, as in the training table, found 'fine'",
            id="type",
        ),
    ],
)
def test_a_table_unlike_the_training_table(
    run: Run, tmp_path: Path, files: dict[str, pd.DataFrame], content: str, complaint: str
) -> None:
    (tmp_path / "other.csv").write_text(content)
    for option in ("--valid", "--test"):
        code, out, err = run("learn", "train.csv", option, "other.csv")
        assert (code, out) == (2, "")
        assert err.startswith("error: other.csv:")
        assert complaint in err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere.csv"], "nowhere.csv: No such file or directory"),
        (["."], ".: Is a directory"),
        (["broken.csv.gz"], "broken.csv.gz: cannot be read"),
        ([], "Missing argument 'TRAIN'"),
        (["train.csv", "--frob"], "No such option: --frob"),
        (["train.csv", "--schedule", "slow"], "'slow' is not one of 'quick', 'greedy'"),
        (["train.csv", "--alpha", "-1"], "--alpha: expected a finite number at least 0, found -1.0"),
        (["train.csv", "--edge-penalty", "nan"], "--edge-penalty: expected a finite number"),
        (["train.csv", "--max-edges", "3"], "--max-edges: expected at least"),
        (
            ["train.csv", "--edge-penalty=1", "--halve-edge-penalty"],
            "--halve-edge-penalty: expected --max-edges to be set too",
        ),
        (["train.csv", "--threads", "0"], "--threads: expected at least 1, found 0"),
        (["train.csv", "--patience", "3"], "--patience: expected --valid too"),
        (["train.csv", "--delimiter", "ab"], "--delimiter: expected one character, found 'ab'"),
    ],
)
def test_a_wrong_argument_is_one_line(
    run: Run, tmp_path: Path, files: dict[str, pd.DataFrame], arguments: list[str], complaint: str
) -> None:
    (tmp_path / "broken.csv.gz").write_bytes(b"a,b\n0,1\n")
    code, out, err = run("learn", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert complaint in err
    assert err.count("\n") == 1


def test_debug_shows_where_it_happened(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        main(["learn", str(tmp_path / "nowhere.csv"), "--debug"])


def test_a_mistake_of_ours_is_one_line_too(
    run: Run, files: dict[str, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LearnAC, "fit", lambda *_, **__: {}["lost"])
    assert run("learn", "train.csv") == (
        2,
        "",
        "error: unexpected KeyError: 'lost' (--debug shows where it happened)\n",
    )


def interrupt_after(
    n_splits: int,
) -> Callable[[], contextlib.AbstractContextManager[Callable[[StepInfo], None]]]:
    def press(step: StepInfo) -> None:
        if step.n_splits == n_splits:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def progress_line() -> Iterator[Callable[[StepInfo], None]]:
        yield press

    return progress_line


def test_an_interrupted_search_keeps_its_work(
    run: Run, files: dict[str, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("learnac.cli.progress.progress_line", interrupt_after(3))
    code, out, err = run("learn", "train.csv", "--json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["stop"] == "interrupted"
    assert document["n_splits"] == 3
    model = LearnAC(max_splits=3).fit(files["train"])
    assert document["scores"]["train"]["log_likelihood"] == pytest.approx(model.score(files["train"]))
    assert "interrupted: this is the model so far" in run("learn", "train.csv").out


def test_an_interrupt_before_the_search_leaves_nothing(
    run: Run, files: dict[str, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("learnac.cli.tables.read_learning_tables", interrupted)
    assert run("learn", "train.csv") == (130, "", "error: interrupted\n")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.123, "0.12 s"), (48.2, "48 s"), (59.7, "1 min 0 s"), (200, "3 min 20 s"), (7499, "2 h 4 min")],
)
def test_times_as_people_say_them(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_a_person_gets_a_summary_and_nothing_on_stderr(tmp_path: Path, files: dict[str, pd.DataFrame]) -> None:
    command = [*PERSON, "learn", "train.csv", "--valid", "valid.csv"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0
    assert result.stderr == ""
    assert "Log-likelihood, validation" in result.stdout


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


def test_ctrl_c_at_a_terminal(tmp_path: Path) -> None:
    """There is a line that moves on stderr, Ctrl-C ends the search, and the summary is on stdout."""
    rng = np.random.default_rng(0)
    hidden = rng.random((3000, 8))
    codes = (hidden @ rng.random((8, 60)) + rng.random((3000, 60)) > 2.5).astype(int)
    np.savetxt(tmp_path / "long.csv", codes, fmt="%d", delimiter=",")
    command = [*PERSON, "learn", "long.csv", "--no-header", "--arity", "2", "--edge-penalty", "1e-4"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*command, "--schedule", "greedy", "--parameter-penalty", "0"],
        cwd=tmp_path,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
    ) as process:
        os.close(theirs)
        shown = read_until(ours, b"edges", seconds=30)
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        out = process.stdout.read().decode()
        code = process.wait(timeout=30)
    os.close(ours)
    assert b"log-likelihood" in shown
    assert code == 0, out
    assert "interrupted: this is the model so far" in out


def read_until(descriptor: int, what: bytes, seconds: float) -> bytes:
    """What a terminal shows, up to some time after `what` came up."""
    shown = b""
    deadline = time.monotonic() + seconds
    while what not in shown and time.monotonic() < deadline:
        if select.select([descriptor], [], [], 0.1)[0]:
            shown += os.read(descriptor, 4096)
    return shown
