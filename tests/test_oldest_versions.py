"""What `make oldest` installs, so that the bounds in pyproject.toml are ones that were tried."""

from __future__ import annotations

import pytest
from oldest import LEFT_OUT, declared, oldest_versions, pins


def test_the_oldest_version_is_the_one_that_is_stated() -> None:
    assert oldest_versions(["numpy>=2.0", "scikit-learn>=1.7.1"]) == {"numpy": "2.0", "scikit-learn": "1.7.1"}


def test_of_two_bounds_the_higher_one_counts() -> None:
    assert oldest_versions(["a>=1.9", "a>=1.10", "a>=1.2"]) == {"a": "1.10"}


@pytest.mark.parametrize(
    "requirement", ["numpy", "numpy<3", "numpy>=2,<3", "numpy~=2.0", "numpy>=2; python_version<'4'"]
)
def test_a_requirement_without_one_oldest_version_is_refused(requirement: str) -> None:
    with pytest.raises(ValueError, match="expected a requirement like"):
        oldest_versions([requirement])


def test_everything_that_is_required_is_installed_in_its_oldest_version() -> None:
    expected = {requirement.replace(">=", "==") for requirement in declared()}
    assert {pin for pin in expected if pin.split("==")[0] not in LEFT_OUT} == set(pins())
