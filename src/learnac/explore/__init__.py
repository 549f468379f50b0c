"""The explorer: a model as a page for a browser, which answers by itself, or asks the server that it came from."""

from learnac.explore.answers import answer_page, as_page_json
from learnac.explore.document import is_smooth
from learnac.explore.page import explorer_page, served_page

__all__ = ["answer_page", "as_page_json", "explorer_page", "is_smooth", "served_page"]
