"""The command line."""

from learnac.cli.app import main

__all__ = ["main"]
