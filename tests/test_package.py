"""What `import learnac` gives."""

from importlib.metadata import version

import learnac


def test_the_version_is_the_installed_one() -> None:
    assert learnac.__version__ == version("learnac")


def test_every_public_name_is_there() -> None:
    assert all(getattr(learnac, name) is not None for name in learnac.__all__)
    assert set(learnac.__all__) <= set(dir(learnac))
