"""Model files: what goes in comes out, and whatever else is in a file is refused."""

from __future__ import annotations

import json
import os
import pickle
import struct
import time
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest

import learnac
from learnac import Dataset, LearnAC, ModelFileError, Schema
from learnac.circuit import Circuit, NodeKind
from learnac.io import read_model, write_model
from learnac.io.container import MAGIC, VERSION, read_container, write_container
from learnac.model import Model

GOLDEN = Path(__file__).with_name("golden")


def table(seed: int = 0, n_rows: int = 200) -> Dataset:
    arities = [2, 3, 1, 4, 2]
    rng = np.random.default_rng(seed)
    prototypes = rng.integers(arities, size=(4, len(arities)))
    rows = np.where(
        rng.random((n_rows, 5)) < 0.8, prototypes[rng.integers(4, size=n_rows)], rng.integers(arities, size=(n_rows, 5))
    )
    names = ["plain", "with space", "ünï\n", '"quoted"', "=,"]
    categories = (("no", "yes"), (10, 20, 30), ("only",), ("a", "b", "c", 'd"'), (False, True))
    return Dataset(Schema(tuple(names), categories), np.ascontiguousarray(rows.T.astype(np.uint8)))


def model(splits: str = "complete", **settings: object) -> LearnAC:
    return LearnAC(**{"edge_penalty": 0.02, "parameter_penalty": 0.1, "splits": splits, **settings}).fit(table())


def assert_same(a: Model, b: Model) -> None:
    assert a.schema == b.schema
    for name in ("kinds", "labels", "child_offsets", "children", "parameters", "parameter_origins"):
        first, second = getattr(a.circuit, name), getattr(b.circuit, name)
        assert first.dtype == second.dtype
        assert np.array_equal(first, second), name
    assert (a.network is None) == (b.network is None)
    for tree, other in zip(a.network.trees if a.network else (), b.network.trees if b.network else (), strict=True):
        assert tree.child == other.child
        for name in ("variables", "route_starts", "routes", "counts", "parameters"):
            assert np.array_equal(getattr(tree, name), getattr(other, name)), name


def stored(fitted: LearnAC) -> Model:
    return Model(fitted.circuit_, fitted.network_, {"edge_penalty": 0.02}, {"rows": 200})


@pytest.mark.parametrize("splits", ["complete", "binary"])
def test_what_is_saved_is_loaded(tmp_path: Path, splits: str) -> None:
    before = stored(model(splits))
    write_model(before, tmp_path / "m.learnac")
    after = read_model(tmp_path / "m.learnac")
    assert_same(before, after)
    assert after.settings == before.settings
    assert after.provenance == before.provenance


def test_a_circuit_alone(tmp_path: Path) -> None:
    before = replace(stored(model()), network=None)
    write_model(before, tmp_path / "m.learnac")
    assert_same(before, read_model(tmp_path / "m.learnac"))


def test_a_loaded_estimator_answers_alike(tmp_path: Path) -> None:
    fitted = model(parameter_penalty=np.float32(0.25), max_splits=np.int64(9), allowed_parents={"plain": ["=,"]})
    fitted.save(tmp_path / "m.learnac")
    loaded = learnac.load(tmp_path / "m.learnac")
    given = {"plain": "yes", "with space": 20}
    for name, posterior in fitted.marginals(given).items():
        assert np.array_equal(posterior, loaded.marginals(given)[name])
    assert np.array_equal(fitted.score_samples(table(1)), loaded.score_samples(table(1)))
    assert loaded.mpe(given) == fitted.mpe(given)
    assert loaded.entropy() == fitted.entropy()
    assert loaded.kl_divergence(fitted) < 1e-12
    assert loaded.get_params() == {**fitted.get_params(), "callback": None}


def test_samples_come_in_the_form_of_the_training_table(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["x", "y"] * 20, "b": [1, 2, 3, 4] * 10})
    for rows, kind in ((frame, pd.DataFrame), (frame[["b"]].to_numpy() - 1, np.ndarray), (table(), Dataset)):
        LearnAC().fit(rows).save(tmp_path / "m.learnac")
        assert isinstance(learnac.load(tmp_path / "m.learnac").sample(3, random_state=0), kind)


@pytest.mark.parametrize("round_trip", ["pickle", "joblib"])
def test_pickles(tmp_path: Path, round_trip: str) -> None:
    fitted = model()
    if round_trip == "pickle":
        again = pickle.loads(pickle.dumps(fitted))
    else:
        joblib.dump(fitted, tmp_path / "m")
        again = joblib.load(tmp_path / "m")
    assert_same(stored(fitted), stored(again))
    assert again.mpe() == fitted.mpe()


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    content = small_file(tmp_path / "m.learnac")
    for length in range(len(content)):
        (tmp_path / "cut.learnac").write_bytes(content[:length])
        with pytest.raises(ModelFileError, match=r"cut\.learnac: "):
            read_model(tmp_path / "cut.learnac")


