"""Puts results of the benchmarks and the experiments into README.md and the docs, each table between its two marks.

python experiments/filled.py
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from beyond import defaults_table
from elsewhere import alternatives_table
from incomplete import gaps_table, gaps_verdict, times_as_long
from layout import laid_out
from mixed import ahead_of_all, headline_table, mixtures_table, told_perhaps
from reproduced import seconds_of_queries
from study import HERE
from tables import NAMES, PUBLISHED, Studies, duration, table, thousands
from weak import points

ROOT = HERE.parent
RESULTS = ROOT / "benchmarks" / "results"


def learning() -> str:
    results = [result for path in sorted(RESULTS.glob("[0-9]-*.json")) for result in _results(path)]
    header = [
        "set",
        "schedule",
        "k_e / k_p",
        "leaves",
        "edges",
        "test log-likelihood",
        "CPU s",
        "MB",
    ]
    rows = [
        [
            r["name"],
            f"AC-{r['schedule'].title()}",
            f"{r['edge_penalty']} / {r['parameter_penalty']}",
            f"{r['leaves']:,}",
            f"{r['edges']:,}",
            f"{r['log_likelihood']:.3f}",
            f"{r['cpu']:.2g}" if r["cpu"] < 1 else f"{r['cpu']:.1f}",
            f"{r['memory_mb']:.0f}",
        ]
        for r in results
        if r.get("n_threads", 1) == 1  # Earlier versions could search with two.
    ]
    return table(header, rows)


def inference() -> str:
    levels = [0.0, 0.3, 0.5]
    header = [
        "set",
        "edges",
        "batch, M edges/s",
        "2 threads",
        *(f"query, {level:.0%} known" for level in levels),
        "M rows/s",
    ]
    rows = []
    for r in _results(RESULTS / "inference.json"):
        rates = [batch["million_edges_per_second"] for batch in r["batch"]]
        ratios = [batch["two_threads"] for batch in r["batch"]]
        times = {single["evidence"]: single["median_ms"] for single in r["single"]}
        rows.append(
            [
                r["name"],
                f"{r['edges']:,}",
                f"{min(rates):.0f} to {max(rates):.0f}",
                f"x {min(ratios):.2f} to {max(ratios):.2f}",
                *(f"{times[level]:.2f} ms" for level in levels),
                f"{r['complete_rows_per_second'] / 1e6:.1f}",
            ]
        )
    return table(header, rows)


def paper() -> str:
    """The paper's tables 4 and 5 in a few lines, for AC-Quick."""
    studies, published = Studies(HERE / "results"), PUBLISHED["paper"]
    rows = []
    for name, title in NAMES.items():
        ours, theirs = studies.result("table4", stage="final", set=name, schedule="quick"), published["table4"][name]
        asking, their_asking = seconds_of_queries(studies, name, "AC-Quick"), published["table5"]["AC-Quick"][name]
        size = studies.result("table4", stage="size", set=name, schedule="quick")
        rows.append(
            [
                title,
                f"{ours['test']:.2f} ({theirs['quick']['test']})",
                f"{thousands(ours['edges'])} ({theirs['quick']['edges']})",
                f"{duration(ours['learning_seconds'])} ({theirs['quick']['time']})",
                f"{duration(asking)} ({duration(their_asking)})",
                f"{size['test']:.2f}",
            ]
        )
    header = ["AC-Quick", "test log-likelihood", "edges", "learning", "query", "log-likelihood at the paper's size"]
    return table(header, rows)


def alternatives() -> str:
    return alternatives_table(Studies(HERE / "results"), ["plants", "accidents", "msweb", "baudio"])


def _results(path: Path) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = json.loads(path.read_text())["results"]
    return results


def weaknesses() -> str:
    return laid_out(points(Studies(HERE / "results"), RESULTS))


def defaults() -> str:
    return defaults_table(Studies(HERE / "results"))


def mixture_queries() -> str:
    """Of mixtures of a million edges in all: by set and number of components."""
    header = ["set", "components", "known", "upwards, G edges/s", "both passes, G edges/s", "all posteriors"]
    rows = [
        [
            r["name"],
            r["components"],
            f"{r['known']:.0%}",
            f"{r['upward_edges_per_second'] / 1e9:.1f}",
            f"{r['both_edges_per_second'] / 1e9:.1f}",
            f"{r['all_posteriors_ms']:.2f} ms",
        ]
        for r in _results(RESULTS / "mixtures.json")
    ]
    return table(header, rows)


def explorer() -> str:
    """From a click to its repaint, by size."""
    if not _is_measured_alone("explorer.json"):
        return _NOT_ALONE.format("benchmarks/explorer.py")
    header = ["edges", "answers come from", "page", "click to repaint, median", "99 %", "best", "the page's own share"]
    rows = [
        [
            f"{r['edges']:,}",
            "the page" if r["where"] == "offline" else "a server",
            f"{r['page_bytes'] / 1e6:.1f} MB",
            f"{r['median_ms']:.0f} ms",
            f"{r['p99_ms']:.0f} ms",
            f"{r['least_ms']:.0f} ms",
            f"{r['median_answer_ms'] + r['median_script_ms']:.0f} ms",
        ]
        for r in _results(RESULTS / "explorer.json")
    ]
    return table(header, rows)


_NOT_ALONE = "Not measured yet on a machine without other work: `python {}` does that.\n"


def _is_measured_alone(file: str) -> bool:
    """Whether there are results, and no other process wanted a processor when they were begun."""
    path = RESULTS / file
    return path.exists() and max(r["load"] for r in _results(path) if "median_ms" in r) < 1.5


