"""`python -m learnac` is the command `learnac`."""

from learnac.cli import main

main()
