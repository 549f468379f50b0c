"""What turns measurements into words: another input, another verdict."""

from __future__ import annotations

import numpy as np
import pytest
from verdicts import (
    ENOUGH_QUERIES,
    MOST_INTEGRAL,
    Edge,
    Sign,
    Verdict,
    behind_the_best,
    clear_sign,
    clear_signs,
    dominates,
    edge_of_grid,
    half_width,
    holm,
    is_density,
    p_value,
    pooled,
    scored,
    tally,
    the_most_are_worth_it,
    verdict,
)


def cell(less: float, error: float = 0.1, rows: int = 1000) -> dict[str, float]:
    return {"less_than_quick": less, "less_than_quick_error": error, "rows": rows}


def test_what_integrates_to_more_is_no_density() -> None:
    assert is_density({"score": -1.0, "largest_integral": MOST_INTEGRAL})
    assert not is_density({"score": -1.0, "largest_integral": MOST_INTEGRAL + 0.01})


def test_more_components_must_gain_a_thousandth_of_the_log_likelihood() -> None:
    assert the_most_are_worth_it({64: -100.2, 256: -100.0})
    assert not the_most_are_worth_it({64: -100.05, 256: -100.0})
    assert not the_most_are_worth_it({64: -100.0, 256: -100.2})
    assert not the_most_are_worth_it({64: -100.0, 256: -101.0, 1024: -100.05})
    assert the_most_are_worth_it({64: -100.0})


class TestVerdict:
    def test_the_interval_is_students(self) -> None:
        assert half_width(cell(0.0, error=1.0, rows=2)) == pytest.approx(12.706, abs=1e-3)
        assert half_width(cell(0.0, error=1.0, rows=30)) == pytest.approx(2.045, abs=1e-3)

    @pytest.mark.parametrize(
        ("less", "expected"),
        [
            (0.20, Verdict.CIRCUIT),  # the interval is 0.20 ± 0.196
            (0.19, Verdict.UNCLEAR),
            (0.0, Verdict.UNCLEAR),
            (-0.19, Verdict.UNCLEAR),
            (-0.20, Verdict.SAMPLER),
        ],
    )
    def test_what_is_clear_has_no_zero_in_its_interval(self, less: float, expected: Verdict) -> None:
        assert verdict(cell(less)) is expected

    @pytest.mark.parametrize("less", [-1000.0, 1000.0])
    def test_few_queries_say_nothing_however_large_the_difference(self, less: float) -> None:
        assert verdict(cell(less, rows=ENOUGH_QUERIES - 1)) is Verdict.TOO_FEW
        assert verdict(cell(less, rows=ENOUGH_QUERIES)) is not Verdict.TOO_FEW

    def test_a_larger_error_takes_the_verdict_back(self) -> None:
        assert verdict(cell(-0.9, error=0.3, rows=30)) is Verdict.SAMPLER
        assert verdict(cell(-0.9, error=0.5, rows=30)) is Verdict.UNCLEAR


class TestHolm:
    def test_p_values_are_students(self) -> None:
        assert p_value(cell(2.045, error=1.0, rows=30)) == pytest.approx(0.05, abs=1e-3)
        assert p_value(cell(-2.045, error=1.0, rows=30)) == pytest.approx(0.05, abs=1e-3)
        assert p_value(cell(0.0)) == 1.0
        assert p_value(cell(0.0, error=0.0)) == 1.0
        assert p_value(cell(0.1, error=0.0)) == 0.0

    def test_one_p_value_is_as_it_is(self) -> None:
        assert holm([0.049]) == [True]
        assert holm([0.051]) == [False]
        assert holm([]) == []

    def test_the_smallest_is_held_against_the_most(self) -> None:
        # 0.05 / 3, then 0.05 / 2, then 0.05.
        assert holm([0.04, 0.01, 0.024]) == [True, True, True]
        assert holm([0.04, 0.017, 0.001]) == [True, True, True]
        assert holm([0.04, 0.026, 0.001]) == [False, False, True]
        assert holm([0.04, 0.018, 0.018]) == [False, False, False]


class TestPooled:
    def test_means_and_errors_are_those_of_all_queries_at_once(self) -> None:
        values = np.array([1.0, 4.0, 2.0, 7.0, 3.0])
        parts = [
            {"rows": len(part), **scored("less", part), "seconds": seconds}
            for part, seconds in ((values[:2], 1.0), (values[2:], 2.0))
        ]
        found = pooled(parts)
        assert found["rows"] == 5
        assert found["less"] == pytest.approx(3.4)
        assert found["less_error"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(5))
        assert found["seconds"] == pytest.approx((2 * 1.0 + 3 * 2.0) / 5)


class TestDominates:
    def test_every_verdict_must_be_for_the_circuit(self) -> None:
        assert dominates([Verdict.CIRCUIT, Verdict.CIRCUIT]) is True
        assert dominates([Verdict.CIRCUIT, Verdict.UNCLEAR]) is False
        assert dominates([Verdict.CIRCUIT, Verdict.SAMPLER]) is False

    def test_too_few_queries_count_neither_way(self) -> None:
        assert dominates([Verdict.CIRCUIT, Verdict.TOO_FEW]) is True
        assert dominates([Verdict.UNCLEAR, Verdict.TOO_FEW]) is False
        assert dominates([Verdict.TOO_FEW]) is None
        assert dominates([]) is None