def service() -> str:
    """Requests a second and latencies by number of clients, and the memory."""
    *loads, memory = _results(RESULTS / "service.json")
    told = f"Memory after {memory['minutes']:g} minutes with 8 clients: {memory['late_mb']:.0f} MB, "
    told += f"{memory['early_mb']:.0f} MB in the beginning.\n"
    if not _is_measured_alone("service.json"):
        return f"{told}\nTimes: n{_NOT_ALONE.format('benchmarks/service.py')[1:]}"
    header = ["question", "clients", "requests/s", "median", "99 %", "refused"]
    rows = [
        [
            r["name"],
            r["clients"],
            f"{r['requests_per_second']:.0f}",
            f"{r['median_ms']:.1f} ms",
            f"{r['p99_ms']:.1f} ms",
            r["refused"],
        ]
        for r in loads
    ]
    return f"{table(header, rows)}\n{told}"


def scale() -> str:
    """Learning from more and more rows, in several ways."""
    ways = {"memory": "in memory", "disk": "on disk", "dask": "Dask, 2 workers"}
    found = sorted(_results(RESULTS / "scale.json"), key=lambda r: (r["rows"], list(ways).index(r["way"])))
    header = ["rows", "way", "ms a split", "times in memory", "passes", "read", "memory"]
    rows = [
        [
            f"10^{len(str(r['rows'])) - 1}",
            ways[r["way"]],
            f"{r['ms_a_split']:.2g}" if r["ms_a_split"] < 10 else f"{r['ms_a_split']:.0f}",
            f"{r['times_in_memory']:.1f}" if "times_in_memory" in r else "",
            r["passes"] or "",
            f"{r['bytes_read'] / 1e9:.2g} GB" if "bytes_read" in r else "",
            f"{r['peak_bytes'] / 1e9:.2f} GB",
        ]
        for r in found
    ]
    return table(header, rows)


def compiling() -> str:
    """Sizes of compiled networks, with and without local structure, and queries beside other tools."""
    header = [
        "network",
        "variables",
        "compiled in",
        "edges (operations)",
        "without local structure",
        "one query, µs",
        "one of 10,000, µs",
        "pyAgrum",
        "pgmpy",
    ]
    rows = [
        [
            r["network"],
            r["variables"],
            duration(r["compile_seconds"]),
            f"{r['edges']:,} ({r['operations']:,})",
            f"{r['plain_edges']:,} ({r['plain_operations']:,})" if r["plain_edges"] else "too large",
            f"{1000 * r['ms_of_1']:.0f}",
            f"{1000 * r['ms_of_10000']:.3g}",
            f"{duration(r['pyagrum_ms'] / 1000)} (x {r['times_pyagrum']:.0f})",
            f"{duration(r['pgmpy_ms'] / 1000)} (x {r['times_pgmpy_in_batches']:,.0f})",
        ]
        for r in sorted(_results(RESULTS / "compiling.json"), key=lambda r: r["edges"])
    ]
    return table(header, rows)


def compiling_learned() -> str:
    """Learned networks written, read and compiled: sizes beside those of the learned circuits."""

    def compiled(result: dict[str, Any], way: str) -> str:
        edges, times = result[way], result[f"{way}_times"]
        return "none within a million" if edges is None else f"{edges:,} (x {times:.2f})"

    rows = [
        [r["set"], f"{r['learned_edges']:,}", compiled(r, "with_counts"), compiled(r, "without_counts")]
        for r in _results(RESULTS / "compiling_learned.json")
    ]
    return table(["set", "learned edges", "compiled, with counts", "without counts"], rows)


def mixtures() -> str:
    return mixtures_table(Studies(HERE / "results"))


def headline() -> str:
    studies = Studies(HERE / "results")
    ahead, compared = ahead_of_all(studies)
    said = "Four averaged are ahead of every tractable model whose figures we know on"
    told = laid_out(f"{said} {len(ahead)} of {len(compared)} sets. {told_perhaps(studies)}")
    return f"{told}\n{headline_table(studies)}"


def gaps() -> str:
    studies = Studies(HERE / "results")
    longer = f"Learning with gaps took {times_as_long(studies)} times as long as from the complete tables."
    return f"{gaps_table(studies)}\n{laid_out(f'{gaps_verdict(studies)} {longer}')}"


PAGES: dict[str, tuple[Callable[[], str], ...]] = {
    "README.md": (weaknesses, headline, paper, learning, inference, alternatives),
    "docs/learning.md": (defaults,),
    "docs/compiling.md": (compiling, compiling_learned),
    "docs/mixtures.md": (mixture_queries, mixtures),
    "docs/gaps.md": (gaps,),
    "docs/explorer.md": (explorer,),
    "docs/service.md": (service,),
    "docs/scale.md": (scale,),
}


# Figures of the report that the docs show too: the site has files of its own folder only.
PICTURES = {"experiments/figures/mixtures.png": "docs/images/mixtures.png"}


def filled(page: str) -> str:
    """The text of a page with its tables as the results are now."""
    text = (ROOT / page).read_text()
    for make in PAGES[page]:
        start, end = f"<!-- {make.__name__} -->\n", f"<!-- end of {make.__name__} -->"
        before, rest = text.split(start)
        text = before + start + make() + end + rest.split(end)[1]
    return text


if __name__ == "__main__":
    for page in PAGES:
        (ROOT / page).write_text(filled(page))
    for drawn, shown in PICTURES.items():
        (ROOT / shown).write_bytes((ROOT / drawn).read_bytes())
