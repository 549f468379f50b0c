"""Sets with variables of many values: complete splits against one value against the rest.

As in the collection of binary sets: learned from train, everything chosen on valid, scored once on test.
"""

from __future__ import annotations

from collection import measure, tasks, timed
from study import main

__all__ = ["measure", "tasks", "timed"]

if __name__ == "__main__":
    main("categorical", tasks, measure)