class TestTally:
    def test_sets_are_ahead_level_or_behind(self) -> None:
        found = tally({"a": -5.0, "b": -6.0, "c": -7.0}, {"a": -5.5, "b": -6.0, "c": -6.5})
        assert (found.ahead, found.level, found.behind) == (("a",), ("b",), ("c",))

    def test_another_figure_changes_the_count(self) -> None:
        ours = {"a": -5.0, "b": -6.0, "c": -7.0}
        assert len(tally(ours, {"a": -5.5, "b": -6.1, "c": -6.5}).ahead) == 2
        assert len(tally({**ours, "b": -6.2}, {"a": -5.5, "b": -6.1, "c": -6.5}).ahead) == 1

    def test_they_are_compared_at_two_decimals(self) -> None:
        assert tally({"a": -6.0383}, {"a": -6.04}).level == ("a",)
        assert tally({"a": -6.0449}, {"a": -6.04}).level == ("a",)
        assert tally({"a": -6.0349}, {"a": -6.04}).ahead == ("a",)
        assert tally({"a": -6.0451}, {"a": -6.04}).behind == ("a",)

    def test_sets_that_one_lacks_are_left_out(self) -> None:
        found = tally({"a": -1.0, "b": -1.0}, {"b": -2.0, "c": -2.0})
        assert (found.ahead, found.level, found.behind) == (("b",), (), ())

    def test_mostly_ahead_is_on_more_than_half(self) -> None:
        ours = {"a": -1.0, "b": -1.0, "c": -1.0, "d": -1.0}
        assert tally(ours, {"a": -2.0, "b": -2.0, "c": -2.0, "d": -0.5}).is_mostly_ahead
        assert not tally(ours, {"a": -2.0, "b": -2.0, "c": -1.0, "d": -0.5}).is_mostly_ahead


class TestLoss:
    def test_it_is_a_share_of_the_best(self) -> None:
        loss = behind_the_best({"valid": -10.2, "best_of_grid": -10.0, "best_of_grid_error": 0.1}, "best_of_grid")
        assert (loss.nats, loss.error, loss.share) == pytest.approx((0.2, 0.1, 0.02))


@pytest.mark.parametrize(
    ("difference", "error", "expected"),
    [
        (0.3, 0.1, Sign.ABOVE),
        (-0.3, 0.1, Sign.BELOW),
        (0.2, 0.1, Sign.UNCLEAR),
        (-0.1, 0.1, Sign.UNCLEAR),
        (9.0, None, Sign.UNCLEAR),
    ],
)
def test_a_difference_is_clear_beyond_two_standard_errors(
    difference: float, error: float | None, expected: Sign
) -> None:
    assert clear_sign(difference, error) is expected


def test_of_many_differences_fewer_are_clear() -> None:
    """Two-sided p of 2.2, 2.5 and 4 errors: 0.028, 0.012 and 0.00006; Holm asks for 0.05, 0.025 and 0.0167 of three."""
    assert clear_signs({"a": (2.2, 1.0)}) == {"a": Sign.ABOVE}
    assert clear_signs({"a": (2.2, 1.0), "b": (-2.5, 1.0), "c": (4.0, 1.0)}) == {
        "a": Sign.ABOVE,
        "b": Sign.BELOW,
        "c": Sign.ABOVE,
    }
    assert clear_signs({"a": (2.2, 1.0), "b": (-2.1, 1.0), "c": (4.0, 1.0)}) == {
        "a": Sign.UNCLEAR,
        "b": Sign.UNCLEAR,
        "c": Sign.ABOVE,
    }


def test_differences_without_an_error_are_not_clear() -> None:
    assert clear_signs({"a": (9.0, None), "b": (0.0, 0.0)}) == {"a": Sign.UNCLEAR, "b": Sign.UNCLEAR}


class TestEdgeOfGrid:
    @pytest.mark.parametrize(
        ("chosen", "expected"), [(0.25, Edge.LOWEST), (0.5, None), (1.0, None), (4.0, Edge.HIGHEST)]
    )
    def test_the_lowest_and_the_highest_are_at_an_edge(self, chosen: float, expected: Edge | None) -> None:
        assert edge_of_grid(chosen, [1.0, 0.25, 4.0, 0.5]) is expected

    def test_a_wider_grid_has_it_inside(self) -> None:
        assert edge_of_grid(0.25, [0.125, 0.25, 0.5]) is None

    def test_there_is_nothing_below_zero(self) -> None:
        assert edge_of_grid(0.0, [0.0, 10.0]) is None
        assert edge_of_grid(10.0, [0.0, 10.0]) is Edge.HIGHEST

    def test_a_grid_of_one_value_is_all_edge(self) -> None:
        assert edge_of_grid(0.5, [0.5]) is Edge.LOWEST
