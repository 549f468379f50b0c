"""Table 5's queries, asked of the circuits of Table 4 that have at most the paper's number of edges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from sets import corner_of, load
from study import Results, Task, main
from table4 import chosen
from table5 import CIRCUITS, LEVELS, measure


def tasks(settings: Mapping[str, Any], results: Results) -> Iterator[Task]:
    learned = Results(results.path.with_name("table4.json"))
    for method, name in product(CIRCUITS, settings["sets"]):
        n_test = load(name, ("test",), settings.get("corner")).n_rows
        for query, evidence in settings.get("levels", LEVELS):
            yield {
                "set": name,
                "method": method,
                "query": query,
                "evidence": evidence,
                "first": 0,
                "rows": min(settings["rows"], n_test),
                "seed": settings["seed"],
                "model": chosen(learned, name, CIRCUITS[method], "size"),
                "paired_with": chosen(learned, name, "quick"),
                "repeats": settings["repeats"],
                **corner_of(settings),
            }


if __name__ == "__main__":
    main("same_size", tasks, measure)
