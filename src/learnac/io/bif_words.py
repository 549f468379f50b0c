"""The words of BIF that its reader and its writer share."""

import re

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
KEYWORDS = frozenset({"default", "discrete", "network", "probability", "property", "table", "type", "variable"})

# Properties of a variable that keep what its words in the file cannot say.
NAME, CATEGORIES = "learnac_name", "learnac_categories"
