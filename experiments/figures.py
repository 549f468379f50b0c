"""The report's figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mixed import curve
from reproduced import cell
from table5 import CIRCUITS, LEFT, RIGHT, SCENARIOS
from tables import NAMES, Studies
from verdicts import ENOUGH_QUERIES, half_width

STYLES: dict[str, dict[str, Any]] = {
    "AC-Greedy": {"color": "#08519c", "marker": "s", "linestyle": "-"},
    "AC-Quick": {"color": "#3182bd", "marker": "o", "linestyle": "--"},
    "Gibbs-Fast": {"color": "#fdbe85", "marker": "v", "linestyle": ":"},
    "Gibbs-Medium": {"color": "#fd8d3c", "marker": "^", "linestyle": ":"},
    "Gibbs-Slow": {"color": "#e6550d", "marker": "<", "linestyle": ":"},
    "Gibbs-VerySlow": {"color": "#a63603", "marker": ">", "linestyle": ":"},
}


def draw(studies: Studies, folder: Path) -> None:
    """Writes what there are results for."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams.update({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False, "savefig.dpi": 130})
    if "table5" in studies:
        _figure1(studies, folder / "figure1.png")
    if "tradeoff" in studies:
        _tradeoff(studies, folder / "tradeoff.png")
    if studies.records("mixtures", kind="mixture curve"):
        _mixtures(studies, folder / "mixtures.png")


def _figure1(studies: Studies, path: Path) -> None:
    import matplotlib.pyplot as plt

    sets = studies.values("table5", "set")
    figure, axes = plt.subplots(len(sets), 2, figsize=(8, 2.6 * len(sets)), squeeze=False, layout="constrained")
    for row, name in zip(axes, sets, strict=True):
        for axis, levels, varied, label in (
            (row[0], LEFT, 1, "known, % of the variables (30 % asked)"),
            (row[1], RIGHT, 0, "asked, % of the variables (30 % known)"),
        ):
            ends: list[float] = []
            for method in (*CIRCUITS, *SCENARIOS):
                found = [cell(studies, name, method, *level) for level in levels]
                quick = [cell(studies, name, "AC-Quick", *level) for level in levels]
                shown = [(level[varied], r, q) for level, r, q in zip(levels, found, quick, strict=True) if r and q]
                # What answered some of the queries only is drawn relative to AC-Quick on the same ones.
                values = [quick["log_probability"] - r["less_than_quick"] for _, r, quick in shown]
                bars = [half_width(r) if method in SCENARIOS else 0 for _, r, _ in shown]
                axis.errorbar(
                    [100 * x for x, _, _ in shown],
                    values,
                    yerr=bars,
                    label=method,
                    markersize=3.5,
                    linewidth=1,
                    capsize=1.5,
                    **STYLES[method],
                )
                for value, bar, (_, r, _) in zip(values, bars, shown, strict=True):
                    ends += [value - bar, value + bar] if r["rows"] >= ENOUGH_QUERIES else [value]
            # Bars of a few queries may be cut: they would leave no room for the rest.
            if ends:
                margin = 0.05 * (max(ends) - min(ends))
                axis.set_ylim(min(ends) - margin, max(ends) + margin)
            axis.set_xlabel(label)
            axis.set_title(NAMES[name], loc="left", fontsize=8)
        row[0].set_ylabel("log P for each query variable")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=6, frameon=False)
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)


def _tradeoff(studies: Studies, path: Path) -> None:
    import matplotlib.pyplot as plt

    sets = studies.values("tradeoff", "set")
    figure, axes = plt.subplots(len(sets), 2, figsize=(8, 2.4 * len(sets)), squeeze=False, layout="constrained")
    for row, name in zip(axes, sets, strict=True):
        for axis, key, label in ((row[0], "edges", "edges"), (row[1], "query_ms", "ms for a query")):
            for parameter_penalty, color in zip(
                studies.values("tradeoff", "parameter_penalty", set=name),
                ("#3182bd", "#e6550d", "#31a354"),
                strict=False,
            ):
                found = studies.records("tradeoff", set=name, parameter_penalty=parameter_penalty)
                axis.plot(
                    [record["result"][key] for record in found],
                    [record["result"]["test"] for record in found],
                    marker="o",
                    markersize=3,
                    linewidth=1,
                    color=color,
                    label=f"k_p {parameter_penalty:g}",
                )
                if key == "edges":
                    for record in found[:: max(1, len(found) // 4)]:
                        at = record["result"]["edges"], record["result"]["test"]
                        axis.annotate(
                            f"{record['task']['edge_penalty']:g}",
                            at,
                            fontsize=6,
                            color=color,
                            xytext=(3, -7),
                            textcoords="offset points",
                        )
            axis.set_xscale("log")
            axis.set_xlabel(label)
            axis.set_title(NAMES[name], loc="left", fontsize=8)
        row[0].set_ylabel("test log-likelihood")
    axes[0, 0].legend(frameon=False)
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)


def _mixtures(studies: Studies, path: Path) -> None:
    import matplotlib.pyplot as plt

    sets = list(dict.fromkeys(record["task"]["set"] for record in studies.records("mixtures", kind="mixture curve")))
    figure, axes = plt.subplots(
        -(-len(sets) // 3), 3, figsize=(8, 2.5 * -(-len(sets) // 3)), squeeze=False, layout="constrained"
    )
    for axis, name in zip(axes.flat, sets, strict=False):
        for kind, title, color in (("circuit", "one circuit", "#e6550d"), ("mixture", "one mixture", "#3182bd")):
            points = curve(studies, name, kind)
            axis.plot(*zip(*points, strict=True), marker="o", markersize=3, linewidth=1.2, color=color, label=title)
        axis.set_xscale("log")
        axis.set_title(name, loc="left", fontsize=8)
        axis.set_xlabel("edges x components")
    for axis in axes.flat[len(sets) :]:
        axis.set_axis_off()
    for row in axes:
        row[0].set_ylabel("test log-likelihood")
    axes[0, 0].legend(frameon=False)
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
