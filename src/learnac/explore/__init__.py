"""The explorer: a model as one page for a browser, which answers by itself, without a network or a server."""

from learnac.explore.page import explorer_page

__all__ = ["explorer_page"]
