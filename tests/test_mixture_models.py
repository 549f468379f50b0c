"""Mixtures as people meet them: the estimator, files, pictures."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import learnac
from learnac import LearnAC, ModelFileError, infer
from learnac.circuit import Mixture, as_circuit
from learnac.errors import NotProvenWarning, QueryError, SettingError
from learnac.io import read_model, write_model
from learnac.io.container import read_container, write_container
from learnac.io.convert import read_any, write_any
from learnac.model import Model

N_ROWS = 400


def frame(seed: int = 0, n_rows: int = N_ROWS) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    group = rng.integers(3, size=n_rows)
    noisy = rng.random((n_rows, 5)) < 0.2
    columns = {
        "colour": np.where(noisy[:, 0], rng.integers(3, size=n_rows), group),
        "size": np.where(noisy[:, 1], rng.integers(2, size=n_rows), group > 0),
        "shape": np.where(noisy[:, 2], rng.integers(4, size=n_rows), group + (group == 2)),
        "old": np.where(noisy[:, 3], rng.integers(2, size=n_rows), group == 1),
        "heavy": np.where(noisy[:, 4], rng.integers(2, size=n_rows), group == 2),
    }
    names = {"colour": np.array(["red", "green", "blue"]), "shape": np.array(["cube", "ball", "rod", "disc"])}
    return pd.DataFrame({name: names[name][codes] if name in names else codes > 0 for name, codes in columns.items()})


FRAME = frame()


@pytest.fixture(scope="module")
def model() -> LearnAC:
    return LearnAC(n_components=4, max_edges=3000).fit(FRAME)


def mixture_of(model: LearnAC) -> Mixture:
    assert isinstance(model.circuit_, Mixture)
    return model.circuit_


class TestEstimator:
    def test_one_component_is_the_plain_learner(self) -> None:
        plain, one = LearnAC().fit(FRAME), LearnAC(n_components=1, random_state=7).fit(FRAME)
        for name in ("kinds", "labels", "child_offsets", "children", "parameters", "parameter_origins"):
            assert np.array_equal(getattr(plain.circuit_, name), getattr(one.circuit_, name)), name

    def test_a_mixture_has_no_network_that_equals_it(self, model: LearnAC) -> None:
        mixture = mixture_of(model)
        assert model.network_ is None
        assert mixture.network is not None
        assert mixture.n_components == 4
        assert mixture.n_edges <= 3000
        rows = model.score_samples(FRAME)
        np.testing.assert_allclose(rows, infer.log_likelihood(as_circuit(mixture), FRAME), rtol=1e-12)
        assert not np.allclose(rows, mixture.network.log_likelihood(model.schema_.encode(FRAME)))

    def test_every_query_equals_that_of_a_circuit_of_copies(self, model: LearnAC) -> None:
        copies = LearnAC.from_circuit(as_circuit(mixture_of(model)))
        given = pd.DataFrame({"colour": ["red", None, "blue"], "old": [None, True, False]})
        for name, posterior in model.marginals(given).items():
            np.testing.assert_allclose(posterior, copies.marginals(given)[name], rtol=1e-12)
        for ask in (
            lambda m: m.log_probability({"size": True}, {"shape": "rod"}),
            lambda m: m.score_samples(FRAME[:20]),
            lambda m: m.predict_proba(FRAME[:20].drop(columns="shape"), target="shape"),
            lambda m: m.expectation({"heavy": {False: 0.0, True: 2.0}}, {"old": True}),
            lambda m: m.entropy(["colour", "shape"]),
            lambda m: m.mutual_information("colour", "old"),
            lambda m: m.marginals(soft={"colour": [[0.2, 0.5, 0.3]]})["heavy"],
        ):
            np.testing.assert_allclose(ask(model), ask(copies), rtol=1e-12)

    def test_mpe_and_imputation(self, model: LearnAC) -> None:
        world, log_probability = model.mpe({"colour": "blue"})
        everything = [
            {"colour": "blue", "size": size, "shape": shape, "old": old, "heavy": heavy}
            for size in (False, True)
            for shape in ("cube", "ball", "rod", "disc")
            for old in (False, True)
            for heavy in (False, True)
        ]
        logs = [float(model.score_samples(each)) for each in everything]
        assert log_probability == pytest.approx(max(logs), abs=1e-12)
        assert world == everything[int(np.argmax(logs))]
        gaps = FRAME[:10].copy()
        gaps.loc[3, "colour"] = None
        filled = model.impute(gaps)
        assert filled.isna().sum().sum() == 0

    def test_the_joint_maximum_has_a_component(self, model: LearnAC) -> None:
        mixture = mixture_of(model)
        given = pd.DataFrame({"colour": ["blue", None], "shape": [None, "rod"]})
        rows, logs, components = model.joint_mpe(given)
        for i in range(2):
            of_components = [infer.mpe(mixture.component(k), given[i : i + 1])[1][0] for k in range(4)]
            joint = np.log(mixture.weights) + of_components
            assert components[i] == joint.argmax()
            assert logs[i] == pytest.approx(joint.max(), abs=1e-9)
            weight = np.log(mixture.weights[components[i]])
            of_row = infer.log_likelihood(mixture.component(components[i]), rows[i : i + 1])[0]
            assert logs[i] == pytest.approx(weight + of_row, abs=1e-9)
        one, log, component = model.joint_mpe({"colour": "blue"})
        assert (one["colour"], type(log), type(component)) == ("blue", float, int)
        with pytest.raises(QueryError, match="joint_mpe: expected a mixture, found a single circuit"):
            LearnAC().fit(FRAME).joint_mpe()

    def test_without_time_nothing_is_proven(self, model: LearnAC) -> None:
        with pytest.warns(NotProvenWarning, match="another completion may be more probable"):
            model.mpe({}, max_seconds=0)
        gaps = pd.DataFrame([dict.fromkeys(FRAME)] * 2)
        with pytest.warns(NotProvenWarning):
            model.impute(gaps, max_seconds=0)
        with pytest.raises(ValueError, match="max_seconds: expected a number from 0, found -1"):
            model.impute(gaps, max_seconds=-1)

    def test_samples_look_like_the_rows(self, model: LearnAC) -> None:
        drawn = model.sample(4000, random_state=0)
        shares = FRAME["colour"].value_counts(normalize=True)
        np.testing.assert_allclose(drawn["colour"].value_counts(normalize=True)[shares.index], shares, atol=0.05)

    def test_components_are_a_soft_clustering(self, model: LearnAC) -> None:
        found = model.components(FRAME)
        assert found.shape == (N_ROWS, 4)
        np.testing.assert_allclose(found.sum(axis=1), 1)
        np.testing.assert_allclose(model.components({}), mixture_of(model).weights)
        np.testing.assert_allclose(found.mean(axis=0), mixture_of(model).weights, atol=0.1)

    def test_a_single_circuit_has_no_components(self) -> None:
        with pytest.raises(QueryError, match="components: expected a mixture, found a single circuit"):
            LearnAC().fit(FRAME).components(FRAME)

    def test_what_is_not_exact_is_refused(self, model: LearnAC) -> None:
        plain = LearnAC().fit(FRAME)
        with pytest.raises(QueryError, match="kl_divergence: expected a deterministic circuit, found a mixture"):
            model.kl_divergence(plain)
        with pytest.raises(QueryError, match="expected a model with a network as the other one, found a mixture"):
            plain.kl_divergence(model)
        codes = np.random.default_rng(0).integers(2, size=(200, 24))
        with pytest.raises(QueryError, match="entropy: of all variables it is exact only for a deterministic circuit"):
            LearnAC(n_components=2).fit(codes).entropy()

    def test_a_network_never_scores_for_a_mixture(self, model: LearnAC) -> None:
        mixture = mixture_of(model)
        with pytest.raises(TypeError, match="network: expected None with a mixture"):
            infer.log_likelihood(mixture, FRAME, network=mixture.network)
        with pytest.raises(ValueError, match="expected no network that equals a mixture"):
            Model(mixture, mixture.network)

    def test_a_classifier(self) -> None:
        rows, labels = FRAME.drop(columns="colour"), FRAME["colour"]
        classifier = LearnAC(target="colour", n_components=3, max_edges=3000)
        assert cross_val_score(classifier, rows, labels, cv=3).mean() > 0.7
        assert clone(classifier).fit(rows, labels).predict_proba(rows).shape == (N_ROWS, 3)

    def test_random_states(self) -> None:
        same = [LearnAC(n_components=2, random_state=state).fit(FRAME).circuit_ for state in (5, np.int64(5))]
        assert np.array_equal(same[0].parameters, same[1].parameters)
        LearnAC(n_components=2, random_state=np.random.RandomState(0)).fit(FRAME)
        LearnAC(n_components=2, random_state=None).fit(FRAME)
        with pytest.raises((TypeError, ValueError), match="random_state: expected"):
            LearnAC(n_components=2, random_state="x").fit(FRAME)

    def test_settings_that_make_no_sense(self) -> None:
        with pytest.raises(SettingError, match='n_components: expected a whole number or "auto"'):
            LearnAC(n_components="few").fit(FRAME)

    def test_validation_and_weights(self) -> None:
        weights = np.linspace(0, 2, N_ROWS)
        model = LearnAC(n_components=3).fit(FRAME, validation=frame(1, 100), sample_weight=weights)
        assert mixture_of(model).n_components == 3


class TestFiles:
    def test_what_goes_in_comes_out(self, model: LearnAC, tmp_path: Path) -> None:
        path = tmp_path / "model.learnac"
        model.save(path)
        loaded = learnac.load(path)
        for a, b in ((model, loaded), (model, pickle.loads(pickle.dumps(model)))):
            assert np.array_equal(mixture_of(a).parameters, mixture_of(b).parameters)
            assert np.array_equal(mixture_of(a).weights, mixture_of(b).weights)
            assert np.array_equal(a.score_samples(FRAME), b.score_samples(FRAME))
        assert loaded.n_components == 4
        assert mixture_of(loaded).network is not None
        assert loaded.provenance_["components"] == 4

    def test_the_structure_is_stored_once(self, model: LearnAC, tmp_path: Path) -> None:
        path = tmp_path / "model.learnac"
        model.save(path)
        arrays = read_container(path).arrays
        mixture = mixture_of(model)
        assert len(arrays["children"]) == mixture.structure.n_edges
        assert arrays["component_parameters"].shape == mixture.parameters.shape

    @pytest.mark.parametrize(
        ("change", "complaint"),
        [
            ({"component_weights": np.array([0.5, 0.5, 0.5, 0.5])}, "weights that sum to 1"),
            ({"component_weights": np.array([1.0])}, "parameters for each of 1 components"),
            ({"component_weights": np.array([-1.0, 1.0, 0.5, 0.5])}, "weights: expected probabilities"),
            ({"component_parameters": np.zeros((4, 3))}, "found an array of shape"),
            ({"component_parameters": np.zeros(3)}, "the array 'component_parameters' is missing"),
        ],
    )
    def test_impossible_components_are_refused(
        self, model: LearnAC, tmp_path: Path, change: dict[str, Any], complaint: str
    ) -> None:
        path = tmp_path / "model.learnac"
        model.save(path)
        container = read_container(path)
        write_container(path, container.header, {**container.arrays, **change})
        with pytest.raises(ModelFileError, match=f"{path}: .*{complaint}"):
            read_model(path)

    def test_components_that_do_not_sum_to_one_are_refused(self, model: LearnAC, tmp_path: Path) -> None:
        path = tmp_path / "model.learnac"
        model.save(path)
        container = read_container(path)
        parameters = container.arrays["component_parameters"].copy()
        parameters[2] *= 0.9
        write_container(path, container.header, {**container.arrays, "component_parameters": parameters})
        with pytest.raises(ModelFileError, match="the probabilities of a component do not sum to 1"):
            read_model(path)

    def test_a_mixture_without_a_network(self, model: LearnAC, tmp_path: Path) -> None:
        mixture = mixture_of(model)
        alone = Mixture(mixture.structure, mixture.parameters, mixture.weights)
        write_model(Model(alone), tmp_path / "model.learnac")
        assert isinstance(read_model(tmp_path / "model.learnac").circuit, Mixture)

    def test_libra_has_a_circuit_of_copies(self, model: LearnAC, tmp_path: Path) -> None:
        write_any(Model(mixture_of(model)), tmp_path / "model.ac")
        again = read_any(tmp_path / "model.ac").require_circuit()
        codes = model.schema_.encode(FRAME)
        logs = infer.log_likelihood(again, np.asarray(codes.T, dtype=np.int64))
        np.testing.assert_allclose(logs, model.score_samples(FRAME), rtol=1e-6)

    @pytest.mark.parametrize("name", ["model.bif", "model.bn"])
    def test_formats_of_networks_are_refused(self, model: LearnAC, tmp_path: Path, name: str) -> None:
        with pytest.raises(ModelFileError, match="holds a network, but the model is a mixture"):
            write_any(Model(mixture_of(model)), tmp_path / name)
        assert not (tmp_path / name).exists()


class TestPictures:
    def test_the_structure_is_drawn_once(self) -> None:
        small = LearnAC(n_components=3, max_edges=300, max_splits=2).fit(FRAME[["size", "old"]])
        mixture = mixture_of(small)
        dot = mixture.draw().source
        assert dot.count(" -> ") == mixture.structure.n_edges
        low, high = mixture.parameters[:, 0].min(), mixture.parameters[:, 0].max()
        assert low < high
        assert " to " in dot

    def test_what_a_notebook_shows(self, model: LearnAC) -> None:
        html = mixture_of(model)._repr_html_()
        assert "components" in html
        assert f"{mixture_of(model).n_edges:,}" in html