def test_damaged_files_are_refused_or_the_same(tmp_path: Path) -> None:
    content = np.frombuffer(small_file(tmp_path / "m.learnac"), dtype=np.uint8)
    rng = np.random.default_rng(0)
    for _ in range(10_000):
        damaged = content.copy()
        places = rng.integers(len(content), size=rng.integers(1, 4))
        damaged[places] = rng.integers(256, size=len(places))
        if np.array_equal(damaged, content):
            continue
        (tmp_path / "m.learnac").write_bytes(damaged.tobytes())
        with pytest.raises(ModelFileError):
            read_model(tmp_path / "m.learnac")


def test_files_made_to_deceive_are_refused(tmp_path: Path) -> None:
    """With a checksum that fits: every index and number is checked for itself, and nothing large is allocated."""
    small_file(tmp_path / "m.learnac")
    container = read_container(tmp_path / "m.learnac")
    rng = np.random.default_rng(0)
    n_refused, start = 0, time.monotonic()
    for _ in range(3_000):
        arrays = {name: array.copy() for name, array in container.arrays.items()}
        array = arrays[list(arrays)[rng.integers(len(arrays))]]
        if array.size == 0:
            continue
        values = [0, 1, 2, 3, 255, -1, 2**31, 2**63, 0.5, -0.5, 7.0, np.nan, np.inf]
        value = values[rng.integers(len(values))]
        with np.errstate(invalid="ignore"):
            array.reshape(-1)[rng.integers(array.size)] = np.array(value).astype(array.dtype)
        header = {name: value for name, value in container.header.items() if name != "arrays"}
        write_container(tmp_path / "m.learnac", header, arrays)
        try:
            found = read_model(tmp_path / "m.learnac")
        except ModelFileError:
            n_refused += 1
        else:
            assert np.isfinite(LearnAC.from_circuit(found.circuit, found.network).marginals({})["plain"]).all()
    assert n_refused > 1_000
    assert time.monotonic() - start < 120


@pytest.mark.parametrize(
    "change",
    [
        {"arrays": [{"name": "kinds", "dtype": "|u1", "shape": [2**39]}]},
        {"arrays": [{"name": "kinds", "dtype": "|O", "shape": [1]}]},
        {"arrays": [{"name": "kinds", "dtype": "<f8", "shape": [-1]}]},
        {"arrays": [{"name": "kinds", "dtype": "|u1", "shape": [1, 1, 1]}]},
        {"arrays": [{}]},
        {"arrays": None},
        {"schema": {"names": ["a"], "categories": [[None]], "bins": [None]}},
        {"schema": {"names": ["a", "a"], "categories": [[1], [2]], "bins": [None, None]}},
        {"schema": {"names": ["a"], "categories": [[1, 2]], "bins": [[0.5]]}},
        {"schema": {"names": ["a"], "categories": [["< 1", ">= 1"]], "bins": [[1, 1]]}},
        {"schema": {"names": ["a"], "categories": [["< 1", ">= 1"]], "bins": [["x"]]}},
        {"schema": {"names": "a", "categories": []}},
        {"schema": None},
        {"kind": "checkpoint"},
        {"kind": None},
        {"has_network": 1},
        {"settings": []},
    ],
)
def test_headers_made_to_deceive_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    content = small_file(tmp_path / "m.learnac")
    length = struct.unpack_from("<I", content, 12)[0]
    header = {**json.loads(content[48 : 48 + length]), **change}
    write_raw(tmp_path / "m.learnac", json.dumps(header).encode(), content[48 + length :])
    with pytest.raises(ModelFileError):
        read_model(tmp_path / "m.learnac")


@pytest.mark.parametrize("header", [b"[]", b"{", b"\xff", b"[" * 100_000, b'{"a": ' + b"9" * 10_000 + b"}"])
def test_headers_that_are_no_json_are_refused(tmp_path: Path, header: bytes) -> None:
    write_raw(tmp_path / "m.learnac", header, b"")
    with pytest.raises(ModelFileError):
        read_model(tmp_path / "m.learnac")


def test_a_newer_version_is_told_of(tmp_path: Path) -> None:
    content = bytearray(small_file(tmp_path / "m.learnac"))
    struct.pack_into("<I", content, 8, VERSION + 1)
    (tmp_path / "m.learnac").write_bytes(content)
    with pytest.raises(ModelFileError, match=f"newer learnac: its format is {VERSION + 1}"):
        read_model(tmp_path / "m.learnac")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"hello", MAGIC])
