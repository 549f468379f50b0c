"""Samples: their frequencies against the probabilities of all worlds, their order, and where their chance is from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from learnac import Dataset, infer


def assert_frequencies(places: Any, probabilities: Any) -> None:
    """A chi-square test with a fixed seed: worlds that are expected less than five times are taken together."""
    counts = np.bincount(places, minlength=len(probabilities))
    assert (counts[probabilities == 0] == 0).all()
    expected = probabilities * len(places)
    is_rare = expected < 5
    observed = np.append(counts[~is_rare], counts[is_rare].sum())
    expected = np.append(expected[~is_rare], expected[is_rare].sum())
    if expected[-1] < 5:
        observed, expected = observed[:-1], expected[:-1] * (observed[:-1].sum() / expected[:-1].sum())
    if len(observed) > 1:
        assert chisquare(observed, expected * (observed.sum() / expected.sum())).pvalue > 1e-4


class TestFrequencies:
    def test_without_evidence(self, case: Any) -> None:
        dataset = case.model.sample(20_000, random_state=1)
        assert isinstance(dataset, Dataset)
        assert dataset.schema == case.schema
        assert_frequencies(case.places(dataset.codes.T), case.probabilities)
        for variable in range(len(case.names)):
            assert_frequencies(dataset.codes[variable], case.table_of([variable]))

    @pytest.mark.parametrize("share_known", [0.15, 0.4])
    def test_given_evidence(self, case: Any, share_known: float) -> None:
        for seed in range(3):
            row = case.rows(seed, 1, share_known)[0]
            joint = case.joint(row)
            samples = case.model.sample(5000, case.evidence(row), random_state=seed)
            assert_frequencies(case.places(samples.codes.T), joint / joint.sum())

    def test_given_likelihoods(self, learned: Any) -> None:
        for splits in ("complete", "binary"):
            case = learned(splits=splits)
            likelihoods = {3: [1.0, 0.0, 5.0, 0.2, 3.0], 1: [0.01, 1.0, 0.5]}
            joint = case.joint(np.full(7, -1), likelihoods)
            samples = case.model.sample(
                20_000, soft={f"x{v}": values for v, values in likelihoods.items()}, random_state=3
            )
            assert_frequencies(case.places(samples.codes.T), joint / joint.sum())

    def test_those_of_a_row_are_one_after_the_other(self, case: Any) -> None:
        rows = case.rows(4, 12, 0.3)
        samples = case.model.sample(1500, rows, random_state=4)
        assert samples.shape == (12 * 1500, len(case.names))
        assert samples.dtype == rows.dtype
        for i, row in enumerate(rows):
            own = samples[1500 * i : 1500 * (i + 1)]
            assert ((own == row) | (row < 0)).all()
            joint = case.joint(row)
            assert_frequencies(case.places(own), joint / joint.sum())

    def test_one_sample_for_each_of_many_rows(self, learned: Any) -> None:
        case = learned()
        row = np.array([-1, 2, -1, -1, -1, -1, 0])
        joint = case.joint(row)
        samples = case.model.sample(1, np.tile(row, (20_000, 1)), random_state=5)
        assert_frequencies(case.places(samples), joint / joint.sum())

    def test_neighbouring_samples_and_seeds_have_nothing_in_common(self, learned: Any) -> None:
        case = learned()
        samples = case.model.sample(20_000, random_state=6).codes
        pairs = case.table_of([1, 3])
        for shift in (1, 2, 1024):
            states = np.ravel_multi_index([samples[1][shift:], samples[3][:-shift]], (3, 5))
            assert_frequencies(states, np.outer(case.table_of([1]), case.table_of([3])).ravel())
        assert not np.allclose(pairs, np.outer(case.table_of([1]), case.table_of([3])).ravel(), atol=0.01)
        firsts = [infer.sample(case.circuit, 1, random_state=seed).codes[3, 0] for seed in range(1500)]
        assert_frequencies(np.array(firsts), case.table_of([3]))


class TestRandomState:
    def test_the_same_seed_gives_the_same_samples(self, case: Any) -> None:
        rows = case.rows(7, 5, 0.3)
        first = case.model.sample(300, rows, random_state=8)
        assert np.array_equal(first, case.model.sample(300, rows, random_state=8))
        assert np.array_equal(first, case.model.sample(300, rows, random_state=np.int64(8)))
        if case.probabilities.max() < 0.9:
            assert not np.array_equal(first, case.model.sample(300, rows, random_state=9))
            assert not np.array_equal(case.model.sample(300, rows), case.model.sample(300, rows))

    def test_generators_of_both_kinds(self, learned: Any) -> None:
        case = learned()
        for make in (np.random.default_rng, np.random.RandomState):
            source, twin = make(3), make(3)
            first, second = (case.model.sample(50, random_state=source).codes for _ in range(2))
            assert not np.array_equal(first, second)
            assert np.array_equal(first, case.model.sample(50, random_state=twin).codes)
            assert np.array_equal(second, case.model.sample(50, random_state=twin).codes)

    def test_a_seed_and_its_generator_agree(self, learned: Any) -> None:
        case = learned()
        seeded = case.model.sample(50, random_state=12).codes
        assert np.array_equal(seeded, case.model.sample(50, random_state=np.random.default_rng(12)).codes)

    def test_a_sample_depends_on_its_place_alone(self, learned: Any) -> None:
        case = learned()
        many = case.model.sample(3000, {"x0": 1}, random_state=5).codes
        assert np.array_equal(many[:, :700], case.model.sample(700, {"x0": 1}, random_state=5).codes)


class TestHowMany:
    def test_none(self, learned: Any) -> None:
        case = learned()
        assert case.model.sample(0, case.rows(1, 3)).shape == (0, 7)

    def test_one_by_default(self, learned: Any) -> None:
        case = learned()
        assert case.model.sample().codes.shape == (7, 1)
        assert case.model.sample(given=case.rows(1, 3)).shape == (3, 7)

    def test_numbers_from_numpy(self, learned: Any) -> None:
        assert learned().model.sample(np.int16(3)).n_rows == 3