def test_other_files_are_told_of(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.learnac").write_bytes(content)
    with pytest.raises(ModelFileError, match=r"m\.learnac: (not a file of learnac|the file is cut short)"):
        read_model(tmp_path / "m.learnac")


def test_circuits_that_would_answer_wrongly_are_refused(tmp_path: Path) -> None:
    circuit = model().circuit_
    sums = np.flatnonzero(circuit.kinds == NodeKind.SUM)
    labels = circuit.labels.copy()
    labels[sums[-1]] = (labels[sums[-1]] + 1) % 5
    write_model(Model(replace(circuit, labels=labels), None), tmp_path / "m.learnac")
    with pytest.raises(ModelFileError, match="not deterministic"):
        read_model(tmp_path / "m.learnac")
    labels[:] = np.where(circuit.kinds == NodeKind.SUM, Circuit.NO_LABEL, labels)
    write_model(Model(replace(circuit, labels=labels), None), tmp_path / "m.learnac")
    assert read_model(tmp_path / "m.learnac").circuit.n_edges == circuit.n_edges


def test_nothing_is_left_of_a_file_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_file(tmp_path / "m.learnac")
    before = (tmp_path / "m.learnac").read_bytes()

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        model().save(tmp_path / "m.learnac")
    assert [path.name for path in tmp_path.iterdir()] == ["m.learnac"]
    assert (tmp_path / "m.learnac").read_bytes() == before


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.learnac")), ids=lambda path: path.stem)
def test_files_of_every_version_are_read(path: Path) -> None:
    """Made by `LearnAC.save` of the version that the name says; the answers were written down then."""
    expected = json.loads(path.with_suffix(".json").read_text())
    loaded = learnac.load(path)
    assert [list(column) for column in loaded.schema_.categories] == expected["categories"]
    assert loaded.circuit_.n_edges == expected["edges"]
    scores = [loaded.score_samples(row) for row in expected["rows"]]
    np.testing.assert_allclose(scores, expected["scores"], rtol=1e-12, atol=1e-12)
    for name, posterior in expected["marginals"].items():
        np.testing.assert_allclose(loaded.marginals(expected["given"])[name], posterior, rtol=1e-12)


def test_there_are_golden_files() -> None:
    assert {path.stem for path in GOLDEN.glob("*.learnac")} >= {"v1-complete", "v1-binary"}


def test_large_models_are_saved_and_loaded_quickly(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = (rng.random((3000, 40)) + rng.random((3000, 1)) * 1.2 > 1).astype(np.int8)
    large = LearnAC(0.0001, 0.0, max_edges=150_000).fit(rows)
    assert large.circuit_.n_edges > 100_000
    start = time.process_time()
    large.save(tmp_path / "m.learnac")
    learnac.load(tmp_path / "m.learnac")
    assert time.process_time() - start < 1
    assert (tmp_path / "m.learnac").stat().st_size < 12 * large.circuit_.n_edges


def small_file(path: Path) -> bytes:
    model(max_splits=2).save(path)
    return path.read_bytes()


def write_raw(path: Path, header: bytes, rest: bytes) -> None:
    import hashlib

    header += b" " * (-len(header) % 8)
    body = header + rest
    checksum = hashlib.blake2b(struct.pack("<II", VERSION, len(header)) + body, digest_size=32).digest()
    path.write_bytes(struct.pack("<8sII32s", MAGIC, VERSION, len(header), checksum) + body)


def test_a_label_that_is_false_is_refused_among_others_that_are_none(tmp_path: Path) -> None:
    circuit = model().circuit_
    sums = np.flatnonzero(circuit.kinds == NodeKind.SUM)
    labels = circuit.labels.copy()
    labels[sums[0]] = Circuit.NO_LABEL
    labels[sums[-1]] = (labels[sums[-1]] + 1) % 5
    write_model(Model(replace(circuit, labels=labels), None), tmp_path / "m.learnac")
    with pytest.raises(ModelFileError, match="not deterministic"):
        read_model(tmp_path / "m.learnac")


def test_parameters_of_no_origin_are_refused_beside_a_network(tmp_path: Path) -> None:
    fitted = model()
    unknown = replace(fitted.circuit_, parameter_origins=np.full_like(fitted.circuit_.parameter_origins, -1))
    write_model(Model(unknown, fitted.network_), tmp_path / "m.learnac")
    with pytest.raises(ModelFileError, match="not of the network"):
        read_model(tmp_path / "m.learnac")
    write_model(Model(unknown, None), tmp_path / "m.learnac")
    assert read_model(tmp_path / "m.learnac").network is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("tree_variables", -100), ("tree_sizes", 2**64 - 1), ("tree_sizes", 0), ("tree_parameters", 0.9)],
)
def test_trees_that_are_none_are_refused(tmp_path: Path, name: str, value: float) -> None:
    small_file(tmp_path / "m.learnac")
    container = read_container(tmp_path / "m.learnac")
    arrays = {key: array.copy() for key, array in container.arrays.items()}
    wide = {"tree_variables": np.int64, "tree_sizes": np.uint64, "tree_parameters": np.float64}[name]
    arrays[name] = arrays[name].astype(wide)
    arrays[name][: 2 if name == "tree_variables" else None] = value
    header = {key: entry for key, entry in container.header.items() if key != "arrays"}
    write_container(tmp_path / "m.learnac", header, arrays)
    with pytest.raises(ModelFileError):
        read_model(tmp_path / "m.learnac")


def test_settings_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    fitted = model()
    for settings in ({"edge_penalty": "nope"}, {"schedule": [1]}, {"max_seconds": 10**400}):
        write_model(Model(fitted.circuit_, fitted.network_, settings), tmp_path / "m.learnac")
        with pytest.raises(ModelFileError):
            learnac.load(tmp_path / "m.learnac")
